"""How far records are trusted, as an operator sees and decides it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.filters import sql_text
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import Change, memory_ref, split_ref
from sunrise.domain.schedule import TRUST
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clip
from sunrise.domain.trust import (
    CEILINGS,
    QUARANTINED,
    RELEASED,
    SET_BY_OPERATOR,
    TRUSTED,
    UNKNOWN_NAME,
    Origin,
    TrustStanding,
    least,
    tier_after_release,
)
from sunrise.online.inheritance import inherited_tier
from sunrise.ports import Ledger, MemoryReader, MemoryTable
from tasks.memories import apply_outbox, change, change_of, is_empty, open_memories
from tasks.run_frame import Run, SkipRun, run_flow

_REASON_CHARS = 200
_COLUMNS = ("id", "text", "trust_tier", "source_kind", "createdAt")


@dataclass(frozen=True, slots=True)
class TrustDecision:
    """
    What an operator decided of some records: a tier and why, or that they leave the quarantine.

    A ``tier`` of None is unknown; for a release it has no meaning.
    """

    refs: tuple[str, ...]
    tier: str | None = None
    reason: str = ""
    release: bool = False

    @property
    def change_reason(self) -> str:
        """What the audit trail gives as the reason; a secret in the operator's words is taken out."""
        said = clip(redact(self.reason.strip()).text, _REASON_CHARS)
        return RELEASED if self.release else f"{SET_BY_OPERATOR}{said}"


def change_trust(home: str | None, decision: TrustDecision) -> RunReceipt:
    """
    Carry out what an operator decided, as a run that can be seen and undone, and return its receipt.

    An observation and the memory that it names change together. A record that is so already is left alone;
    the receipt shows asked = changed + unchanged, the records that were drawn in by their memory included.
    """
    return run_flow(TRUST, lambda run: _carry_out(run, decision), home=home)


def standings(home: Home, *, tiers: Sequence[str | None], limit: int) -> list[TrustStanding]:
    """Return the records of both stores that have one of some tiers, newest first. Makes no table."""
    table = existing_memories(home.settings)
    found: list[TrustStanding] = []
    for tier in tiers:
        found += home.ledger.trust_standings(tier=tier, limit=limit)
        found += _memories_of_tier(home.ledger, table, tier=tier, limit=limit) if table else []
    return sorted(found, key=lambda one: -(one.at_ms or 0))[:limit]


def unknown_refs(home: Home, refs: Sequence[str]) -> list[str]:
    """Return which of these refs name no observation and no memory."""
    found = {one.ref for one in named(home.ledger, existing_memories(home.settings), refs)}
    return [ref for ref in refs if ref not in found]


def _carry_out(run: Run, decision: TrustDecision) -> None:
    run.balance("asked", "changed", "unchanged")
    table = opened(run)
    before = run.step(named, run.home.ledger, table, decision.refs)
    after = run.step(_decided, run.home.ledger, before, decision)
    moved = [(old, new) for old, new in zip(before, after, strict=True) if old.tier != new.tier]
    run.count(asked=len(before), changed=len(moved), unchanged=len(before) - len(moved))
    for _, new in moved:
        run.tally("changed_to", new.tier or UNKNOWN_NAME)
    run.name("changed", [new.ref for _, new in moved])
    if not moved or run.dry_run:
        return
    run.step(record, run, moved, decision.change_reason)
    if table is not None:
        run.step(apply_outbox, run.home, table)


def opened(run: Run) -> MemoryTable | None:
    """Return the memories where there are any, None where the agent has not made its table yet."""
    try:
        return open_memories(run)
    except SkipRun:
        return None


def record(run: Run, moved: Sequence[tuple[TrustStanding, TrustStanding]], reason: str) -> None:
    """Write the changes of both stores down at once, so that none of a pair is changed without the other."""
    observations: list[Change] = []
    memories: list[Change] = []
    for old, new in moved:
        kind, key = split_ref(old.ref)
        if kind == "mem":
            memories.append(change(key, "trust_tier", before=old.tier, after=new.tier, reason=reason))
            continue
        for field, was, becomes in (("trust_tier", old.tier, new.tier), ("trust_reason", old.reason, reason)):
            observations.append(change_of(old.ref, field, before=was, after=becomes, reason=reason))
    with run.home.ledger.transaction():
        run.home.ledger.apply_to_observations(observations, run_id=run.run_id)
        run.home.ledger.record_changes(memories, run_id=run.run_id)


