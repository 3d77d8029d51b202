"""Steps of the index flow: prove and mend the indices, build what is missing, optimize when it pays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunReceipt
from sunrise.errors import ConflictError
from sunrise.ports import IndexProbe, MemoryTable, TableFiles, TableState
from sunrise.sections.batch import IndexSettings
from tasks.memories import open_memories
from tasks.run_frame import Run

_MIB = 1 << 20
_HOUR_MS = 3_600_000
_PAST_RUNS = 200
"""A month of runs: among them is the last that optimized, if any did."""


MANY_ROWS, ALLOWED_UNCOVERED = 200_000, 0.02
"""
Of a table of so many rows this share may wait for the daily optimize.

Rows that an index does not cover are found all the same, by a scan of them alone. To take 10,000 into the
full-text index of a million means to write that index anew, which takes four seconds.
"""


@dataclass(frozen=True, slots=True)
class TableLook:
    """The table by its figures; ``files`` is None where nobody can tell."""

    state: TableState
    files: TableFiles | None


def look_at_table(table: MemoryTable) -> TableLook:
    """Return the table's figures and those of its files."""
    return TableLook(table.state(), table.files())


def probe_indices(table: MemoryTable, seed: int) -> tuple[IndexProbe, ...]:
    """Ask each index for random rows that are there, and for the newest."""
    return table.probe_indices(seed=seed)


def rebuild_indices(table: MemoryTable, columns: Sequence[str]) -> tuple[str, ...]:
    """Build anew the indices that did not answer; return the columns."""
    return table.rebuild_indices(columns)


def build_indices(table: MemoryTable) -> tuple[str, ...]:
    """Build each missing index; return the columns."""
    return table.build_missing_indices()


def drop_indices(table: MemoryTable) -> tuple[str, ...]:
    """Drop each index that no longer pays; return the names."""
    return table.drop_needless_indices()


def optimize(table: MemoryTable, home: Home) -> bool:
    """
    Compact, index new rows, drop versions that nobody needs; return whether it could be done.

    While another writer changes rows without a pause it cannot, and no run fails for that: what no index
    covers is found all the same, and a later run tidies up.
    """
    try:
        table.optimize(keep=timedelta(days=home.settings.index.keep_days))
    except ConflictError:
        return False
    return True


def cover_written(table: MemoryTable, home: Home) -> None:
    """
    Let the indices cover columns that were written.

    Where rows wait that no search index covers yet, taking them in is the work of the index flow: only the
    indices of columns that lack more than those rows are built anew.
    """
    behind = [one for one in table.state().indices if one.unindexed_rows]
    waiting = max((one.unindexed_rows for one in behind if _is_searched(one.column)), default=0)
    scalar = [one.column for one in behind if one.unindexed_rows > waiting and not _is_searched(one.column)]
    if not waiting:
        optimize(table, home)
    elif scalar:
        # As in an optimize: what cannot be done for another writer is left to a later run.
        with suppress(ConflictError):
            table.rebuild_indices(scalar)


def _is_searched(column: str) -> bool:
    return column == "terms" or column.startswith("vector")


def count_doubled_ids(table: MemoryTable) -> int:
    """Return how many rows have an id that another row has too: they cannot be merged by it."""
    ids = pl.DataFrame(table.scan(["id"]))["id"].drop_nulls()
    # Equal ids have equal hashes: where all hashes differ, so do the ids, and numbers are soon compared.
    return 0 if ids.hash().n_unique() == len(ids) else len(ids) - ids.n_unique()


def open_mended(run: Run) -> tuple[MemoryTable, tuple[IndexProbe, ...]]:
    """
    Open the memories table with its indices mended, and return what they answered.

    They come before what a killed run left to be written: a merge by id fails where the index of ids is
    broken.
    """
    found = run.home.memories()
    probes = mended_indices(run, found) if found is not None else ()
    return open_memories(run), probes


def mended_indices(run: Run, table: MemoryTable) -> tuple[IndexProbe, ...]:
    """
    Probe the indices, build anew those that fail, and return the last answer of each.

    Both a merge by id and an optimize may fail on a broken one.
    """
    probes = run.step(probe_indices, table, run.started_ms)
    failed = [one for one in probes if not one.ok]
    if not failed or run.dry_run:
        return probes
    run.step(rebuild_indices, table, [one.column for one in failed])
    probes = run.step(probe_indices, table, run.started_ms)
    mended = {one.name for one in failed} & {one.name for one in probes if one.ok}
    run.count(indices_repaired=len(mended))
    if mended:
        run.facts["indices_repaired"] = ", ".join(sorted(mended))
    return probes


