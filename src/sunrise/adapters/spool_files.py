"""The files of a home's spool, and which of them hold what came by HTTP. Only the standard library."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

SPOOL: Final = "spool"
HTTP: Final = "http"
"""The folder in the spool whose lines a service stamped, each with the token that it came by."""

SERVICE_STEM: Final = "service"
"""What the files are called that services wrote into the spool itself before they wrote stamps."""

_OF_A_SERVICE: Final = re.compile(rf"{SERVICE_STEM}(?:\.\d{{8}}T\d{{6}}Z-\d+)?\.jsonl")


def spool_files(home: Path) -> list[Path]:
    """Return the files of the spool, by path."""
    return sorted([*(home / SPOOL).glob("*.jsonl"), *(home / SPOOL / HTTP).glob("*.jsonl")])


def is_spooled(home: Path, path: Path) -> bool:
    """Return whether a file is one of the spool: the others belong to whoever writes them."""
    return path.parent in (home / SPOOL, home / SPOOL / HTTP)


def is_stamped(home: Path, path: Path) -> bool:
    """Return whether the lines of a file are to be read with their stamps, by whatever path it is named."""
    folder = home / SPOOL / HTTP
    return path.parent == folder or _real(path).parent == _real(folder)


def came_by_http(home: Path, path: Path) -> bool:
    """Return whether a service wrote a file, with stamps or before there were any."""
    whole = _real(path)
    is_older = whole.parent == _real(home / SPOOL) and _OF_A_SERVICE.fullmatch(whole.name) is not None
    return is_older or is_stamped(home, path)


def _real(path: Path) -> Path:
    # Path.resolve fails on links that turn in a circle, which whoever opens them tells of.
    return Path(os.path.realpath(path))
