"""How far a record can be trusted: its origin sets a ceiling, and all else can only lower it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sunrise.errors import DataError

TRUSTED = "trusted"
UNTRUSTED = "untrusted"
QUARANTINED = "quarantined"

TIERS = (QUARANTINED, UNTRUSTED, None, TRUSTED)
"""From the least; None is unknown."""

UNKNOWN_NAME = "unknown"
"""What people call the tier of a record that has none."""

RELEASED = "released"
"""The reason in the audit trail of a record that an operator took out of quarantine."""

SET_BY_OPERATOR = "set: "
"""How the reason begins of a tier that an operator chose; his own words follow."""


class Origin(StrEnum):
    """Who the words of a record come from: the values of ``source_kind``."""

    OWNER = "operator"
    AGENT = "agent"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"
    SYSTEM = "system"


CEILINGS: Mapping[str, str | None] = MappingProxyType({
    str(Origin.OWNER): TRUSTED,
    str(Origin.AGENT): None,
    str(Origin.SYSTEM): None,
    str(Origin.IMPORT): None,
    str(Origin.TOOL): UNTRUSTED,
    str(Origin.WEB): UNTRUSTED,
})  # fmt: skip
"""The most that an origin gives. The agent's own words come from what it read, and that may be anything."""


@dataclass(frozen=True, slots=True)
class TrustStanding:
    """
    How far one record is trusted now, why, and whose words it is.

    ``origin`` is None for a memory of which nobody wrote it down. An observation has the id of the memory
    that it names.
    """

    ref: str
    tier: str | None
    reason: str | None
    origin: str | None
    at_ms: int | None
    text: str
    memory_id: str | None = None


def least(*tiers: str | None) -> str | None:
    """
    Return the tier that is trusted least; None is unknown, above untrusted and below trusted.

    Of nothing, nothing is known. A tier that does not exist counts as unknown.

    >>> least("trusted", None), least(None, "untrusted"), least("untrusted", "quarantined", "trusted")
    (None, 'untrusted', 'quarantined')
    """
    lowest = min(map(_rank, tiers), default=_UNKNOWN)
    return TIERS[lowest]


def known_tier(said: str | None) -> str | None:
    """
    Return the tier that a column says; what is none counts as unknown.

    >>> known_tier("untrusted"), known_tier("trusted by the owner") is None
    ('untrusted', True)
    """
    return said if said in TIERS else None


def may_be_must(tier: str | None, origin: str | None) -> bool:
    """
    Return whether a record may lead others because it says so: as what must be remembered, or as a rule.

    The owner's may, and those that an operator trusts. Those of an origin that gives less may not, whatever
    label they came with. Of an unknown origin are the memories of older tables: they may.

    >>> may_be_must("trusted", "agent"), may_be_must(None, "agent"), may_be_must(None, None)
    (True, False, True)
    >>> may_be_must("untrusted", None)
    False
    """
    return tier == TRUSTED or (tier not in (UNTRUSTED, QUARANTINED) and not origin)


def ceiling(source_kind: str) -> str | None:
    """
    Return the most that an origin gives; unknown for an origin that nobody has heard of.

    >>> ceiling("operator"), ceiling("agent"), ceiling("web"), ceiling("god")
    ('trusted', None, 'untrusted', None)
    """
    return CEILINGS.get(source_kind)


def tier_at_entry(source_kind: str, *, claimed: str | None, parents: Sequence[str | None] = ()) -> str | None:
    """
    Return the tier with which a record enters.

    ``claimed`` is what the record says of itself, None when it says nothing: it can lower, never raise. What
    was made from other records is trusted no more than the least of them; a parent of None is one of which
    nothing is known.

    >>> tier_at_entry("web", claimed="trusted"), tier_at_entry("operator", claimed="untrusted")
    ('untrusted', 'untrusted')
    >>> tier_at_entry("operator", claimed=None, parents=[None, "trusted"]) is None
    True
    """
    own = ceiling(source_kind)
    if claimed is None and not parents:
        return own
    return least(own, *parents) if claimed is None else least(own, claimed, *parents)


def tier_after_release(
    source_kind: str | None, *, inherited: str | None = TRUSTED, before: str | None = TRUSTED
) -> str | None:
    """
    Return the tier of a record that an operator takes out of quarantine: what its origin gives, never more.

    ``inherited`` is what its parents leave it and ``before`` what it had when it was put there, so that a
    stay in quarantine washes nothing clean. That either was quarantined itself is what the operator forgives.

    >>> tier_after_release("operator"), tier_after_release("agent", inherited="untrusted")
    ('trusted', 'untrusted')
    >>> tier_after_release("web", inherited="quarantined"), tier_after_release(None) is None
    ('untrusted', True)
    """
    own = None if source_kind is None else ceiling(source_kind)
    forgiven = (UNTRUSTED if tier == QUARANTINED else tier for tier in (inherited, before))
    return least(own, *forgiven)


def is_operators_decision(reason: str) -> bool:
    """
    Return whether a reason in the audit trail says that an operator decided: no rule goes over that.

    >>> is_operators_decision("set: read it myself"), is_operators_decision("payload:role_marker")
    (True, False)
    """
    return reason == RELEASED or reason.startswith(SET_BY_OPERATOR)


def check_not_trusted(rows: Iterable[Mapping[str, Any]]) -> None:
    """
    Let rows pass that somebody may change who is not the owner.

    Raises:
        DataError: One of them is trusted; reason ``trusted_more``.
    """
    if any(row.get("trust_tier") == TRUSTED for row in rows):
        raise DataError("only the owner changes what is trusted", reason="trusted_more")


_UNKNOWN = TIERS.index(None)


def _rank(tier: str | None) -> int:
    return TIERS.index(tier) if tier in TIERS else _UNKNOWN
