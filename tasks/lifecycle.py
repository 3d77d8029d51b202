"""Steps of the lifecycle: judge every record by its use, hide what nobody uses, bring back what was used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from sunrise.bootstrap import Home
from sunrise.domain.importance import label_from_score
from sunrise.domain.records import Change, RecordState, memory_ref
from sunrise.domain.retention import RetentionPolicy, Standing, Tier, Verdict, judge, tier_of
from sunrise.ports import MemoryTable
from tasks.memories import change_of
from tasks.run_frame import Run

_MEMORY_COLUMNS = (
    "id", "category", "importance", "importance_label", "trust_tier", "state", "createdAt", "archived_at_ms",
)  # fmt: skip
STANDING = {
    "record_ref": pl.String,
    "kind": pl.String,
    "importance_label": pl.String,
    "trust_tier": pl.String,
    "priority": pl.String,
    "state": pl.String,
    "created_ms": pl.Int64,
    "archived_at_ms": pl.Int64,
    "last_used_ms": pl.Int64,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One record with its verdict."""

    record_ref: str
    standing: Standing
    tier: Tier
    verdict: Verdict


def observation_standings(home: Home) -> pl.DataFrame:
    """Return where each observation stands."""
    return pl.DataFrame(home.ledger.lifecycle_rows(), schema=STANDING)


def memory_standings(home: Home, table: MemoryTable) -> pl.DataFrame:
    """Return where each memory stands, with its use from the ledger."""
    held = table.scan(_MEMORY_COLUMNS)
    usage = dict(zip(*_columns(home.ledger.memory_usage(), "record_ref", "last_used_ms"), strict=True))
    rows = [_memory_standing(row, usage) for row in held.to_pylist() if row["id"]]
    return pl.DataFrame(rows, schema=STANDING)


def judge_rows(rows: pl.DataFrame, home: Home, *, now_ms: int) -> list[Judged]:
    """Say what becomes of each record."""
    days = home.settings.lifecycle
    policy = RetentionPolicy(p1_days=days.p1_days, p2_days=days.p2_days)
    judged = []
    for row in rows.drop("trust_tier").iter_rows(named=True):
        ref = row.pop("record_ref")
        standing = Standing(**row)
        judged.append(Judged(ref, standing, tier_of(standing), judge(standing, policy=policy, now_ms=now_ms)))
    return judged


def count_judged(run: Run, judged: list[Judged]) -> None:
    """Count verdicts: archived by tier and importance, protected by reason."""
    for one in judged:
        run.count(seen=1, **{_COUNTED.get(one.verdict, "protected"): 1})
        if one.verdict is Verdict.ARCHIVE:
            run.tally("archived_by_tier", one.tier)
            run.tally("archived_by_importance", one.standing.importance_label or "unknown")
        elif one.verdict not in _COUNTED:
            run.tally("protected_by_reason", one.verdict)


def changes_of(judged: list[Judged], *, now_ms: int) -> list[Change]:
    """Return the field changes that carry out the verdicts."""
    return [made for one in judged for made in _changes(one, now_ms)]


def changes_of_expired(table: MemoryTable, judged: list[Judged], *, now_ms: int) -> list[Change]:
    """Return the changes that archive memories whose time is over, but for those that are archived anyway."""
    if "expires_at_ms" not in table.schema().names:
        return []
    archived = {one.record_ref for one in judged if one.verdict is Verdict.ARCHIVE}
    where = f"expires_at_ms <= {now_ms} AND (state IS NULL OR state <> 'archived')"
    rows = table.scan(["id", "state", "archived_at_ms"], where=where).to_pylist()
    return [
        made
        for row in rows
        if row["id"] and memory_ref(row["id"]) not in archived
        for made in _archived(
            memory_ref(row["id"]), row["state"], row["archived_at_ms"], now_ms=now_ms, reason="expired"
        )
    ]


def change_observations(home: Home, changes: list[Change], *, run_id: str) -> int:
    """Carry out changes of observations; return how many changed."""
    return home.ledger.apply_to_observations(changes, run_id=run_id)


def split_by_store(judged: list[Judged]) -> tuple[list[Judged], list[Judged]]:
    """Return the records of the ledger and those of the memories table."""
    observations = [one for one in judged if one.record_ref.startswith("obs:")]
    return observations, [one for one in judged if one.record_ref.startswith("mem:")]


_COUNTED = {Verdict.ARCHIVE: "archived", Verdict.REVIVE: "revived", Verdict.REST: "already_archived"}


def _changes(one: Judged, now_ms: int) -> Iterator[Change]:
    if one.verdict not in (Verdict.ARCHIVE, Verdict.REVIVE):
        return
    held = one.standing
    if one.verdict is Verdict.ARCHIVE:
        reason = f"unused_{one.tier}"
        yield from _archived(one.record_ref, held.state, held.archived_at_ms, now_ms=now_ms, reason=reason)
        return
    reason, state = "used_again", str(RecordState.ACTIVE)
    yield change_of(one.record_ref, "state", before=held.state, after=state, reason=reason)
    yield change_of(one.record_ref, "archived_at_ms", before=held.archived_at_ms, after=None, reason=reason)


def _archived(
    ref: str, state: str | None, archived_at_ms: int | None, *, now_ms: int, reason: str
) -> Iterator[Change]:
    yield change_of(ref, "state", before=state, after=str(RecordState.ARCHIVED), reason=reason)
    yield change_of(ref, "archived_at_ms", before=archived_at_ms, after=now_ms, reason=reason)


def _memory_standing(row: dict[str, object], usage: dict[str, int]) -> dict[str, object]:
    ref = memory_ref(str(row["id"]))
    return {
        "record_ref": ref,
        "kind": row.get("category") or "other",
        "importance_label": row.get("importance_label") or _label(row.get("importance")),
        "trust_tier": row.get("trust_tier"),
        "priority": None,
        "state": row.get("state"),
        "created_ms": _whole_ms(row.get("createdAt")),
        "archived_at_ms": row.get("archived_at_ms"),
        "last_used_ms": usage.get(ref),
    }


def _label(importance: object) -> str | None:
    # A plugin writes a score and no label; the score says the same.
    return str(label_from_score(importance)) if isinstance(importance, float) else None


def _whole_ms(created: object) -> int | None:
    # An agent wrote it: NaN and times beyond every calendar are as good as none, and the contract says so.
    return int(created) if isinstance(created, float | int) and 0 <= created < 2**53 else None


def _columns(table: pa.Table, *names: str) -> list[list[object]]:
    return [table.column(name).to_pylist() for name in names]
