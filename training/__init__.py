"""What the networks of the package were learned from, and how; no part of what is installed."""
