"""``python -m sunrise``."""

from __future__ import annotations

from sunrise.cli.start import main

main()
