"""Steps of the writeback: compare what the ledger knows with what the memories hold, and write it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import polars as pl
import pyarrow as pa

from contracts.governance import GovernanceFrame, MemoryGovernanceFrame
from sunrise.bootstrap import Home
from sunrise.domain.links import AMBIGUOUS, MISSING, LinkedUpTo
from sunrise.domain.receipts import MAX_REFS
from sunrise.domain.records import memory_ref, observation_ref
from sunrise.domain.trust import TIERS
from sunrise.errors import DataError
from sunrise.ports import MemoryTable
from tasks.index import cover_written
from tasks.memories import FINISHED, apply_updates, clear_outbox, record_updates
from tasks.memory_importance import with_agreeing_importance, without_less_than_a_purpose
from tasks.memory_updates import HELD, SET, MemoryUpdates
from tasks.run_frame import Run
from tasks.snapshot import take

FIELDS = (
    "importance",
    "importance_label",
    "scope",
    "category",
    "trust_tier",
    "source_kind",
    "source_ref",
    "lang",
    "state",
)
"""What is filled where it is empty. Texts and vectors are none of them."""

FORCEABLE = ("importance", "importance_label", "scope", "category", "trust_tier")
"""What may be overwritten, if an operator names it."""

FORCED = tuple(name for name in FORCEABLE if name not in ("scope", "trust_tier"))
"""What is overwritten where an operator names nothing: to move a memory, or to trust it, must be named."""


MANY_LINKS, LINKS_FOR_ALL = 10_000, 20
"""
Of so many links, and more than one for so many memories, all memories are read at once.

