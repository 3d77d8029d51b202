"""What an agent asks for, answered from the ports."""
