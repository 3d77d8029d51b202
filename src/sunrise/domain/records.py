"""The records that cross room borders one at a time, and the refs that name them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from enum import StrEnum

_REF = re.compile(r"(?P<kind>obs|mem|doc|ep):(?P<key>\S+)")


class RecordState(StrEnum):
    """
    Where a record stands in its life. ARCHIVED is the soft archive: hidden, whole, revivable.

    SUPERSEDED is a memory that a newer one replaces: seen, and told behind all others.
    """

    CAPTURED = "captured"
    ACTIVE = "active"
    STALE = "stale"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


def observation_ref(row_id: int) -> str:
    """
    Return the record ref of a ledger row.

    >>> observation_ref(12)
    'obs:12'
    """
    return f"obs:{row_id}"


def memory_ref(memory_id: str) -> str:
    """
    Return the record ref of a memory.

    >>> memory_ref("3f0c")
    'mem:3f0c'
    """
    return f"mem:{memory_id}"


def split_ref(ref: str) -> tuple[str, str]:
    """
    Return the kind and the key of a record ref.

    >>> split_ref("mem:3f0c")
    ('mem', '3f0c')

    Raises:
        ValueError: The text is not a record ref.
    """
    match = _REF.fullmatch(ref)
    if match is None:
        msg = f"not a record ref: {ref!r}"
        raise ValueError(msg)
    return match["kind"], match["key"]


@dataclass(frozen=True, slots=True)
class Change:
    """
    One field of one record, before and after: what the audit trail keeps and what undo reads.

    ``before`` and ``after`` are JSON texts (``null`` for an empty field), so that a number stays a number.
    """

    record_ref: str
    field: str
    before: str
    after: str
    reason: str


GOVERNANCE = "governance"
"""
The field under which several fields of a memory change as one: its images are JSON objects of them.
"""


def fields_changed(change: Change) -> tuple[Change, ...]:
    """
    Return a change field by field; what was empty before need not stand in its first image.

    >>> whole = Change("mem:a", "governance", "{}", '{"scope":"ops"}', "fill_empty")
    >>> [(one.field, one.before, one.after) for one in fields_changed(whole)]
    [('scope', 'null', '"ops"')]
    """
    if change.field != GOVERNANCE:
        return (change,)
    before, after = json.loads(change.before), json.loads(change.after)
    return tuple(
        replace(change, field=name, before=json.dumps(before.get(name)), after=json.dumps(after[name]))
        for name in sorted(after)
    )


@dataclass(frozen=True, slots=True)
class Rejected:
    """
    One row that a contract or a reader refused.

    ``position`` names the row within its source (a byte offset, a row id), so that refusing it again adds
    nothing. ``sample`` is already redacted and at most 500 characters.
    """

    source: str
    position: str
    reason: str
    sample: str
    line: int | None = None


class QuarantineState(StrEnum):
    """What became of a refused row. Nothing is ever removed: dropped means that nobody will retry it."""

    WAITING = "waiting"
    RESOLVED = "resolved"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A refused row as it stands in quarantine; ``at_ms`` is when it was refused."""

    id: int
    source: str
    position: str
    line: int | None
    reason: str
    sample: str
    at_ms: int
    state: QuarantineState


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserted:
    """How many rows of a batch were new to the ledger; ``sightings`` were collapsed onto kept rows."""

    observations: int
    episodes: int = 0
    sightings: int = 0


@dataclass(frozen=True, slots=True)
class EntryCount:
    """
    How many rows of one day and source had one outcome at the ledger's door, and why.

    ``outcome`` is admitted, redacted, collapsed, quarantined or refused; ``day`` is in the home's zone.
    """

    day: str
    outcome: str
    reason: str
    source: str
    rows: int


@dataclass(frozen=True, slots=True)
class HeldBack:
    """
    An observation that a rule of admission put into the archive as it entered.

    ``source`` is what positions call the source that it came from, None where that was not noted.
    """

    id: int
    source: str | None
    rule: str
    trust_tier: str | None

    def is_of(self, name: str) -> bool:
        """
        Return whether a name is that of its source: the whole path, a folder of it, or its last parts.

        >>> row = HeldBack(1, "/home/ann/agent/MEMORY.md", "held_back", "trusted")
        >>> [row.is_of(name) for name in ("MEMORY.md", "/home/ann/agent", "agent/MEMORY.md", "RY.md")]
        [True, True, True, False]
        """
        mine, asked = f"/{(self.source or '').strip('/')}/", f"/{name.strip('/')}/"
        # Of an older row only the end of the path is known.
        return self.source is not None and (asked in mine or asked.endswith(mine))


@dataclass(frozen=True, slots=True)
class RowTerms:
    """A row of the ledger with the texts that its terms are made of; none where all terms are ASCII."""

    id: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """
    How far a source was read: everything before ``offset`` bytes is in the ledger.

    ``device`` and ``inode`` name the file, ``fingerprint`` the bytes around: a file replaced under the same
    name, or truncated, is seen and read from the start again.
    """

    source: str
    device: int
    inode: int
    offset: int
    line: int
    fingerprint: str
