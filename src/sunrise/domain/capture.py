"""The rules that turn one captured JSON object into one row for the ledger."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Any, NamedTuple

from sunrise.domain.capture_identity import first_name, hidden_key, named_memory, record_key, short_name
from sunrise.domain.capture_origin import LOCAL, ClaimLimits, origin_of, trust_of
from sunrise.domain.importance import ImportanceLabel, parse_importance
from sunrise.domain.scope_policy import kept_scope
from sunrise.domain.secret_fields import may_hold_secrets, with_like_marks, without_secrets
from sunrise.domain.secrets import redact
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.cleaning import clean
from sunrise.domain.text.script import detect_lang
from sunrise.domain.times import stated_time, time_of
from sunrise.errors import DataError

MAX_TEXT = 200_000
"""A summary is clipped at this many characters; ``detail._clipped`` keeps its length."""

MAX_DETAIL_BYTES = 256 * 1024
"""A longer detail gives way to a note of its size."""

MAX_DEPTH = 200
"""How deep a record may nest: no honest capture comes near, and JSON writers give up soon after."""

Dumps = Callable[[object], str]
"""Writes canonical JSON: keys sorted, no spaces, no ASCII escapes."""


class RejectReason(StrEnum):
    """Why a line of a capture is refused."""

    MALFORMED_JSON = "malformed_json"
    NOT_AN_OBJECT = "not_an_object"
    INVALID_UTF8 = "invalid_utf8"
    MISSING_TEXT = "missing_text"
    LINE_TOO_LONG = "line_too_long"
    NESTING_TOO_DEEP = "nesting_too_deep"
    WRONG_TYPE = "wrong_type"
    NO_VALID_STAMP = "no_valid_stamp"
    BAD_SCOPE = "bad_scope"


class CaptureRow(NamedTuple):
    """One observation as it enters the ledger. A tuple: a capture holds millions."""

    key: str
    ts_ms: int
    kind: str
    tool_name: str | None
    summary: str
    summary_en: str | None
    lang: str
    scope: str | None
    session_key: str | None
    agent_id: str | None
    trust_tier: str | None
    source_kind: str
    source_ref: str | None
    importance_score: float | None
    importance_label: str | None
    memory_id: str | None
    detail_json: str
    ts_flag: str | None
    terms: str
    created_at_ms: int


def capture_row(
    record: Mapping[str, Any],
    *,
    dumps: Dumps,
    fallback_ms: int,
    now_ms: int,
    zone: tzinfo = UTC,
    harmless: bool = False,
    limits: ClaimLimits = LOCAL,
) -> tuple[CaptureRow, bool]:
    """
    Return the row of one captured object, and whether a secret was taken out of it.

    What it claims is believed within *limits*. ``fallback_ms`` stands in for a missing time; ``ts_flag`` then
    says so. A time without a zone is in *zone*. ``harmless`` is whether the line that the object comes from
    passed :func:`sunrise.domain.secrets.gate_pattern`: then nothing is looked for.

    Raises:
        DataError: There is no text or it is none, it nests too deep, or its time or its scope is none.
    """
    own = own_detail(record)
    detail = _whole_detail(own, record)
    raw_summary, raw_english = _texts(record, detail)
    ts_ms, (named_kind, kind) = time_of(record, zone=zone), _kinds(record)
    tool = short_name(record.get("tool_name") or record.get("tool"))
    session = first_name(record, _SESSION) or first_name(detail, _SESSION)
    detail_text = dumps(detail)
    memory_id = named_memory(own, detail, detail_text=detail_text, tool=tool)
    safe = _safe(raw_summary, raw_english, detail, detail_text, dumps, harmless=harmless)
    # A key must not be a hash of a secret, and must be the same once the secret is gone from the source.
    told = (safe.summary, safe.detail_text) if safe.redacted else (raw_summary, detail_text)
    content = (kind, str(stated_time(record)[1]), tool or "", told[0], session or "", told[1])
    origin = origin_of(record, detail, kind=kind, tool=tool, limits=limits)
    score, label = _grade(detail.get("importance"), limits)
    row = CaptureRow(
        key=record_key(record, kind=kind, session=session, content=with_like_marks("\x1f".join(content))),
        ts_ms=fallback_ms if ts_ms is None else ts_ms,
        kind=kind,
        tool_name=tool,
        summary=safe.summary,
        summary_en=safe.summary_en,
        lang=_lang(record.get("lang")) or detect_lang(safe.summary),
        scope=limits.scope or _scope(record, detail, limits),
        session_key=session,
        agent_id=first_name(record, _AGENT) or first_name(detail, _AGENT),
        # What an observation says of its memory is written back to it: the trust of an answer must not be.
        trust_tier=trust_of("agent" if memory_id and origin == "tool" else origin, detail),
        source_kind=origin,
        source_ref=_source_ref(record, detail),
        importance_score=score,
        importance_label=label,
        memory_id=memory_id,
        detail_json=_bounded(safe.detail_text, dumps),
        ts_flag="missing" if ts_ms is None else None,
        terms=terms(" ".join(filter(None, (safe.summary, safe.summary_en, tool)))),
        created_at_ms=now_ms,
    )
    # In lower case a kind may look like what it did not look like in the line.
    whole = row if harmless and kind == (named_kind or kind) else _with_safe_names(row)
    return whole, safe.redacted or whole is not row


def map_strings(value: object, change: Callable[[str], str], *, depth: int = 0) -> Any:
    """
    Return a JSON value with every text in it changed, the names of fields too.

    >>> map_strings({"a": ["b", 1, None]}, str.upper)
    {'A': ['B', 1, None]}

    Raises:
        DataError: It nests deeper than :data:`MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise DataError("nests too deep", reason=RejectReason.NESTING_TOO_DEEP)
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            map_strings(name, change): map_strings(item, change, depth=depth + 1)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [map_strings(item, change, depth=depth + 1) for item in value]
    return value


COLUMNS = frozenset({
    "ts", "kind", "summary", "summary_en", "lang", "tool_name", "tool", "detail", "detail_json", "scope",
    "session_key", "sessionKey", "agent_id", "agent", "agentId", "source_kind", "source_ref",
})  # fmt: skip
"""Fields that have a column of their own; all others are kept in detail."""

_NAMES = ("key", "kind", "tool_name", "scope", "session_key", "agent_id", "source_ref", "memory_id")
_SESSION = ("session_key", "sessionKey")
_AGENT = ("agent_id", "agent", "agentId")
_LANG = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")


def _kinds(record: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return the kind as the record names it, and the one that the row gets."""
    named = short_name(record.get("kind"), limit=64)
    # Some letters become two when they are lowered.
    return named, named.lower()[:64] if named else "note"


def _scope(record: Mapping[str, Any], detail: Mapping[str, Any], limits: ClaimLimits) -> str | None:
    named = short_name(record.get("scope")) or short_name(detail.get("scope"))
    return kept_scope(named, limits.scopes) if named else None


def _source_ref(record: Mapping[str, Any], detail: Mapping[str, Any]) -> str | None:
    return short_name(record.get("source_ref") or detail.get("source_ref") or detail.get("tool_call_id"))


def own_detail(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the detail of a record before its other fields join it, as an object or as JSON."""
    value = record.get("detail")
    if value is None:
        value = record.get("detail_json")
    if isinstance(value, str):
        value = _parsed(value)
    if value is None or value == "":
        return {}
    return value if isinstance(value, dict) else {"_raw_detail": value}


def _whole_detail(own: dict[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the detail joined by the fields that have no column of their own."""
    if COLUMNS.issuperset(record):
        return own.copy()
    return {**own, **{name: value for name, value in record.items() if name not in COLUMNS}}


def _parsed(text: str) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _texts(record: Mapping[str, Any], detail: dict[str, Any]) -> tuple[str, str | None]:
    """Return the summary and its English form, noting in ``detail`` what had to be clipped."""
    summary = _text(record, "summary")
    if summary is None:
        summary = _text(record, "text")
        if summary is not None:
            del detail["text"]
    english = _text(record, "summary_en")
    if english is None:
        english = _text(record, "text_en")
        if english is not None:
            del detail["text_en"]
    if summary is None:
        summary = english
    if summary is None:
        raise DataError("no text", reason=RejectReason.MISSING_TEXT)
    if len(summary) > MAX_TEXT:
        detail["_clipped"] = len(summary)
    if english is not None and len(english) > MAX_TEXT:
        detail["_clipped_en"] = len(english)
    return summary, english


def _text(record: Mapping[str, Any], field: str) -> str | None:
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise DataError(f"{field} is not a text", reason=RejectReason.WRONG_TYPE)
    return value if value and not value.isspace() else None


def _with_safe_names(row: CaptureRow) -> CaptureRow:
    """Take secrets out of names: a link may hold a token, and a key may be taken for an id."""
    names = {name: value for name in _NAMES if (value := getattr(row, name))}
    if not redact("\n".join(names.values())).kinds:
        return row
    safe: dict[str, Any] = {name: redact(value).text for name, value in names.items()}
    if safe["key"] != row.key:
        safe["key"] = hidden_key(row.key)
    if row.tool_name:
        safe["terms"] = terms(" ".join(filter(None, (row.summary, row.summary_en, safe["tool_name"]))))
    return row._replace(**safe)


class _SafeTexts(NamedTuple):
    """The texts of a record cleaned and without secrets, and whether there was one."""

    summary: str
    summary_en: str | None
    detail_text: str
    redacted: bool


def _safe(
    summary: str,
    english: str | None,
    detail: dict[str, Any],
    detail_text: str,
    dumps: Dumps,
    *,
    harmless: bool,
) -> _SafeTexts:
    summary = clean(summary[:MAX_TEXT])
    english = None if english is None else clean(english[:MAX_TEXT])
    if "\\u00" in detail_text:
        detail = map_strings(detail, clean)
        detail_text = dumps(detail)
    if harmless or not may_hold_secrets(summary, english or "", detail_text=detail_text):
        return _SafeTexts(summary, english, detail_text, redacted=False)
    safe = _SafeTexts(
        redact(summary).text,
        None if english is None else redact(english).text,
        dumps(without_secrets(detail)),
        redacted=True,
    )
    return safe._replace(redacted=safe[:3] != (summary, english, detail_text))


def _bounded(detail_text: str, dumps: Dumps) -> str:
    size = len(detail_text.encode()) if len(detail_text) * 4 > MAX_DETAIL_BYTES else 0
    return dumps({"_truncated": True, "original_bytes": size}) if size > MAX_DETAIL_BYTES else detail_text


def _lang(value: object) -> str | None:
    name = short_name(value, limit=35)
    return name.lower() if name and _LANG.fullmatch(name) else None


def _grade(value: object, limits: ClaimLimits) -> tuple[float | None, str | None]:
    importance = None if value is None else parse_importance(value)
    # "unknown" is no grade: left empty, the grading run fills it.
    if importance is None or importance.label is ImportanceLabel.UNKNOWN:
        return None, None
    # Only the owner puts a row before all others; of anybody else that is no grade either.
    if importance.label is ImportanceLabel.MUST_REMEMBER and not limits.may_state_importance:
        return None, None
    return importance.score, str(importance.label)
