"""Where the command line begins: what a hook asks at each turn is answered before typer is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Answer at once where the running service can, else run the whole command line."""
    if sys.argv[1:2] == ["recall"]:
        from sunrise.cli.quick_recall import recall_at_once

        if recall_at_once(sys.argv[2:]):
            return
    from sunrise.cli.app import main as whole

    whole()
