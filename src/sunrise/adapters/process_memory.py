"""What the C library keeps of memory that is free again: less of it, where it lets us say so."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Final

ARENAS: Final = 2
"""Each holds on to what it once gave out, and by default there are eight for each core."""

_M_ARENA_MAX: Final = -8


def keep_few_arenas() -> None:
    """Let all threads share a few arenas; to be called before there are many."""
    with contextlib.suppress(OSError, AttributeError):
        if sys.platform == "linux":
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)


def give_back() -> None:
    """Give what is free back to the system; it takes some milliseconds, in which the others go on."""
    with contextlib.suppress(OSError, AttributeError):
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)
