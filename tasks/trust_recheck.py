"""Records in the owner's name in whose texts another speaks: found, and trusted less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sunrise.domain.filters import sql_text
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import memory_ref
from sunrise.domain.schedule import TRUST
from sunrise.domain.trust import TRUSTED, UNKNOWN_NAME, Origin, TrustStanding, least
from sunrise.domain.turn_speakers import SIGNS
from sunrise.domain.turns import tier_by_speaker
from sunrise.ports import Ledger, MemoryReader
from tasks.memories import apply_outbox
from tasks.run_frame import Run, run_flow
from tasks.trust import named, opened, record

REASON: Final = "other_speaker"
"""Why a record is trusted less, in the audit trail and in its row."""

_PAGE = 5000


def recheck_trust(home: str | None, *, dry_run: bool = False) -> RunReceipt:
    """
    Trust less, as a run that can be undone, what stands in the owner's name and names another speaker.

    An observation and the memory that it names change together. What an operator decided stays. The receipt
    shows doubtful = changed + decided.
    """
    return run_flow(TRUST, _carry_out, home=home, dry_run=dry_run)


def doubtful(ledger: Ledger, table: MemoryReader | None, *, most: int | None = None) -> dict[str, str | None]:
    """
    Return the most that records in the owner's name can be trusted in whose texts another speaks, by ref.

    No more than ``most`` texts of each store are looked at, the oldest first.
    """
    texts = [*_observed(ledger, most), *_remembered(table, most)]
    tiers = ((ref, tier_by_speaker(text)) for ref, text in texts)
    return {ref: tier for ref, tier in tiers if tier != TRUSTED}


def undecided(ledger: Ledger, refs: dict[str, str | None]) -> dict[str, str | None]:
    """Return those of some records on which no operator decided."""
    decided = ledger.decided_by_operator(refs)
    return {ref: tier for ref, tier in refs.items() if ref not in decided}


def _carry_out(run: Run) -> None:
    run.balance("doubtful", "changed", "decided")
    table, ledger = opened(run), run.home.ledger
    found = run.step(doubtful, ledger, table)
    rows = run.step(named, ledger, table, list(found))
    most: dict[str, str | None] = {}
    for one in rows:
        if one.ref in found:
            most[_together(one)] = least(most.get(_together(one), TRUSTED), found[one.ref])
    lowered = {one.ref: least(one.tier, most[_together(one)]) for one in rows if _together(one) in most}
    below = {one.ref: tier for one in rows if (tier := lowered.get(one.ref, one.tier)) != one.tier}
    free = undecided(ledger, below)
    moved = [(one, replace(one, tier=free[one.ref])) for one in rows if one.ref in free]
    run.count(doubtful=len(below), changed=len(moved), decided=len(below) - len(moved))
    for _, new in moved:
        run.tally("changed_to", new.tier or UNKNOWN_NAME)
    run.name("changed", [new.ref for _, new in moved])
    if not moved or run.dry_run:
        return
    run.step(record, run, moved, REASON)
    if table is not None:
        run.step(apply_outbox, run.home, table)


def _together(one: TrustStanding) -> str:
    """Return what a record shares with those that change with it."""
    return one.ref if one.memory_id is None else memory_ref(one.memory_id)


def _observed(ledger: Ledger, most: int | None) -> Iterator[tuple[str, str]]:
    after, seen = 0, 0
    while most is None or seen < most:
        limit = _PAGE if most is None else min(_PAGE, most - seen)
        rows = ledger.owners_with_marks(SIGNS, after_id=after, limit=limit)
        yield from ((one.ref, one.text) for one in rows)
        if len(rows) < limit:
            return
        after, seen = int(rows[-1].ref.partition(":")[2]), seen + len(rows)


def _remembered(table: MemoryReader | None, most: int | None) -> Iterator[tuple[str, str]]:
    if table is None or not {"trust_tier", "source_kind"} <= set(table.schema().names):
        return
    marks = " OR ".join(f"contains(text, {sql_text(sign)})" for sign in SIGNS)
    where = f"trust_tier = {sql_text(TRUSTED)} AND source_kind = {sql_text(Origin.OWNER)} AND ({marks})"
    seen = 0
    for batch in table.batches(["id", "text"], where=where):
        for row in batch.to_pylist():
            if most is not None and seen >= most:
                return
            seen += 1
            yield memory_ref(str(row["id"])), row["text"] or ""