def fit_indices(run: Run, table: MemoryTable) -> None:
    """Build what is missing and drop what no longer pays."""
    built = run.write(build_indices, table) or ()
    dropped = run.write(drop_indices, table) or ()
    run.count(indices_built=len(built), indices_dropped=len(dropped))
    if built:
        run.facts["indices_built"] = ", ".join(built)
    if dropped:
        run.facts["indices_dropped"] = ", ".join(dropped)


def optimize_if_due(run: Run, table: MemoryTable) -> None:
    """Optimize when a threshold is passed, or when it was long ago; the receipt says why."""
    look, settings = run.step(look_at_table, table), run.home.settings.index
    last = _last_optimized(run)
    reasons = passed_thresholds(look, settings, last=last)
    if not reasons and _is_due(run, look.state, last, settings):
        reasons = ("schedule",)
    if reasons:
        is_done = run.write(optimize, table, run.home) is not False
        run.count(**{"optimized" if is_done else "optimize_put_off": 1})
        run.facts["optimized_because"] = ", ".join(reasons)


def passed_thresholds(
    look: TableLook, settings: IndexSettings, *, last: RunReceipt | None = None
) -> tuple[str, ...]:
    """
    Return what asks for an optimize: uncovered rows, fragments, versions, bytes of dead versions.

    What the *last* run that optimized had to leave, because it is too young to be cleared, asks for nothing:
    only what has grown by half since.
    """
    left = last.counts if last else {}
    dead = look.files.dead_bytes if look.files is not None else 0
    passed = {
        "uncovered_rows": _uncovered(look.state) > _allowed_uncovered(look.state.rows),
        "fragments": look.state.fragments > settings.max_fragments,
        "versions": look.state.versions > max(settings.max_versions, left.get("versions", 0) * 1.5),
        "dead_bytes": dead > max(settings.max_dead_mib * _MIB, left.get("dead_bytes_after", 0) * 1.5),
    }
    return tuple(name for name, is_passed in passed.items() if is_passed)


def were_indices_written(run: Run) -> bool:
    """Return whether this run wrote an index: none that stays as it was answers otherwise than before."""
    done = ("indices_built", "indices_dropped", "optimized", "optimize_put_off")
    return any(run.counts.get(name) for name in done)


def judge_probes(run: Run, probes: Sequence[IndexProbe]) -> None:
    """Count what the indices answered; one that does not even after it was built anew is an anomaly."""
    run.count(
        probes=len(probes),
        probes_ok=sum(one.ok for one in probes),
        probes_failed=sum(not one.ok for one in probes),
    )
    for one in probes:
        if not one.ok:
            run.anomaly("index_does_not_answer", f"{one.name}: {one.detail or 'a known row was not found'}")


def judge_ids(run: Run, table: MemoryTable, state: TableState) -> None:
    """Count the ids that stand there more than once: which of the rows is meant, nobody can say."""
    doubled = _doubled_before(run, state)
    if doubled is None:
        doubled = run.step(count_doubled_ids, table)
    run.count(doubled_ids=doubled)
    if doubled:
        message = f"{doubled} memories have the id of another: `sunrise mend-ids` gives them their own"
        run.anomaly("doubled_ids", message, count=doubled)


def _doubled_before(run: Run, state: TableState) -> int | None:
    # The last run has counted them where the table is still the one that it left.
    last = next((one for one in run.home.ledger.runs(flow=run.flow, limit=2) if one.finished_ms), None)
    if last is None or (
        last.facts.get("version_after"),
        last.counts.get("rows"),
        last.facts.get("memories"),
    ) != (
        str(state.version),
        state.rows,
        run.facts.get("memories"),
    ):
        return None
    return last.counts.get("doubled_ids")


def _last_optimized(run: Run) -> RunReceipt | None:
    past = run.home.ledger.runs(flow=run.flow, limit=_PAST_RUNS)
    return next((one for one in past if one.counts.get("optimized") and not one.dry_run), None)


def _is_due(run: Run, state: TableState, last: RunReceipt | None, settings: IndexSettings) -> bool:
    if state.versions <= 1:
        return False
    if last is None:
        return _uncovered(state) > 0
    return run.started_ms - last.started_ms >= settings.optimize_hours * _HOUR_MS


def _uncovered(state: TableState) -> int:
    return max((index.unindexed_rows for index in state.indices), default=0)


def _allowed_uncovered(rows: int) -> int:
    return int(rows * ALLOWED_UNCOVERED) if rows >= MANY_ROWS else 0
