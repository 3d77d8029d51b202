"""One file for each scheduled job; a flow reads like a paragraph."""
