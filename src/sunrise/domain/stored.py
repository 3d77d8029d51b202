"""What the ledger keeps of a store: enough to tell it again, to finish it, and to find the same text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStore:
    """
    A store that is to be noted.

    ``observation`` are the columns of its row in the ledger, None where no text came in. ``row`` is what the
    memories table is to take, None where it holds that already. ``key`` is the caller's own name of the
    store, ``request`` what was asked under it.
    """

    memory_id: str
    status: str
    scope: str
    request: str
    run_id: str
    text: str | None = None
    key: str | None = None
    observation: Mapping[str, Any] | None = None
    row: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A store that was noted; ``is_new`` where this very call noted it."""

    memory_id: str
    status: str
    scope: str
    run_id: str
    observation_id: int | None
    is_pending: bool
    is_same_request: bool = True
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class PendingStore:
    """A memory that is in the ledger, and of which nobody knows whether the table took it."""

    memory_id: str
    row: Mapping[str, Any]