def named(ledger: Ledger, table: MemoryReader | None, refs: Sequence[str]) -> list[TrustStanding]:
    """Return the records that are named, with the memories and observations that belong to them."""
    keys: dict[str, list[str]] = {"obs": [], "mem": []}
    for ref in refs:
        kind, key = _split(ref)
        if kind in keys:
            keys[kind].append(key)
    rows = {one.ref: one for one in ledger.observation_standings(int(key) for key in keys["obs"])}
    memories = dict.fromkeys([*keys["mem"], *(one.memory_id for one in rows.values() if one.memory_id)])
    rows |= {one.ref: one for one in ledger.standings_of_memories(memories)}
    held = [] if table is None or not memories else _memories(ledger, table, list(memories))
    return [*(rows[ref] for ref in sorted(rows, key=_row_id)), *held]


def _split(ref: str) -> tuple[str, str]:
    try:
        kind, key = split_ref(ref)
    except ValueError:
        return "", ""
    # SQLite knows no larger ids.
    is_id = key.isascii() and key.isdecimal() and len(key) <= 18
    return (kind, key) if kind == "mem" or (kind == "obs" and is_id and str(int(key)) == key) else ("", "")


def _row_id(ref: str) -> int:
    return int(split_ref(ref)[1])


def _memories(ledger: Ledger, table: MemoryReader, ids: list[str]) -> list[TrustStanding]:
    rows = table.by_ids(ids, _COLUMNS).to_pylist()
    # Of an id that stands there twice nobody knows which is meant, and no merge takes it.
    times = Counter(row["id"] for row in rows)
    rows = [row for row in rows if times[row["id"]] == 1]
    history = ledger.trust_history([memory_ref(str(row["id"])) for row in rows])
    found = []
    for row in sorted(rows, key=lambda row: str(row["id"])):
        ref, created, tier = memory_ref(str(row["id"])), row.get("createdAt"), row.get("trust_tier")
        found.append(
            TrustStanding(
                ref,
                None if is_empty(tier) else str(tier),
                history[ref][-1][1] if ref in history else None,
                row.get("source_kind"),
                # An agent wrote it: NaN and times beyond every calendar are none.
                int(created) if isinstance(created, float | int) and 0 <= created < 2**53 else None,
                row.get("text") or "",
                memory_id=str(row["id"]),
            )
        )
    return found


def _memories_of_tier(
    ledger: Ledger, table: MemoryReader, *, tier: str | None, limit: int
) -> list[TrustStanding]:
    where = "(trust_tier IS NULL OR trust_tier = '')" if tier is None else f"trust_tier = {sql_text(tier)}"
    if "trust_tier" not in table.schema().names:
        if tier is not None:
            return []
        where = "id IS NOT NULL"
    rows = [row for row in table.scan(["id", "createdAt"], where=where).to_pylist() if row["id"]]
    rows.sort(key=lambda row: -(row.get("createdAt") or 0))
    return _memories(ledger, table, [str(row["id"]) for row in rows[:limit]])


def _decided(ledger: Ledger, before: Sequence[TrustStanding], decision: TrustDecision) -> list[TrustStanding]:
    """Return how far each record is to be trusted."""
    if not decision.release:
        return [replace(one, tier=decision.tier) for one in before]
    history = ledger.trust_history([one.ref for one in before])
    last = {ref: told[-1][0] for ref, told in history.items()}
    observations = [
        replace(one, tier=_released(ledger, one, last.get(one.ref, TRUSTED)))
        for one in before
        if one.ref.startswith("obs:")
    ]
    memories = [
        replace(one, tier=_released_memory(one, observations, last.get(one.ref, TRUSTED)))
        for one in before
        if one.ref.startswith("mem:")
    ]
    return [*observations, *memories]


def _released(ledger: Ledger, one: TrustStanding, last: str | None) -> str | None:
    if one.tier != QUARANTINED:
        return one.tier
    row = ledger.derived_row(_row_id(one.ref))
    inherited = TRUSTED if row is None else inherited_tier(ledger, row)
    # A tool wrote down what the agent stored: the words are the agent's.
    is_stored = one.memory_id is not None and one.origin == str(Origin.TOOL)
    return tier_after_release(
        str(Origin.AGENT) if is_stored else one.origin, inherited=inherited, before=last
    )


def _released_memory(
    one: TrustStanding, observations: Sequence[TrustStanding], last: str | None
) -> str | None:
    if one.tier != QUARANTINED:
        return one.tier
    named_by = [row.tier for row in observations if row.memory_id == one.memory_id]
    if named_by:
        return tier_after_release(str(Origin.OWNER), inherited=least(*named_by), before=last)
    # Nobody proves what the table says of an origin, so it can only lower.
    said = CEILINGS.get(one.origin or "", TRUSTED)
    return tier_after_release(str(Origin.AGENT), inherited=said, before=last)
