"""
One memory as a line of a file: the one form that an export writes and an import reads.

Both go through :func:`normal_row`, so that what was exported comes back as it was. What the table alone knows
(analysed terms, the time of the last change) is in no file.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.capture import RejectReason
from sunrise.domain.importance import (
    IMPORTANCE_VALUES,
    UNKNOWN_IMPORTANCE,
    normalize_label,
    parse_importance,
    stated_importance,
)
from sunrise.domain.memory_filter import END_OF_TIME
from sunrise.domain.ranking import PLUGIN_SEED_ID
from sunrise.domain.record_requests import LONGEST_ID
from sunrise.domain.records import RecordState
from sunrise.domain.scope_policy import UNCHECKED, ScopePolicy, kept_scope
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean
from sunrise.domain.times import time_of
from sunrise.domain.trust import QUARANTINED, TRUSTED, UNTRUSTED
from sunrise.errors import DataError

FIELDS: Final = (
    "id", "text", "createdAt", "category", "importance", "importance_label", "scope", "trust_tier",
    "source_kind", "source_ref", "lang", "state", "archived_at_ms", "expires_at_ms", "review_at_ms",
    "agentId",
)  # fmt: skip
"""What a line holds, in this order; with vectors ``embedding_model`` and ``vector`` come after it."""

LONGEST_TEXT: Final = 1_000_000
LONGEST_REF: Final = 1000
LONGEST_FIELD: Final = 200

_SHORT_TEXTS: Final = ("category", "scope", "source_kind", "source_ref", "lang", "agentId")
_MOMENTS: Final = ("archived_at_ms", "expires_at_ms", "review_at_ms")
_TIERS: Final = frozenset((TRUSTED, UNTRUSTED, QUARANTINED))
_STATES: Final = frozenset(map(str, RecordState))
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_NO_ID: Final = re.compile(r"[\s\x00-\x1f\x7f]")
_MADE_BY_US: Final = uuid.UUID("5f0f2f0e-3a52-5d1c-9a55-6a6d0c5b8f10")
_SAMPLED_BYTES: Final = 16_000
_SAMPLED_CHARS: Final = 4000
_SAMPLE_CHARS: Final = 500


class LineFault(StrEnum):
    """Why a line of memories was refused, beside the reasons that every reader of JSON lines has."""

    AMBIGUOUS_IMPORTANCE = "ambiguous_importance"
    BAD_ID = "bad_id"
    FIELD_TOO_LONG = "field_too_long"
    LONE_SURROGATE = "lone_surrogate"
    NUL = "nul"
    TEXT_TOO_LONG = "text_too_long"
    TORN_LINE = "torn_line"


def normal_row(record: Mapping[str, Any], *, zone: tzinfo = UTC) -> dict[str, Any]:
    """
    Return a memory with exactly :data:`FIELDS`, each of its type or None; doing it again changes nothing.

    Importance may have any shape that :func:`parse_importance` reads; without a label of its own it gets that
    of its score. The time may have any form and name that :func:`sunrise.domain.times.time_of` reads; one
    without a zone is in *zone*. A row without an id gets one that the same text, scope and time always get.
    A tier or state that does not exist counts as none.

    >>> row = normal_row({"id": "a", "text": "tea", "importance": 86, "state": "asleep"})
    >>> row["importance"], row["importance_label"], row["state"]
    (0.86, 'must_remember', None)

    Raises:
        DataError: The row cannot be kept; the reason is a :class:`LineFault` or a :class:`RejectReason`, or
            says what is wrong with its time.
    """
    text = _text(record)
    row: dict[str, Any] = dict.fromkeys(FIELDS)
    row["text"] = text
    for name in _SHORT_TEXTS:
        row[name] = _short(record, name)
    row["createdAt"] = time_of(record, zone=zone)
    row["importance"], row["importance_label"] = _importance(record)
    row["trust_tier"] = _one_of(record, "trust_tier", _TIERS)
    row["state"] = _one_of(record, "state", _STATES)
    for name in _MOMENTS:
        row[name] = _whole(record.get(name), name)
    row["id"] = _id(record, row)
    return row


def imported_row(
    record: Mapping[str, Any], *, zone: tzinfo = UTC, scopes: ScopePolicy = UNCHECKED
) -> dict[str, Any]:
    """
    Return a record of a file as :func:`normal_row` does, unless its importance may mean two things.

    Its scope is put in order, or refused, as *scopes* say.

    Raises:
        DataError: As there, or the importance is a bare number beyond 1, or the scope is no valid name.
    """
    value = record.get("importance")
    if parse_importance(value) is not None and stated_importance(value) is None:
        raise DataError(f"importance is {IMPORTANCE_VALUES}", reason=LineFault.AMBIGUOUS_IMPORTANCE)
    row = normal_row(record, zone=zone)
    row["scope"] = None if row["scope"] is None else kept_scope(row["scope"], scopes)
    return row


def new_id(*parts: str) -> str:
    """
    Return an id that the same parts always get, and no others.

    >>> new_id("a", "b") == new_id("a", "b") != new_id("ab")
    True
    """
    return str(uuid.uuid5(_MADE_BY_US, "\x00".join(parts)))


def sample_of(raw: bytes) -> str:
    """
    Return what quarantine shows of a line: its beginning, without secrets.

    >>> sample_of(b'{"text": "password: hunter2"')
    '{"text": "password: [redacted:password]"'
    """
    text = raw[:_SAMPLED_BYTES].decode("utf-8", "replace")[:_SAMPLED_CHARS]
    return redact(clean(text)).text[:_SAMPLE_CHARS]


def _text(record: Mapping[str, Any]) -> str:
    text = record.get("text")
    if text is None or text == "":
        raise DataError("there is no text", reason=RejectReason.MISSING_TEXT)
    if not isinstance(text, str):
        raise DataError("the text is none", reason=RejectReason.WRONG_TYPE)
    if len(text) > LONGEST_TEXT:
        raise DataError("the text is too long", reason=LineFault.TEXT_TOO_LONG)
    _check_storable(text)
    if not text.strip():
        raise DataError("there is no text", reason=RejectReason.MISSING_TEXT)
    return text


def _short(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise DataError(f"{name} is no text", reason=RejectReason.WRONG_TYPE)
    if len(value) > (LONGEST_REF if name == "source_ref" else LONGEST_FIELD):
        raise DataError(f"{name} is too long", reason=LineFault.FIELD_TOO_LONG)
    _check_storable(value)
    return value


def _check_storable(text: str) -> None:
    if text.isprintable():
        return
    if "\x00" in text:
        raise DataError("a text holds NUL", reason=LineFault.NUL)
    if not text.isascii() and _SURROGATE.search(text):
        raise DataError("a text holds half a surrogate pair", reason=LineFault.LONE_SURROGATE)


def _number(value: object, name: str) -> float | int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise DataError(f"{name} is no number", reason=RejectReason.WRONG_TYPE)
    return value


def _whole(value: object, name: str) -> int | None:
    number = _number(value, name)
    return int(number) if number is not None and 0 <= number < END_OF_TIME else None


def _importance(record: Mapping[str, Any]) -> tuple[float | None, str | None]:
    value = record.get("importance")
    if isinstance(value, bool) or not isinstance(value, float | int | str | Mapping | None):
        raise DataError("importance is no number", reason=RejectReason.WRONG_TYPE)
    said = parse_importance(value) or UNKNOWN_IMPORTANCE
    if "importance_label" not in record:
        return said.score, None if value is None else str(said.label)
    label = record["importance_label"]
    if label is not None and not isinstance(label, str):
        raise DataError("importance_label is no text", reason=RejectReason.WRONG_TYPE)
    known = normalize_label(label)
    return said.score, None if known is None else str(known)


def _one_of(record: Mapping[str, Any], name: str, known: frozenset[str]) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise DataError(f"{name} is no text", reason=RejectReason.WRONG_TYPE)
    return value if value in known else None


def _id(record: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    value = record.get("id")
    if value is None or value == "":
        return new_id(row["scope"] or "", str(row["createdAt"]), row["text"])
    if not isinstance(value, str):
        raise DataError("the id is no text", reason=RejectReason.WRONG_TYPE)
    if len(value) > LONGEST_ID or _NO_ID.search(value) or value == PLUGIN_SEED_ID:
        raise DataError("the id cannot be one", reason=LineFault.BAD_ID)
    _check_storable(value)
    return value
