"""Steps of a regrade: score again what was graded before, see what would move, and replace it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import polars as pl

from contracts.observations import GradeFrame, UngradedFrame
from reports.sections import Section
from sunrise.bootstrap import Home, existing_memories
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.records import observation_ref
from sunrise.domain.scoring.signals import Scorer
from sunrise.errors import ConfigurationError
from sunrise.sections.batch import GradeSettings
from tasks.grade import lift_stored_on_purpose, score_rows, scorer_of
from tasks.grade_figures import BINS, UNGRADED, binned
from tasks.run_frame import Run, SkipRun
from tasks.snapshot import take

if TYPE_CHECKING:
    from sunrise.adapters.http_scorer import HttpScorer

FORCEABLE = ("score", "label", "method", "version", "rationale")
"""The fields of a grade that an operator may have replaced where the grade is none of ours."""


SAMPLES = 20
SAMPLE_CELLS = ("held_label", "held_score", "label_after", "score_after")

_SOURCE = "ledger.observations"
_CONTRACT_COLUMNS = ("id", "kind", "tool_name", "summary", "importance_label")


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrade:
    """
    What is to be graded anew: by which scorer (None: that of the settings), which rows, over whose grades.

    ``since_ms`` and ``scope`` bound the rows, None bounds nothing. ``force`` names fields that are replaced
    even where an operator, or nobody we know, gave the grade.
    """

    scorer: str | None = None
    since_ms: int | None = None
    scope: str | None = None
    force: tuple[str, ...] = ()


def own_methods() -> frozenset[str]:
    """Return the methods whose grades are ours to replace: those of the scorers that can be set."""
    return frozenset(get_args(GradeSettings.model_fields["scorer"].annotation)) - {"off"}


def chosen_scorer(home: Home, asked: Regrade) -> Scorer | HttpScorer:
    """
    Return the scorer to use.

    Raises:
        ConfigurationError: There is no such scorer, or no such field to force.
        SkipRun: The settings switch scoring off, and no scorer was named.
    """
    settings = home.settings.grade
    name = asked.scorer or settings.scorer
    if name == "off":
        raise SkipRun("scorer_off")
    if name not in own_methods():
        msg = f"no such scorer: {name!r}; there are {', '.join(sorted(own_methods()))}"
        raise ConfigurationError(msg)
    if not set(asked.force) <= set(FORCEABLE):
        msg = f"no such field to force: {', '.join(asked.force)}; there are {', '.join(FORCEABLE)}"
        raise ConfigurationError(msg)
    return scorer_of(settings.model_copy(update={"scorer": name}))


def graded_batches(run: Run, asked: Regrade) -> Iterator[pl.DataFrame]:
    """Yield the rows of the stretch with the grades they hold, in batches by id."""
    after_id = 0
    while True:
        rows = run.step(read_graded, run.home, asked, after_id=after_id)
        if rows.is_empty():
            return
        after_id = rows["id"].to_list()[-1]
        yield rows


def read_graded(home: Home, asked: Regrade, *, after_id: int) -> pl.DataFrame:
    """Return the next batch past an id."""
    limit = home.settings.grade.batch_rows
    found = home.ledger.regradable(after_id=after_id, limit=limit, since_ms=asked.since_ms, scope=asked.scope)
    return pl.DataFrame(found)


def regrade_batch(
    run: Run, rows: pl.DataFrame, asked: Regrade, *, scorer: Scorer | HttpScorer
) -> pl.DataFrame:
    """Score one batch, replace what differs, count it, and return the first rows whose label moves."""
    admitted = run.admit(UngradedFrame, rows.select(_CONTRACT_COLUMNS), source=_SOURCE, key="id")
    kept = rows.join(admitted.select("id"), on="id", how="semi", maintain_order="left")
    kept = kept.with_columns(is_protected().alias("protected"))
    scored = kept if asked.force else kept.filter(~pl.col("protected"))
    grades, errors = run.step(score_rows, scored.select(_CONTRACT_COLUMNS[:4]), scorer)
    grades = run.step(lift_stored_on_purpose, run.home, grades)
    grades = run.admit(GradeFrame, grades, source=_SOURCE, key="id")
    judged = compare(kept, grades, force=asked.force)
    changed = judged.filter("changed")
    if changed.height:
        take_snapshot_once(run)
    replaced = changed.select(grades.columns)
    written = run.write(save_regrades, run.home, replaced, run_id=run.run_id, force=asked.force)
    written = changed.height if written is None else written
    # Where fewer were written, somebody graded the row between reading and writing: theirs stands.
    held_back = changed.height - written + kept.height - scored.height
    run.count(seen=rows.height, scorer_errors=errors, regraded=written, protected=held_back)
    run.count(unchanged=grades.height - changed.height)
    return count_moves(run, judged)


def is_protected() -> pl.Expr:
    """Return whether a grade is none of ours: an operator, the capture or an unknown scorer gave it."""
    is_ours = pl.col("held_method").is_in(list(own_methods())).fill_null(value=False)
    return pl.col("importance_label").is_not_null() & ~is_ours


def compare(rows: pl.DataFrame, grades: pl.DataFrame, *, force: tuple[str, ...] = ()) -> pl.DataFrame:
    """
    Return rows beside their new grades, with ``changed`` and the label and score ``_after``.

    Of a protected row only the fields of ``force`` count. A row without a new grade keeps the one it has.
    """
    joined = rows.rename({"importance_label": "held_label"}).join(
        grades, on="id", how="left", maintain_order="left"
    )
    is_given = pl.col("label").is_not_null()
    after = {
        name: pl.when(is_given & (~pl.col("protected") | pl.lit(name in force)))
        .then(pl.col(name))
        .otherwise(pl.col(f"held_{name}"))
        for name in FORCEABLE
    }
    changed = pl.any_horizontal(value.ne_missing(pl.col(f"held_{name}")) for name, value in after.items())
    return joined.with_columns(
        changed.alias("changed"), after["label"].alias("label_after"), after["score"].alias("score_after")
    )


def save_regrades(home: Home, grades: pl.DataFrame, *, run_id: str, force: tuple[str, ...]) -> int:
    """Replace grades, each with its change; return how many were replaced."""
    return home.ledger.save_regrades(grades.to_arrow(), own=own_methods(), run_id=run_id, force=force)


def take_snapshot_once(run: Run) -> None:
    """Keep a copy of both stores before the first grade is replaced."""
    if "snapshot" not in run.facts and not run.dry_run:
        run.facts["snapshot"] = run.step(snapshot_before, run.home)


def snapshot_before(home: Home) -> str:
    """Take the snapshot; a table that is not there is not made for it."""
    return take(home, existing_memories(home.settings), reason="before-regrade")


def count_moves(run: Run, judged: pl.DataFrame) -> pl.DataFrame:
    """Count scores before and after, and labels by where they move; return the first rows that do."""
    for group, column in (("scores_before", "held_score"), ("scores_after", "score_after")):
        for name, count in binned(judged[column]).items():
            run.tally(group, name, count)
    labels = [pl.col(name).fill_null(str(ImportanceLabel.UNKNOWN)) for name in ("held_label", "label_after")]
    moved = judged.with_columns(labels).filter(pl.col("held_label") != pl.col("label_after"))
    run.count(labels_moved=moved.height)
    move = pl.format("{}->{}", "held_label", "label_after").alias("move")
    for name, count in moved.group_by(move).len().sort("move").iter_rows():
        run.tally("label_moves", name, count)
    return moved.select("id", *SAMPLE_CELLS).head(SAMPLES)


def show_moves(run: Run, moved: Sequence[pl.DataFrame]) -> None:
    """Name the first rows whose label moves, and put moves, these rows and the scores on the page."""
    rows = [row for batch in moved for row in batch.iter_rows()][:SAMPLES]
    run.name("samples", [observation_ref(row[0]) for row in rows])
    moves = tuple(sorted(run.groups["label_moves"].items()))
    if moves:
        run.sections.append(Section(title="Labels that move", columns=("move", "rows"), rows=moves))
        cells = tuple((observation_ref(row_id), *map(_cell, values)) for row_id, *values in rows)
        columns = ("ref", "label", "score", "new label", "new score")
        run.sections.append(Section(title="Samples", columns=columns, rows=cells))
    before, after = run.groups["scores_before"], run.groups["scores_after"]
    scores = tuple((name, before.get(name, 0), after.get(name, 0)) for name in (*BINS, UNGRADED))
    note = "A tenth is named by where it begins."
    run.sections.append(Section(title="Scores", note=note, columns=("score", "before", "after"), rows=scores))


def _cell(value: str | float | None) -> str | float:
    return "-" if value is None else value
