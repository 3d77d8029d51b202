"""How fast sunrise is, side by side with openclaw-mem: `python -m benchmarks`."""
