"""What a text is made of: clean characters, its script, its index terms."""
