"""A step of the harvest: what an agent made from something untrusted is trusted no more than that."""

from __future__ import annotations

from typing import Final

from sunrise.bootstrap import Home
from sunrise.domain.lineage import Derived
from sunrise.domain.records import observation_ref
from sunrise.domain.trust import UNKNOWN_NAME, least
from sunrise.online.inheritance import Reach, inherited_tier
from sunrise.ports import Ledger
from tasks.memories import change_of

_BATCH: Final = 500
"""Rows that are judged before it is noted how far the run has come."""


def inherit_trust(home: Home, *, run_id: str) -> dict[str, int]:
    """
    Lower the trust of rows that came since last time to that of what they were made from.

    Nothing is ever raised, and rows whose trust an operator decided stay as they are. A killed run judges the
    rows behind its watermark again, and finds those that it lowered as they should be. Returns how many rows
    were ``derived`` and how many of them were ``lowered``.
    """
    ledger = home.ledger
    counts = {"derived": 0, "lowered": 0}
    seen, reach = 0, Reach()
    while ledger.inherited_up_to() < (newest := ledger.newest_observation()):
        if newest != seen:
            # Another process may have added what these rows were made from.
            seen, reach = newest, Reach()
        rows = ledger.derived_rows(after_id=ledger.inherited_up_to(), limit=_BATCH)
        for row in rows:
            # To search takes its time, and another writer must not wait for it.
            tier = least(row.tier, inherited_tier(ledger, row, reach=reach))
            if tier == row.tier:
                continue
            with ledger.transaction():
                counts["lowered"] += _lower(ledger, row, tier, run_id=run_id)
            # The rows behind it may be made of this one.
            reach.lower(row)
        counts["derived"] += len(rows)
        ledger.set_inherited_up_to(rows[-1].row_id if len(rows) == _BATCH else newest)
    return counts


def _lower(ledger: Ledger, row: Derived, tier: str | None, *, run_id: str) -> int:
    ref = observation_ref(row.row_id)
    if ledger.decided_by_operator([ref]):
        return 0
    reason = f"inherits_{tier or UNKNOWN_NAME}"
    values = (("trust_tier", row.tier, tier), ("trust_reason", row.reason, reason))
    changes = [change_of(ref, name, before=was, after=now, reason=reason) for name, was, now in values]
    return ledger.apply_to_observations(changes, run_id=run_id)
