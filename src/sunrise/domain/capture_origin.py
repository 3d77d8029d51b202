"""Where a captured record comes from, and the trust that this gives it: no text of it can raise either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sunrise.domain.scope_policy import UNCHECKED, ScopePolicy
from sunrise.domain.trust import CEILINGS, Origin, least, tier_at_entry

HIGHEST_ORIGINS: Final = (str(Origin.AGENT), str(Origin.OWNER))
"""What the highest origin of an interface may be."""

_OF_AN_AGENT: Final = frozenset(map(str, (Origin.AGENT, Origin.TOOL, Origin.WEB)))

_TRUST = ("trust", "trust_tier", "trustTier")
TRUST_FIELDS = frozenset((*_TRUST, "provenance"))
_TIERS = {
    "trusted": "trusted",
    "untrusted": "untrusted",
    "quarantined": "quarantined",
    "quarantine": "quarantined",
}


@dataclass(frozen=True, slots=True)
class ClaimLimits:
    """
    How much of what a record claims of itself is believed: its interface decides that, and no line of it.

    ``highest_origin`` is one of :data:`HIGHEST_ORIGINS`. What came ``by_token`` is the agent's where it
    claims no origin, and is in the ``scope`` that the service settled, whatever else it says. A scope that it
    names itself is put in order, or refused, as ``scopes`` say.
    """

    highest_origin: str = str(Origin.AGENT)
    by_token: bool = False
    scope: str | None = None
    scopes: ScopePolicy = UNCHECKED

    @property
    def may_state_importance(self) -> bool:
        """Whether an importance above that of every other row is believed."""
        return not self.by_token or self.highest_origin == Origin.OWNER

    def believed(self, claimed: str) -> str:
        """
        Return the origin of a record that claims one.

        >>> ClaimLimits().believed("operator"), ClaimLimits("operator").believed("operator")
        ('agent', 'operator')
        >>> ClaimLimits(by_token=True).believed("import"), ClaimLimits(by_token=True).believed("web")
        ('agent', 'web')
        """
        if self.highest_origin == Origin.OWNER:
            return claimed
        is_above = claimed not in _OF_AN_AGENT if self.by_token else claimed == Origin.OWNER
        return str(Origin.AGENT) if is_above else claimed


LOCAL: Final = ClaimLimits()
"""A file of this machine whose writer nobody vouched for."""

OF_THE_READER: Final = ClaimLimits(str(Origin.OWNER))
"""A record that its reader made, and whose origin the reader says: no line of its source does."""

UNSTAMPED: Final = ClaimLimits(by_token=True)
"""What a service wrote before it wrote stamps: it came by a token, and nobody knows which."""


def origin_of(
    record: Mapping[str, Any],
    detail: Mapping[str, Any],
    *,
    kind: str,
    tool: str | None,
    limits: ClaimLimits = LOCAL,
) -> str:
    """
    Return the ``source_kind`` of a record.

    What its interface allows is the most that it can claim. A tool's record stays a tool's, and a detail, in
    which anything that a tool returned may stand, cannot make a record come from somebody who is trusted
    more.

    >>> origin_of({"source_kind": "operator"}, {}, kind="note", tool=None)
    'agent'
    >>> owners = ClaimLimits("operator")
    >>> origin_of({"source_kind": "operator"}, {}, kind="note", tool=None, limits=owners)
    'operator'
    >>> origin_of({"source_kind": "operator"}, {}, kind="tool", tool="web.fetch", limits=owners)
    'tool'
    >>> origin_of({}, {"source_kind": "operator"}, kind="note", tool=None, limits=owners)
    'import'
    """
    unclaimed = Origin.AGENT if limits.by_token else Origin.IMPORT
    born = str(Origin.TOOL if tool or kind == "tool" else unclaimed)
    said = _known(record.get("source_kind"))
    if said and (born != Origin.TOOL or _is_no_raise(said, born)):
        return limits.believed(said)
    said = _known(detail.get("source_kind"))
    return limits.believed(said) if said and _is_no_raise(said, born) else born


def trust_of(source_kind: str, detail: Mapping[str, Any]) -> str | None:
    """
    Return the trust tier of a record: what its origin gives, or less where the record says so.

    >>> trust_of("operator", {"trust": "untrusted"}), trust_of("import", {"trust": "trusted"})
    ('untrusted', None)
    """
    if TRUST_FIELDS.isdisjoint(detail):
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