Fewer are asked for by their ids when the ledger has named them.
"""


@dataclass(frozen=True, slots=True)
class Writeback:
    """
    What a run was asked for.

    ``force`` names the fields that are overwritten where the ledger knows better; ``limit`` is the most
    memories that are changed; ``batch`` the most that are changed in one merge. ``everything`` looks at every
    linked memory and not only at what is new.
    """

    force: tuple[str, ...] = ()
    limit: int | None = None
    batch: int | None = None
    everything: bool = False

    @classmethod
    def asked(
        cls,
        *,
        force: bool = False,
        force_fields: Sequence[str] = (),
        limit: int | None = None,
        batch: int | None = None,
        everything: bool = False,
    ) -> Writeback:
        """
        Return what is asked for; forcing looks at everything.

        Raises:
            DataError: A field cannot be forced, or a number is not positive.
        """
        if unknown := sorted(set(force_fields) - set(FORCEABLE)):
            msg = f"no such field: {', '.join(unknown)}; there are {', '.join(FORCEABLE)}"
            raise DataError(msg, reason="no_such_field")
        if any(number is not None and number < 1 for number in (limit, batch)):
            raise DataError("limit and batch begin at 1", reason="not_positive")
        named = tuple(name for name in FORCEABLE if name in set(force_fields)) or FORCED
        forced = named if force or force_fields else ()
        return cls(forced, limit, batch, everything=everything or bool(forced))


FILL = Writeback()
"""Fill what is empty of what is new: what the schedule asks for."""


@dataclass(frozen=True)
class WritebackPlan:
    """What a run would write, before it writes anything."""

    checked: int
    updates: MemoryUpdates
    overwritten: int = 0
    deferred: int = 0
    unresolved: dict[str, str] = field(default_factory=dict)

    def count(self, reason: str) -> int:
        """Return how many memories could not be resolved for a reason."""
        return sum(one == reason for one in self.unresolved.values())


def linked_up_to(home: Home) -> LinkedUpTo:
    """Return how far the ledger is filled: what this run covers."""
    return home.ledger.linked_up_to()


def read_governance(home: Home, *, up_to: LinkedUpTo, everything: bool) -> pl.DataFrame:
    """Return what the ledger knows of the memories that need a look."""
    return pl.DataFrame(home.ledger.linked_governance(up_to=up_to, everything=everything))


def newest_values(rows: pl.DataFrame) -> pl.DataFrame:
    """
    Return one row a memory: of each field the newest value that is not empty, of trust the least.

    An observation without a tier is one of unknown trust, and one that says more does not outweigh it.
    """
    if rows["memory_id"].n_unique() == rows.height:
        return rows.drop("observation_id", "importance_from")
    rows = without_less_than_a_purpose(rows)
    newest = [pl.col(name).drop_nulls().last().alias(name) for name in FIELDS if name != "trust_tier"]
    ranks = {tier: rank for rank, tier in enumerate(TIERS) if tier}
    rank = pl.col("trust_tier").replace_strict(ranks, default=TIERS.index(None), return_dtype=pl.Int8)
    lowest = rank.fill_null(TIERS.index(None)).min()
    least_trust = lowest.replace_strict(dict(enumerate(TIERS)), return_dtype=pl.String).alias("trust_tier")
    return rows.sort("observation_id").group_by("memory_id", maintain_order=True).agg(*newest, least_trust)


def of_their_scope(known: pl.DataFrame, held: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """
    Return the observations that may speak of their memories, and those that are of another scope.

    A memory or an observation without a scope is of none. Links are refused where they are made; this holds
    also for those that were made before that, and for memories that changed their scope since.
    """
    # Of an id that stands there twice nothing is written anyway.
    scopes = held.select("id", pl.col("scope").alias("scope" + HELD)).unique("id")
    both = known.join(scopes, left_on="memory_id", right_on="id", how="left", maintain_order="left")
    differs = pl.col("scope").str.strip_chars() != pl.col("scope" + HELD).str.strip_chars()
    elsewhere = both.select(~_is_empty("scope") & ~_is_empty("scope" + HELD) & differs).to_series()
    return known.filter(~elsewhere), known.filter(elsewhere)


def begin_reading(
    pool: Executor, home: Home, table: MemoryTable, *, up_to: LinkedUpTo, everything: bool
) -> Future[tuple[int, pa.Table]] | None:
    """
    Begin to read all memories, if many need a look: neither store waits for the other then.

    Returns nothing where it is quicker to ask for those few by their ids, which only the ledger knows.
    """
    links = up_to.links if everything else home.ledger.links_since_writeback(up_to=up_to)
    if links < MANY_LINKS or links * LINKS_FOR_ALL < table.state().rows:
        return None
    return pool.submit(lambda: (table.newest_version(), table.scan(["id", *FIELDS])))


def read_memories(
    table: MemoryTable, ids: pl.Series, begun: Future[tuple[int, pa.Table]] | None = None
) -> tuple[pl.DataFrame, int]:
    """Return what these memories hold, and at which version; a column that is not there yet is empty."""
    if begun is None:
        version, found = table.newest_version(), table.by_ids(ids.to_list(), ["id", *FIELDS])
        held = pl.DataFrame(found)
    else:
        version, found = begun.result()
        held = pl.DataFrame(found).filter(pl.col("id").is_in(ids.implode()))
    absent = [
        pl.lit(None, dtype=pl.Float64 if name == "importance" else pl.String).alias(name)
        for name in FIELDS
        if name not in held.columns
    ]
    return held.with_columns(absent).select("id", *FIELDS), version


def plan_writeback(run: Run, table: MemoryTable, asked: Writeback, *, up_to: LinkedUpTo) -> WritebackPlan:
    """Compare the ledger with the table and return what is to be written."""
    with ThreadPoolExecutor(1) as pool:
        begun = begin_reading(pool, run.home, table, up_to=up_to, everything=asked.everything)
        rows = run.step(read_governance, run.home, up_to=up_to, everything=asked.everything)
        known = run.admit(GovernanceFrame, rows, source="ledger.governance", key="observation_id")
        held, version = run.step(read_memories, table, known["memory_id"].unique(), begun)
    if "scope" not in asked.force:
        known, elsewhere = of_their_scope(known, held)
        run.count(other_scope=elsewhere.height)
        run.name(
            "other_scope", [memory_ref(one) for one in elsewhere["memory_id"].unique(maintain_order=True)]
        )
    wanted = newest_values(known)
    twice = held.filter(pl.col("id").is_duplicated())["id"].unique().to_list()
    held = run.admit(MemoryGovernanceFrame, held, source="memories", key="id")
    return run.step(compare, wanted, held, asked, version=version, ambiguous=twice)


def compare(
    wanted: pl.DataFrame,
    held: pl.DataFrame,
    asked: Writeback,
    *,
    version: int,
    ambiguous: Collection[str] = (),
) -> WritebackPlan:
    """
    Return the fields that are empty in the table and known to the ledger, and those that are forced.

    A memory whose every field is filled already, or of which the ledger knows nothing more, is skipped.
    """
    there = held.with_columns(pl.lit(value=True).alias(THERE))
    both = wanted.join(there, left_on="memory_id", right_on="id", how="left", suffix=HELD)
    both = with_agreeing_importance(both, forced=asked.force)
    gone: list[str] = []
    if both[THERE].null_count():
        gone = both.filter(pl.col(THERE).is_null())["memory_id"].to_list()
        both = both.drop_nulls(THERE)
    fields = list(FIELDS)
    fills, forces = {name: _fills(name) for name in fields}, {name: _overwrites(name) for name in asked.force}
    sets = {name: fills[name] | forces[name] if name in forces else fills[name] for name in fields}
    changing = both.select(
        pl.col("memory_id").alias("id"),
        pl.when(pl.any_horizontal(forces.values()) if forces else pl.lit(value=False))
        .then(pl.lit("forced"))
        .otherwise(pl.lit("fill_empty"))
        .alias("reason"),
        *fields,
        *(name + HELD for name in fields),
        *(sets[name].alias(name + SET) for name in fields),
        *(forces[name].alias(name + FORCE) for name in forces),
    ).filter(pl.any_horizontal(pl.col(name + SET) for name in fields))
    chosen = changing if asked.limit is None else changing.head(asked.limit)
    return WritebackPlan(
        checked=wanted.height,
        updates=MemoryUpdates(chosen, tuple(fields), version),
        deferred=changing.height - chosen.height,
        unresolved={name: AMBIGUOUS if name in set(ambiguous) else MISSING for name in gone},
    )


def write_plan(run: Run, table: MemoryTable, plan: WritebackPlan, asked: Writeback) -> None:
    """
    Write what is planned, one merge a batch, and let the indices cover it; a snapshot before overwriting.

    The changes leave the outbox last: a run that finds some there knows that the indices may lag behind.
    """
    if count_overwrites(plan.updates, asked):
        run.facts["snapshot"] = run.step(take, run.home, table, reason="before-forced-writeback")
    pending = []
    with ThreadPoolExecutor(1) as pool:
        for part in plan.updates.batches(asked.batch or max(1, len(plan.updates))):
            # What the table takes is laid out while the ledger writes down what it held.
            ready = pool.submit(getattr, part, "rows_and_read")
            pending.append(run.step(record_updates, run.home, part, run_id=run.run_id))
            ready.result()
            # Whoever closes the ledger last does it otherwise, and there nothing else goes on meanwhile.
            pool.submit(run.home.ledger.write_log_back)
            run.step(apply_updates, table, part)
    if pending or FINISHED in run.counts:
        run.step(cover_written, table, run.home)
    run.step(clear_outbox, run.home, pending)


def count_overwrites(updates: MemoryUpdates, asked: Writeback) -> dict[str, int]:
    """Return how many memories have each field overwritten."""
    counts = {name: int(updates.frame[name + FORCE].sum()) for name in asked.force}
    return {name: rows for name, rows in counts.items() if rows}


def count_plan(run: Run, plan: WritebackPlan, asked: Writeback) -> None:
    """Put what is planned into the receipt."""
    frame = plan.updates.frame
    over = count_overwrites(plan.updates, asked)
    overwritten = frame.filter(pl.any_horizontal(pl.col(name + FORCE) for name in over)).height if over else 0
    missing, ambiguous = plan.count(MISSING), plan.count(AMBIGUOUS)
    run.count(
        checked=plan.checked,
        updated=frame.height,
        deferred=plan.deferred,
        missing=missing,
        ambiguous=ambiguous,
        skipped=plan.checked - frame.height - plan.deferred - missing - ambiguous,
        overwritten=overwritten,
        overwrittenFields=sum(over.values()),
    )
    for name in plan.updates.changed_fields:
        filled = int(frame[name + SET].sum()) - over.get(name, 0)
        if filled:
            run.tally("filled_by_field", name, filled)
    for name, rows in over.items():
        run.tally("overwritten_by_field", name, rows)
    for reason, kind in ((MISSING, "missingIds"), (AMBIGUOUS, "ambiguousIds")):
        run.name(kind, sorted(name for name, why in plan.unresolved.items() if why == reason))


def tell_unresolved(run: Run, plan: WritebackPlan, *, up_to: LinkedUpTo) -> None:
    """Tell the operator of memories that are gone or ambiguous: once, and not at each run."""
    known = run.step(unresolved_memories, run.home)
    news = {name: why for name, why in plan.unresolved.items() if known.get(name) != why}
    missing = sum(why == MISSING for why in news.values())
    if missing:
        run.anomaly("missing_ids", "observations name memories that the table lacks", missing)
    if len(news) > missing:
        run.anomaly("ambiguous_ids", "several memories have the same id", len(news) - missing)
    unlinked, some = run.step(unlinked_observations, run.home, up_to=up_to)
    run.count(unlinked=unlinked)
    run.name("unlinked", [observation_ref(row_id) for row_id in some])


def unresolved_memories(home: Home) -> dict[str, str]:
    """Return the memories that the last writeback could not resolve."""
    return dict(home.ledger.unresolved_memories())


def unlinked_observations(home: Home, *, up_to: LinkedUpTo) -> tuple[int, Sequence[int]]:
    """Return how many new observations stored a memory and do not say which, and some of them."""
    return home.ledger.unlinked_observations(up_to=up_to, limit=MAX_REFS)


def finish_writeback(home: Home, plan: WritebackPlan, *, up_to: LinkedUpTo) -> None:
    """Note how far the memories were told; where some were put off, they are looked at again."""
    if not plan.deferred:
        home.ledger.finish_writeback(up_to=up_to, unresolved=plan.unresolved)


THERE = ".there"
"""The column that says of a memory of the ledger whether the table has it."""

FORCE = ".force"
"""What the name of a column ends with that says whether the field of a row is overwritten."""


def _is_empty(name: str) -> pl.Expr:
    column = pl.col(name)
    return (
        column.is_null()
        if name.startswith("importance") and not name.startswith("importance_")
        else (column.is_null() | (column.str.strip_chars() == ""))
    )


def _fills(name: str) -> pl.Expr:
    return ~_is_empty(name) & _is_empty(name + HELD)


def _overwrites(name: str) -> pl.Expr:
    differs = pl.col(name) != pl.col(name + HELD)
    return ~_is_empty(name) & ~_is_empty(name + HELD) & differs
