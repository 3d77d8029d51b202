"""
Times: the one reader of those that come from outside, and the one form in which people are shown them.

Other programs write the same moment in seconds, milliseconds, microseconds or nanoseconds, as a number or a
text, in ISO 8601 or as a mail header has it, and under many names. What can be read without a guess is read;
what cannot is refused with a code that names the field and what is wrong with its value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Any, Final

from sunrise.errors import DataError

TIME_FIELDS: Final = (
    "ts", "createdAt", "created_at", "timestamp", "createdAtMs", "created_at_ms", "created_at_iso",
    "created_at_epoch", "created_time", "createdTime", "create_time", "createTime", "created_ms", "created",
    "creation_time", "date_created", "dateCreated", "ts_ms", "timestamp_ms", "timestampMs", "Timestamp",
    "CreatedAt",
)  # fmt: skip
"""The names under which a record states its own time. The first one that holds anything counts."""

LIKELY_FIELDS: Final = ("datetime", "date", "time")
"""Names that often mean something else, such as a duration: read where the value is a time, else ignored."""

EARLIEST_MS: Final = 10**11
"""March 1973. Numbers of seconds and of milliseconds never meet, because times before it are refused."""

LATEST_MS: Final = 4_102_444_800_000
"""The year 2100: a record that says it is later has a slip in its time."""

BAD_TIME: Final = "bad_time"
"""Begins the reason of every record that is refused for its time."""

_LIKELY_EARLIEST_MS: Final = 946_684_800_000
_LONGEST_TEXT: Final = 64
_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_ISO: Final = re.compile(r"\d{4}(?:-\d\d-\d\d|\d{4}|-?W\d\d(?:-?\d)?)(?:[Tt ].+)?")
_ZONE_AT_END: Final = re.compile(r"(?<=\d)\s*(?:(Z|UTC|GMT)|([+-]\d{2}:?\d{2}))$", re.IGNORECASE)
_MAIL: Final = re.compile(
    r"(?:[A-Z][a-z]{2}, ?)?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})?"
    r"(?: (?:[+-]\d{4}|GMT|UTC?|Z|[ECMP][SD]T))?"
)


class TimeFault(StrEnum):
    """Why a value is no time."""

    NOT_A_TIME = "not_a_time"
    WRONG_TYPE = "wrong_type"
    BOOLEAN = "boolean"
    NOT_FINITE = "not_finite"
    NEGATIVE = "negative"
    TOO_EARLY = "too_early"
    TOO_LATE = "too_late"


def read_time(value: object, *, zone: tzinfo, earliest_ms: int = EARLIEST_MS) -> int:
    """
    Return a time as epoch milliseconds; one that names no zone is in *zone*, and a date is its midnight.

    >>> from datetime import UTC
    >>> read_time(1_752_960_000, zone=UTC) == read_time("2025-07-19 21:20 +00:00", zone=UTC)
    True
    >>> read_time("Sat, 19 Jul 2025 21:20:00 GMT", zone=UTC)
    1752960000000

    Raises:
        DataError: It is no time, or none of the years 1973 to 2099; the reason is a :class:`TimeFault`.
    """
    ms = _of_text(value.strip(), zone) if isinstance(value, str) else _of_number(value)
    if ms < earliest_ms:
        raise DataError("the time is too early", reason=TimeFault.TOO_EARLY)
    if ms >= LATEST_MS:
        raise DataError("the time is too late", reason=TimeFault.TOO_LATE)
    return ms


def time_of(record: Mapping[str, Any], *, zone: tzinfo) -> int | None:
    """
    Return the time that a record states of itself, None where it states none.

    >>> from datetime import UTC
    >>> time_of({"text": "tea", "created_at": 1_752_960_000}, zone=UTC)
    1752960000000

    Raises:
        DataError: What it states is no time; the reason names the field and the :class:`TimeFault`.
    """
    field, value = stated_time(record)
    if field is not None:
        try:
            return read_time(value, zone=zone)
        except DataError as error:
            raise DataError(f"{field} is no time", reason=f"{BAD_TIME}.{field}.{error.reason}") from error
    for likely in LIKELY_FIELDS:
        if likely in record:
            with suppress(DataError):
                return read_time(record[likely], zone=zone, earliest_ms=_LIKELY_EARLIEST_MS)
    return None


def known_time(record: Mapping[str, Any], *, zone: tzinfo) -> int | None:
    """Return the time that a record states of itself, None where it states none or a wrong one."""
    with suppress(DataError):
        return time_of(record, zone=zone)
    return None


def stated_time(record: Mapping[str, Any]) -> tuple[str | None, object]:
    """
    Return the field in which a record states its time, and the value as it stands there.

    >>> stated_time({"ts": "", "created_at": "yesterday"}), stated_time({"text": "tea"})
    (('created_at', 'yesterday'), (None, None))
    """
    for field in TIME_FIELDS:
        value = record.get(field)
        if value is not None and value != "":
            return field, value
    return None, None


def written_time(ms: float | None, *, zone: tzinfo) -> str:
    """
    Return a moment as people are shown it, with its offset; empty where there is none or no calendar has it.

    >>> from zoneinfo import ZoneInfo
    >>> written_time(0, zone=ZoneInfo("Asia/Taipei")), written_time(None, zone=ZoneInfo("UTC"))
    ('1970-01-01 08:00 +08:00', '')
    """
    if ms is None:
        return ""
    try:
        text = datetime.fromtimestamp(ms / 1000, zone).isoformat(" ", "minutes")
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{text[:16]} {text[16:]}"


def _of_number(value: object) -> int:
    if isinstance(value, bool):
        raise DataError("the time is true or false", reason=TimeFault.BOOLEAN)
    if not isinstance(value, int | float):
        raise DataError("the time is neither a number nor a text", reason=TimeFault.WRONG_TYPE)
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError("the time is not finite", reason=TimeFault.NOT_FINITE)
    if value < 0:
        raise DataError("the time is negative", reason=TimeFault.NEGATIVE)
    # Each unit ends where the next one begins, in the year 5138 of the one and in 1973 of the other.
    if value < 1e11:
        return round(value * 1000)
    if value < 1e14:
        return round(value)
    if value < 1e17:
        return round(value / 1_000)
    if value < 1e20:
        return round(value / 1_000_000)
    raise DataError("the time is too late", reason=TimeFault.TOO_LATE)


def _of_text(text: str, zone: tzinfo) -> int:
    if len(text) > _LONGEST_TEXT:
        raise DataError("the time is a long text", reason=TimeFault.NOT_A_TIME)
    is_date = len(text) == 8 and text.isdecimal()
    if not is_date and _NUMBER.fullmatch(text):
        return _of_number(float(text))
    try:
        moment = _mail_time(text) if _MAIL.fullmatch(text) else _iso_time(text)
        return round((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise DataError("the time is no time", reason=TimeFault.NOT_A_TIME) from error


def _iso_time(text: str) -> datetime:
    # The standard library takes any character for the one between date and time, a digit too.
    if not _ISO.fullmatch(text):
        raise ValueError("not ISO 8601")
    zone = _ZONE_AT_END.search(text)
    # It reads a zone only where nothing stands before it, and UTC only as a capital Z.
    plain = text if zone is None else text[: zone.start()] + (zone[2] or "Z")
    return datetime.fromisoformat(plain)


def _mail_time(text: str) -> datetime:
    # Loaded where a mail's time is read and nowhere else: every command would pay for it.
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    return parsedate_to_datetime(text)
