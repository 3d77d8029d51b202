"""Events that came by HTTP: what of a body is kept, and the stamp that says who sent it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sunrise.domain.capture import COLUMNS, RejectReason
from sunrise.domain.capture_identity import IDENTITIES, MEMORY_FIELDS
from sunrise.domain.capture_origin import HIGHEST_ORIGINS, TRUST_FIELDS, ClaimLimits
from sunrise.domain.times import LIKELY_FIELDS, TIME_FIELDS
from sunrise.errors import DataError

EVENT_FIELDS: Final = frozenset({
    *COLUMNS, *IDENTITIES, *MEMORY_FIELDS, *TRUST_FIELDS, *TIME_FIELDS, *LIKELY_FIELDS,
    "text", "text_en", "importance", "category",
})  # fmt: skip
"""What a captured record may hold at its top level; whatever else a client has to say belongs into detail."""

_ENVELOPE: Final = frozenset({"stamp", "event"})


def known_fields(event: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """
    Return the fields of an event that are known, and how many were not.

    >>> known_fields({"text": "tea", "stamp": {}, "kind": "note"})
    ({'text': 'tea', 'kind': 'note'}, 1)
    """
    kept = {name: value for name, value in event.items() if name in EVENT_FIELDS}
    return kept, len(event) - len(kept)


def stamp_of(*, caller: str, scope: str, highest_origin: str, at_ms: int) -> dict[str, Any]:
    """Return the stamp of an event that came by a token at a time, in a scope that is settled."""
    return {"caller": caller, "scope": scope, "highest_origin": highest_origin, "received_at_ms": at_ms}


def opened(line: Mapping[str, Any]) -> tuple[dict[str, Any], ClaimLimits]:
    """
    Return the event of a stamped line, and how much of what it claims is believed.

    The event is nested in its line, so that nothing in it can set the stamp.

    >>> stamp = stamp_of(caller="gateway", scope="ops", highest_origin="agent", at_ms=1)
    >>> opened({"stamp": stamp, "event": {"text": "tea"}})[1].scope
    'ops'

    Raises:
        DataError: The line has no valid stamp; reason ``no_valid_stamp``.
    """
    stamp, event = line.get("stamp"), line.get("event")
    if line.keys() != _ENVELOPE or not isinstance(stamp, dict) or not isinstance(event, dict):
        raise DataError("the line has no stamp", reason=RejectReason.NO_VALID_STAMP)
    caller, scope, highest = (stamp.get(name) for name in ("caller", "scope", "highest_origin"))
    at_ms = stamp.get("received_at_ms")
    is_named = isinstance(caller, str) and isinstance(scope, str) and bool(caller and scope.strip())
    if not is_named or highest not in HIGHEST_ORIGINS or type(at_ms) is not int or at_ms < 0:
        raise DataError("the stamp of the line is not valid", reason=RejectReason.NO_VALID_STAMP)
    return event, ClaimLimits(highest, by_token=True, scope=scope)
