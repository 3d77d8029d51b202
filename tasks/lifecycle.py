"""Steps of the lifecycle: judge every record by its use, and protect what must stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl
import pyarrow as pa

from contracts.retention import StandingFrame
from sunrise.bootstrap import Home
from sunrise.domain.importance import effective_label, label_from_score
from sunrise.domain.records import memory_ref, split_ref
from sunrise.domain.retention import (
    ArchiveLimit,
    RetentionPolicy,
    Standing,
    Tier,
    Verdict,
    judge,
    tier_of,
)
from sunrise.domain.trust import QUARANTINED, UNTRUSTED
from sunrise.domain.working_set import ID_PREFIX, WorkingSet
from sunrise.domain.working_set_sections import is_open_task
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tasks.memories import open_memories
from tasks.run_frame import Run, SkipRun

_MEMORY_COLUMNS = (
    "id", "category", "importance", "importance_label", "trust_tier", "state", "createdAt", "archived_at_ms",
    "updated_at_ms",
)  # fmt: skip
STANDING = {
    "record_ref": pl.String,
    "kind": pl.String,
    "importance_label": pl.String,
    "importance_score": pl.Float64,
    "trust_tier": pl.String,
    "priority": pl.String,
    "state": pl.String,
    "created_ms": pl.Int64,
    "archived_at_ms": pl.Int64,
    "last_used_ms": pl.Int64,
    "entered_ms": pl.Int64,
    "is_recallable": pl.Boolean,
}
_TOOL = "tool"
_TEXTS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Judged:
    """One record with its verdict."""

    record_ref: str
    standing: Standing
    tier: Tier
    verdict: Verdict

    @property
    def store(self) -> str:
        """The store that holds it, as receipts name it."""
        return "observations" if self.record_ref.startswith("obs:") else "memories"


def judge_all(run: Run) -> tuple[MemoryTable | None, list[Judged]]:
    """Judge every record of both stores; where the agent has made no table yet, the ledger alone."""
    rows = run.step(observation_standings, run.home)
    try:
        table = open_memories(run)
        standings = run.step(memory_standings, run.home, table)
        # Of rows that share an id nobody knows which was used, and to none of them can be written.
        mine = standings.filter(pl.col("record_ref").is_unique()) if len(standings) else standings
        if len(mine) < len(standings):
            run.count(shared_ids=len(standings) - len(mine))
        rows = rows.vstack(mine)
    except SkipRun:
        table = None
    rows = run.admit(StandingFrame, rows, source="lifecycle", key="record_ref")
    judged = run.step(judge_rows, rows, run.home, now_ms=run.started_ms)
    return table, run.step(spare_open_tasks, judged, run.home, table)


def observation_standings(home: Home) -> pl.DataFrame:
    """Return where each observation stands."""
    # SQLite has no booleans.
    rows = pl.DataFrame(home.ledger.lifecycle_rows(), schema=STANDING | {"is_recallable": pl.Int64})
    return rows.cast({"is_recallable": pl.Boolean})


def memory_standings(home: Home, table: MemoryTable) -> pl.DataFrame:
    """Return where each memory stands, with its use from the ledger."""
    held = table.scan(_MEMORY_COLUMNS)
    usage = dict(zip(*_columns(home.ledger.memory_usage(), "record_ref", "last_used_ms"), strict=True))
    rows = [_memory_standing(row, usage) for row in held.to_pylist() if row["id"]]
    return pl.DataFrame(rows, schema=STANDING)


def judge_rows(rows: pl.DataFrame, home: Home, *, now_ms: int) -> list[Judged]:
    """Say what becomes of each record."""
    days = home.settings.lifecycle
    policy = RetentionPolicy(days.p1_days, days.p2_days, home.ledger.served_since())
    pinned = pinned_refs(home)
    judged = []
    for row in rows.iter_rows(named=True):
        ref = row.pop("record_ref")
        row["importance_label"] = effective_label(row["importance_label"], row["importance_score"])
        standing = Standing(**row, is_pinned=ref in pinned)
        judged.append(Judged(ref, standing, tier_of(standing), judge(standing, policy=policy, now_ms=now_ms)))
    return judged


def pinned_refs(home: Home) -> frozenset[str]:
    """Return the memories that stand in the working set of any scope."""
    refs: set[str] = set()
    for name in home.ledger.note_names(ID_PREFIX):
        try:
            refs.update(WorkingSet.from_dict(json.loads(home.ledger.get_note(name) or "{}")).refs)
        except (ValueError, DataError):
            # Recall makes a working set that cannot be read anew; until then nobody knows what is in it.
            continue
    return frozenset(refs)


def spare_open_tasks(judged: list[Judged], home: Home, table: MemoryTable | None) -> list[Judged]:
    """Protect tasks that are not done among the records that would be archived; only their texts are read."""
    going = [one for one in judged if one.verdict is Verdict.ARCHIVE and _may_be_task(one.standing)]
    spared: set[str] = set()
    for begin in range(0, len(going), _TEXTS_AT_ONCE):
        batch = going[begin : begin + _TEXTS_AT_ONCE]
        texts = texts_of([one.record_ref for one in batch], home, table)
        spared.update(
            one.record_ref for one in batch if is_open_task(texts.get(one.record_ref, ""), one.standing.kind)
        )
    return [
        replace(one, verdict=Verdict.PROTECTED_OPEN_TODO) if one.record_ref in spared else one
        for one in judged
    ]


def texts_of(refs: Sequence[str], home: Home, table: MemoryTable | None) -> dict[str, str]:
    """Return the texts of records of both stores, by ref."""
    parts = [(ref, *split_ref(ref)) for ref in refs]
    rows = home.ledger.observation_texts([int(key) for _, kind, key in parts if kind == "obs"])
    texts = {f"obs:{row_id}": text for row_id, text in rows.items()}
    ids = [key for _, kind, key in parts if kind == "mem"]
    if table is not None and ids:
        found = table.by_ids(ids, ["id", "text"]).to_pylist()
        texts |= {memory_ref(row["id"]): row["text"] or "" for row in found}
    return texts


def archive_limit(home: Home) -> ArchiveLimit:
    """Return how much one run may archive, as the settings say."""
    said = home.settings.lifecycle
    return ArchiveLimit(said.max_archived_share, said.unchecked_rows)


def _may_be_task(standing: Standing) -> bool:
    # What a tool printed is nobody's task, and what is not trusted cannot protect itself by its words.
    is_current = standing.state not in ("superseded", "stale")
    return is_current and standing.kind != _TOOL and standing.trust_tier not in (UNTRUSTED, QUARANTINED)


def _memory_standing(row: dict[str, object], usage: dict[str, int]) -> dict[str, object]:
    ref = memory_ref(str(row["id"]))
    score = row.get("importance")
    return {
        "record_ref": ref,
        "kind": row.get("category") or "other",
        "importance_label": row.get("importance_label") or _label(score),
        "importance_score": score if isinstance(score, float) else None,
        "trust_tier": row.get("trust_tier"),
        "priority": None,
        "state": row.get("state"),
        "created_ms": _whole_ms(row.get("createdAt")),
        "archived_at_ms": row.get("archived_at_ms"),
        "last_used_ms": usage.get(ref),
        "entered_ms": row.get("updated_at_ms"),
        "is_recallable": True,
    }


def _label(importance: object) -> str | None:
    # A plugin writes a score and no label; the score says the same.
    return str(label_from_score(importance)) if isinstance(importance, float) else None


def _whole_ms(created: object) -> int | None:
    # An agent wrote it: NaN and times beyond every calendar are as good as none, and the contract says so.
    return int(created) if isinstance(created, float | int) and 0 <= created < 2**53 else None


def _columns(table: pa.Table, *names: str) -> list[list[object]]:
    return [table.column(name).to_pylist() for name in names]
