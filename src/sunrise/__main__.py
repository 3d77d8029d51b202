"""``python -m sunrise``."""

from __future__ import annotations

from sunrise.cli.app import main

main()
