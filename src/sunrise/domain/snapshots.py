"""What a snapshot is called, why it was taken, how long it stays, and what may be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol, TypeVar

from sunrise.domain.retention import DAY_MS
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clip
from sunrise.errors import DataError

OWN_PREFIX = "sunrise-"
"""What the names of snapshots that flows take begin with; nobody else may give such a name."""

MAX_NOTE = 200
"""Characters of a note."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_WHITE_OR_UNSEEN = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class SnapshotReason(StrEnum):
    """Why a snapshot was taken: the code in its manifest."""

    DAILY = "daily"
    MANUAL = "manual"
    BEFORE_LIFECYCLE = "before-lifecycle"
    BEFORE_REGRADE = "before-regrade"
    BEFORE_FORCED_WRITEBACK = "before-forced-writeback"
    BEFORE_EMBED = "before-embed"
    BEFORE_ROLLOUT = "before-rollout"
    BEFORE_RESTORE = "before-restore"


class SnapshotFault(StrEnum):
    """Why a snapshot is refused: the reason code of the run that would have used it."""

    BAD_NAME = "bad_snapshot_name"
    EXISTS = "snapshot_exists"
    NAME_TAKEN = "snapshot_name_taken"
    UNKNOWN = "no_such_snapshot"
    MANIFEST_ALTERED = "manifest_altered"
    LEDGER_MISSING = "ledger_copy_missing"
    LEDGER_ALTERED = "ledger_copy_altered"
    LEDGER_DAMAGED = "ledger_copy_damaged"
    LEDGER_TOO_NEW = "ledger_copy_of_later_version"
    TABLE_MISSING = "no_memories_table"
    TAG_MISSING = "tag_missing"
    TAG_MOVED = "tag_moved"
    SCHEMA_DIFFERS = "tagged_schema_differs"
    ROWS_DIFFER = "tagged_rows_differ"
    RESTORE_UNFINISHED = "restore_unfinished"
    NOT_RESTORED = "not_restored"


def refused(fault: SnapshotFault, message: str) -> DataError:
    """
    Return the error of a fault, to be raised.

    >>> refused(SnapshotFault.TAG_MISSING, "the tag is gone").reason
    'tag_missing'
    """
    return DataError(message, reason=fault.value)


def checked_name(name: str) -> str:
    """
    Return a name that an operator gave, if it can be one.

    >>> checked_name("before-the-move.2")
    'before-the-move.2'

    Raises:
        DataError: It cannot; reason ``bad_snapshot_name``.
    """
    if _NAME.fullmatch(name) is None or ".." in name or name.endswith((".", ".lock")):
        rule = "1 to 64 of A-Z, a-z, 0-9, dot, dash and underscore, a letter or digit first, no dot last"
        msg = f"not a name of a snapshot: {clip(name, 80)!r}; it takes {rule}"
        raise refused(SnapshotFault.BAD_NAME, msg)
    return name


def new_name(name: str) -> str:
    """
    Return a name that an operator gave a new snapshot, if it is not one that flows give.

    Raises:
        DataError: It is, or cannot be a name at all; reason ``bad_snapshot_name``.
    """
    if checked_name(name).startswith(OWN_PREFIX):
        msg = f"names that begin with {OWN_PREFIX!r} belong to the snapshots that flows take: {name!r}"
        raise refused(SnapshotFault.BAD_NAME, msg)
    return name


def name_at(now_ms: int, reason: str) -> str:
    """
    Return the name of a snapshot that was given none.

    >>> name_at(0, SnapshotReason.DAILY), name_at(0, SnapshotReason.MANUAL)
    ('sunrise-19700101T000000-000', 'manual-19700101T000000-000')
    """
    moment = datetime.fromtimestamp(now_ms // 1000, tz=UTC)
    prefix = "manual-" if reason == SnapshotReason.MANUAL else OWN_PREFIX
    return f"{prefix}{moment:%Y%m%dT%H%M%S}-{now_ms % 1000:03d}"


def note_of(text: str) -> str:
    r"""
    Return a note as it is kept: on one line, without secrets, and not long.

    >>> note_of("before\nthe move, password: hunter2")
    'before the move, password: [redacted:password]'
    """
    return clip(redact(_WHITE_OR_UNSEEN.sub(" ", text).strip()).text, MAX_NOTE)


class Taken(Protocol):
    """What retention asks of a snapshot."""

    @property
    def reason(self) -> str:
        """Why it was taken."""
        ...

    @property
    def created_ms(self) -> int:
        """When it was taken."""
        ...


AnyTaken = TypeVar("AnyTaken", bound=Taken)


@dataclass(frozen=True, slots=True)
class SnapshotRetention:
    """How long snapshots stay: of those that flows took, the newest and the young; others by their age."""

    keep: int
    keep_days: float
    keep_manual_days: float


def expired(newest_first: Iterable[AnyTaken], retention: SnapshotRetention, *, now_ms: int) -> list[AnyTaken]:
    """Return the snapshots that nothing keeps any longer. One taken by hand takes no other's place."""
    gone, place = [], 0
    for one in newest_first:
        age = now_ms - one.created_ms
        if one.reason == SnapshotReason.MANUAL:
            is_kept = age <= retention.keep_manual_days * DAY_MS
        else:
            is_kept = place < retention.keep or age <= retention.keep_days * DAY_MS
            place += 1
        if not is_kept:
            gone.append(one)
    return gone
