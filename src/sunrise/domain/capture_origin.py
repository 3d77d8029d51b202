"""Where a captured record comes from, and the trust that this gives it: no text of it can raise either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunrise.domain.trust import CEILINGS, least, tier_at_entry

_TRUST = ("trust", "trust_tier", "trustTier")
_TRUST_FIELDS = frozenset((*_TRUST, "provenance"))
_TIERS = {
    "trusted": "trusted",
    "untrusted": "untrusted",
    "quarantined": "quarantined",
    "quarantine": "quarantined",
}


def origin_of(record: Mapping[str, Any], detail: Mapping[str, Any], *, kind: str, tool: str | None) -> str:
    """
    Return the ``source_kind`` of a record.

    What wrote the line answers for it. A tool's record stays a tool's, and a detail, in which anything that
    a tool returned may stand, cannot make a record come from somebody who is trusted more.

    >>> origin_of({"source_kind": "operator"}, {}, kind="note", tool=None)
    'operator'
    >>> origin_of({"source_kind": "operator"}, {}, kind="tool", tool="web.fetch")
    'tool'
    >>> origin_of({}, {"source_kind": "operator"}, kind="note", tool=None)
    'import'
    """
    born = "tool" if tool or kind == "tool" else "import"
    said = _known(record.get("source_kind"))
    if said and (born != "tool" or _is_no_raise(said, born)):
        return said
    said = _known(detail.get("source_kind"))
    return said if said and _is_no_raise(said, born) else born


def trust_of(source_kind: str, detail: Mapping[str, Any]) -> str | None:
    """
    Return the trust tier of a record: what its origin gives, or less where the record says so.

    >>> trust_of("operator", {"trust": "untrusted"}), trust_of("import", {"trust": "trusted"})
    ('untrusted', None)
    """
    if _TRUST_FIELDS.isdisjoint(detail):
        # Nearly every record: what the table says is all there is to say.
        return CEILINGS[source_kind]
    return tier_at_entry(source_kind, claimed=_claimed(detail))


def _known(said: object) -> str | None:
    return said if isinstance(said, str) and said in CEILINGS else None


def _is_no_raise(said: str, born: str) -> bool:
    ceiling = CEILINGS[said]
    return least(ceiling, CEILINGS[born]) == ceiling


def _claimed(detail: Mapping[str, Any]) -> str | None:
    provenance = detail.get("provenance")
    for fields in (detail, provenance):
        if not isinstance(fields, dict):
            continue
        for name in _TRUST:
            value = fields.get(name)
            if isinstance(value, str) and (tier := _TIERS.get(value.strip().lower())):
                return tier
    return None
