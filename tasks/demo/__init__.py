"""Input for a demo home, in the formats that OpenClaw and its plugins write."""
