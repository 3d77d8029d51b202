"""What tells a file of now from the same file at another time, for as long as that can be told."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

_SETTLED_NS: Final = 2_000_000_000
"""A file's time moves in steps of some milliseconds: one that changed just now may change again unseen."""

Mark = tuple[int, int, int]


def mark_of(path: Path) -> Mark | None:
    """
    Return inode, time and size of a file or folder, None where it may change and keep them.

    Raises:
        OSError: There is none, or it cannot be looked at.
    """
    found = os.stat(path)  # noqa: PTH116 (half the time of Path.stat)
    is_settled = abs(time.time_ns() - found.st_mtime_ns) > _SETTLED_NS
    return (found.st_ino, found.st_mtime_ns, found.st_size) if is_settled else None
