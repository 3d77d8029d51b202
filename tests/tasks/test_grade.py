from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from flows.grade import grade
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.scoring import heuristic_v1
from sunrise.settings import load_settings
from tasks import grade as grading
from tests.fakes import FrozenClock
from tests.homes import observation, observations, position, run_body

NAMES = ("total_seen", "graded_filled", "skipped_existing", "skipped_disabled", "scorer_errors")


@pytest.fixture
def filled(home_path: Path, clock: FrozenClock) -> Path:
    with open_home(load_settings(home_path), clock=clock) as home:
        rows = [
            observation("a", kind="decision", summary="We decided: always back up before a deploy"),
            observation("b", kind="tool", tool_name="exec", summary="ls"),
            observation("c", importance_label="ignore", importance_score=0.1),
        ]
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())
    return home_path


def go(path: Path, *, dry_run: bool = False) -> RunReceipt:
    return run_body(path, grade, dry_run=dry_run)


def counts(receipt: RunReceipt) -> list[int]:
    return [receipt.counts[name] for name in NAMES]


def labels(path: Path) -> list[str | None]:
    with open_home(load_settings(path)) as home:
        found: list[str | None] = home.ledger.lifecycle_rows().column("importance_label").to_pylist()
        return found


def test_empty_grades_are_filled_and_others_stand(filled: Path) -> None:
    receipt = go(filled)
    assert (receipt.status, counts(receipt)) == (RunStatus.OK, [3, 2, 1, 0, 0])
    wanted = [
        str(heuristic_v1.grade(kind=kind, tool_name=tool, summary=text).label)
        for kind, tool, text in (
            ("decision", None, "We decided: always back up before a deploy"),
            ("tool", "exec", "ls"),
        )
    ]
    assert labels(filled) == [*wanted, "ignore"]
    assert sum(receipt.groups["label_counts"].values()) == 2
    assert set(receipt.groups["label_counts"]) == {"must_remember", "nice_to_have", "ignore", "unknown"}
    assert receipt.facts["scorer"] == "heuristic-v1"
    assert counts(go(filled)) == [0, 0, 0, 0, 0]


def test_a_scorer_that_is_off_grades_nothing_and_leaves_the_rows_for_later(filled: Path) -> None:
    toml = filled / "sunrise.toml"
    before = toml.read_text()
    toml.write_text(before + '[grade]\nscorer = "off"\n')
    receipt = go(filled)
    assert (receipt.status, counts(receipt)) == (RunStatus.OK, [3, 0, 1, 2, 0])
    assert labels(filled) == [None, None, "ignore"]
    toml.write_text(before)
    assert counts(go(filled)) == [3, 2, 1, 0, 0]


def test_a_scorer_that_fails_costs_its_row_the_grade_and_is_told_of(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def brittle(*, kind: str, tool_name: str | None, summary: str) -> heuristic_v1.Grade:
        if summary == "ls":
            raise RuntimeError("cannot read this")
        return heuristic_v1.grade(kind=kind, tool_name=tool_name, summary=summary)

    monkeypatch.setattr(grading, "grade", brittle)
    receipt = go(filled)
    assert (receipt.status, counts(receipt)) == (RunStatus.ANOMALY, [3, 1, 1, 0, 1])
    assert [(one.code, one.count) for one in receipt.anomalies] == [("scorer_errors", 1)]
    assert labels(filled)[1] is None
    monkeypatch.undo()
    # The row is tried again, alone.
    assert counts(go(filled)) == [1, 1, 0, 0, 0]


def test_a_dry_run_counts_the_same_and_fills_nothing(filled: Path) -> None:
    assert counts(go(filled, dry_run=True)) == [3, 2, 1, 0, 0]
    assert labels(filled) == [None, None, "ignore"]


def test_small_batches_see_every_row_once(home_path: Path, clock: FrozenClock) -> None:
    with open_home(load_settings(home_path), clock=clock) as home:
        rows = [observation(str(n)) for n in range(250)]
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())
    with (home_path / "sunrise.toml").open("a") as file:
        file.write("[grade]\nbatch_rows = 100\n")
    assert counts(go(home_path)) == [250, 250, 0, 0, 0]


def test_no_rows_give_an_empty_frame_of_grades() -> None:
    empty = pl.DataFrame(
        schema={"id": pl.Int64, "kind": pl.String, "tool_name": pl.String, "summary": pl.String}
    )
    grades, errors = grading.score_rows(empty)
    assert (grades.height, grades.columns, errors) == (
        0, ["id", "score", "label", "method", "version", "rationale"], 0,
    )  # fmt: skip
