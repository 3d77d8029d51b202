"""Links between observations and memories: what a writeback looks at, and how far it has got."""

from __future__ import annotations

from typing import NamedTuple

MISSING = "missing"
"""An observation names a memory, and the table has no row of its id."""

AMBIGUOUS = "ambiguous"
"""An observation names a memory, and the table has several rows of its id: nobody knows which is meant."""


class LinkedUpTo(NamedTuple):
    """The newest ids of observations, of links and of changes that a writeback covers."""

    observations: int
    links: int
    changes: int
