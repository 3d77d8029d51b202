"""What a captured record is called: the key that takes it once, and the memory that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from sunrise.domain.memory_tools import STORE, memory_operation
from sunrise.domain.text.cleaning import clean
from sunrise.domain.times import stated_time

MAX_KEY = 256

_OBSERVATION = ("observationId", "observation_id")
IDENTITIES = (*_OBSERVATION, "id", "event_id", "tool_call_id")
MEMORY_FIELDS = ("memory_id", "memoryId", "lancedb_id", "lancedbId", "mem_id")
"""Under any of these names a record, or what is nested in it, says of which memory it speaks."""

_NAMES_A_MEMORY = re.compile("|".join(f'"{name}"' for name in MEMORY_FIELDS))
_COUNTER = re.compile(r"(?:call[_-]?)?\d{1,9}")


def record_key(record: Mapping[str, Any], *, kind: str, session: str | None, content: str) -> str:
    """
    Return the key by which a record is taken once, whichever file it comes from.

    ``content`` stands in where there is no id: records that say the same thing are the same record.
    Ids that count up (``7``, ``call_0``) start again in each store or turn, so their time belongs to them.
    """
    for field in IDENTITIES:
        if field in record and (identity := _identity(record[field])):
            key = _id_key(field, identity, record, kind=kind, session=session)
            return key if len(key) <= MAX_KEY else hidden_key(key)
    return "content:" + _digest(content)


def hidden_key(key: str) -> str:
    """Return the key that stands in for one that is too long or holds a secret."""
    return f"id:{_digest(key)}"


def named_memory(
    own: Mapping[str, Any],
    detail: Mapping[str, Any],
    *,
    detail_text: str,
    tool: str | None,
) -> str | None:
    """
    Return the memory that a record names: explicitly, or as the result of storing it.

    An id that only stands in the prose is none: it may be any record's.

    ``own`` is the detail before top-level fields joined it: an ``id`` beside it names the record itself.
    """
    # Two looks for the endings spare nearly every row the search.
    may_name = '_id"' in detail_text or 'Id"' in detail_text
    if may_name and _NAMES_A_MEMORY.search(detail_text) and (found := _named_memory(detail, depth=0)):
        return found
    if memory_operation(tool) != STORE and detail.get("memory_tool") != "memory_store":
        return None
    message = detail.get("message")
    for holder in (detail, message if isinstance(message, dict) else {}):
        result = holder.get("details")
        if isinstance(result, dict) and (found := _memory_name(result.get("id"))):
            return found
    return _memory_name(own.get("id"))


def short_name(value: object, *, limit: int = 200) -> str | None:
    """Return a short text, or None: what is no text is no name."""
    return _short(value, limit) if isinstance(value, str) else None


def first_name(fields: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first of these fields that holds a name."""
    for name in names:
        if name in fields and (found := short_name(fields[name])):
            return found
    return None


def _id_key(field: str, identity: str, record: Mapping[str, Any], *, kind: str, session: str | None) -> str:
    if field in _OBSERVATION:
        return f"id:observation:{identity}"
    if field == "tool_call_id":
        key = f"id:call:{session or ''}:{kind}:{identity}"
        weak = session is None or _COUNTER.fullmatch(identity) is not None
    else:
        key, weak = f"id:{field}:{identity}", identity.isdigit()
    return clean(f"{key}@{stated_time(record)[1]}") if weak else key


# Scopes, tools, kinds and agents are few, and each row asks for all of them.
@lru_cache(maxsize=1 << 12)
def _short(text: str, limit: int) -> str | None:
    return clean(text).strip()[:limit] or None


def _identity(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return clean(str(value)).strip() or None


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _named_memory(value: object, *, depth: int) -> str | None:
    if depth > 8:
        return None
    if isinstance(value, dict):
        for name in MEMORY_FIELDS:
            if found := _memory_name(value.get(name)):
                return found
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list) and (found := _named_memory(item, depth=depth + 1)):
                return found
    return None


def _memory_name(value: object) -> str | None:
    name = short_name(value, limit=128)
    return name if name and len(name.split()) == 1 else None
