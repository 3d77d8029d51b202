"""The documentation, and the programs that write its reference pages from the code."""
