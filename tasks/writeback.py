"""Steps of the writeback: look at what others wrote, and fill the empty columns that the ledger knows of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from contracts.governance import GovernanceFrame, MemoryGovernanceFrame
from sunrise.bootstrap import Home
from sunrise.domain.records import Change, memory_ref
from sunrise.domain.trust import QUARANTINED, TIERS, TRUSTED, least
from sunrise.ports import Ledger, MemoryTable
from tasks.memories import change, change_memories, is_empty
from tasks.run_frame import Run

_MISSING = "writeback.missing_ids"
FIELDS = ("importance", "importance_label", "scope", "category", "trust_tier")


@dataclass
class WritebackPlan:
    """What a run would write, before it writes anything."""

    checked: int = 0
    missing: list[str] = field(default_factory=list)
    skipped: int = 0
    changes: list[Change] = field(default_factory=list)

    @property
    def memories(self) -> int:
        """How many memories the changes touch."""
        return len({change.record_ref for change in self.changes})


@dataclass(frozen=True, slots=True)
class Screened:
    """
    What a look at the texts of the memories found.

    ``distrusted`` holds the ids of those shaped like a payload, with the reason codes; ``secrets`` counts
    those in which a secret stands.
    """

    distrusted: dict[str, tuple[str, ...]]
    secrets: int


def screen_memories(home: Home, table: MemoryTable) -> Screened:
    """
    Look at the texts that others put into the table, which never passed a harvest.

    Only memories of unknown trust are judged, and none of which an operator has decided. The owner's own
    words are judged as such where the ledger knows them for his. An id that stands there twice is left to
    the contract.
    """
    from sunrise.adapters.payload_gate import suspects
    from sunrise.adapters.secret_gate import redact_column
    from sunrise.domain.payloads import screen

    held = table.scan(["id", "text", "trust_tier"])
    rows = pl.DataFrame(held).filter(pl.col("id").is_unique() & (pl.col("text") != ""))
    texts = rows["text"].to_arrow()
    seen = rows[suspects(texts)]
    if "trust_tier" in seen.columns:
        seen = seen.filter(pl.col("trust_tier").fill_null("").str.strip_chars() == "")
    known = _standings(home.ledger, seen["id"].to_list())
    distrusted: dict[str, tuple[str, ...]] = {}
    for memory_id, text in seen.select("id", "text").iter_rows():
        tier, is_decided = known[memory_id]
        codes = () if is_decided else screen(text, owner=tier == TRUSTED)
        if codes:
            distrusted[memory_id] = codes
    return Screened(distrusted, secrets=len(redact_column(texts).kinds))


def quarantine_distrusted(run: Run, table: MemoryTable, found: Screened) -> None:
    """Put memories shaped like a payload into quarantine, and tell the operator of them and of secrets."""
    run.count(memories_quarantined=len(found.distrusted), secrets_in_memories=found.secrets)
    reasons = {memory_id: f"payload:{codes[0]}" for memory_id, codes in found.distrusted.items()}
    for reason in reasons.values():
        run.tally("distrusted_by_reason", reason)
    run.name("distrusted", [memory_ref(memory_id) for memory_id in reasons])
    changes = [
        change(memory_id, "trust_tier", before=None, after=QUARANTINED, reason=reason)
        for memory_id, reason in reasons.items()
    ]
    if changes and not run.dry_run:
        change_memories(run, table, changes)
    if changes:
        run.anomaly("poisoned_memories", "memories look like instructions to the model", len(changes))
    if found.secrets:
        run.anomaly(
            "secrets_in_memories",
            "memories hold secrets: run `sunrise sweep` to take them out",
            found.secrets,
        )


def read_governance(home: Home) -> pl.DataFrame:
    """Return what the ledger knows of the memories that its observations name."""
    return pl.DataFrame(home.ledger.linked_governance())


def newest_values(rows: pl.DataFrame) -> pl.DataFrame:
    """
    Return one row a memory: of each field the newest value that is not empty, of trust the least.

    An observation without a tier is one of unknown trust, and one that says more does not outweigh it.
    """
    newest = [pl.col(name).drop_nulls().last().alias(name) for name in FIELDS if name != "trust_tier"]
    ranks = {tier: rank for rank, tier in enumerate(TIERS) if tier}
    rank = pl.col("trust_tier").replace_strict(ranks, default=TIERS.index(None), return_dtype=pl.Int8)
    lowest = rank.fill_null(TIERS.index(None)).min()
    least_trust = lowest.replace_strict(dict(enumerate(TIERS)), return_dtype=pl.String).alias("trust_tier")
    return rows.sort("observation_id").group_by("memory_id", maintain_order=True).agg(*newest, least_trust)


def read_memories(table: MemoryTable, ids: list[str]) -> pl.DataFrame:
    """Return what these memories hold now; a column that is not there yet is empty."""
    held = pl.DataFrame(table.by_ids(ids, ["id", *FIELDS]))
    absent = [
        pl.lit(None, dtype=pl.Float64 if name == "importance" else pl.String).alias(name)
        for name in FIELDS
        if name not in held.columns
    ]
    return held.with_columns(absent).select("id", *FIELDS)


def plan_writeback(run: Run, table: MemoryTable, *, distrusted: Collection[str] = ()) -> WritebackPlan:
    """
    Compare the ledger with the table and return what is to be filled.

    ``distrusted`` are the memories that this run puts into quarantine: a dry run has not, and says the same.
    """
    known = run.admit(
        GovernanceFrame,
        run.step(read_governance, run.home),
        source="ledger.governance",
        key="observation_id",
    )
    wanted = newest_values(known)
    ids = wanted["memory_id"].to_list()
    held = run.admit(MemoryGovernanceFrame, run.step(read_memories, table, ids), source="memories", key="id")
    is_distrusted = pl.col("id").is_in(list(distrusted))
    tier = pl.when(is_distrusted).then(pl.lit(QUARANTINED)).otherwise(pl.col("trust_tier"))
    return compare(wanted, held.with_columns(tier.alias("trust_tier")))


def compare(wanted: pl.DataFrame, held: pl.DataFrame) -> WritebackPlan:
    """
    Return the fields that are empty in the table and known to the ledger.

    A memory whose every field is filled already, or of which the ledger knows nothing more, is skipped.
    """
    by_id = {row["id"]: row for row in held.iter_rows(named=True)}
    plan = WritebackPlan(checked=wanted.height)
    for row in wanted.iter_rows(named=True):
        now = by_id.get(row["memory_id"])
        if now is None:
            plan.missing.append(row["memory_id"])
            continue
        fills = list(_fills(row, now))
        plan.skipped += not fills
        plan.changes.extend(fills)
    return plan


def newly_missing(home: Home, missing: list[str], *, dry_run: bool) -> list[str]:
    """Return the ids that the run before did not miss: a memory that was forgotten is told of once."""
    known = set(json.loads(home.ledger.get_note(_MISSING) or "[]"))
    if not dry_run and known != set(missing):
        home.ledger.put_note(_MISSING, json.dumps(sorted(missing)))
    return [memory_id for memory_id in missing if memory_id not in known]


def _standings(ledger: Ledger, ids: list[str]) -> dict[str, tuple[str | None, bool]]:
    """Return of each memory the tier that the ledger knows, and whether an operator decided on it."""
    rows: dict[str, list[tuple[str, str | None]]] = {memory_id: [] for memory_id in ids}
    for one in ledger.standings_of_memories(ids):
        rows[str(one.memory_id)].append((one.ref, one.tier))
    refs = [memory_ref(memory_id) for memory_id in ids] + [ref for named in rows.values() for ref, _ in named]
    decided = ledger.decided_by_operator(refs)
    return {
        memory_id: (
            least(*(tier for _, tier in named)),
            not decided.isdisjoint([memory_ref(memory_id), *(ref for ref, _ in named)]),
        )
        for memory_id, named in rows.items()
    }


def _fills(wanted: dict[str, Any], held: dict[str, Any]) -> Iterator[Change]:
    for name in FIELDS:
        if is_empty(held[name]) and not is_empty(wanted[name]):
            yield change(
                wanted["memory_id"], name, before=held[name], after=wanted[name], reason="fill_empty"
            )
