from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.grade import grade
from sunrise.bootstrap import Home, open_home
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.scoring import heuristic_v1
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.scoring.scorers import SCORERS
from sunrise.domain.scoring.signals import Grade, Scorer, Signal
from sunrise.errors import ConfigurationError
from sunrise.settings import load_settings
from tasks import grade as grading
from tasks.receipt_files import page_path
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


class Brittle(Scorer):
    """A scorer that no frame can be graded by, and that fails on one text."""

    def add_up(self, seen: Callable[[Signal], bool], *, task: bool) -> Grade:
        raise RuntimeError("no frame")

    def grade(self, *, kind: str, tool_name: str | None, summary: str) -> Grade:
        if summary == "ls":
            raise RuntimeError("cannot read this")
        return HEURISTIC_V1.grade(kind=kind, tool_name=tool_name, summary=summary)


BRITTLE = Brittle(method="brittle", version=1, signals=HEURISTIC_V1.signals)


def test_a_scorer_that_fails_costs_its_row_the_grade_and_is_told_of(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "SCORERS", {"heuristic-v1": BRITTLE})
    receipt = go(filled)
    assert (receipt.status, counts(receipt)) == (RunStatus.ANOMALY, [3, 1, 1, 0, 1])
    assert [(one.code, one.count) for one in receipt.anomalies] == [("scorer_errors", 1)]
    assert labels(filled)[1] is None
    monkeypatch.undo()
    # The row is tried again, alone.
    assert counts(go(filled)) == [1, 1, 0, 0, 0]


ROWS = pl.DataFrame(
    {
        "id": [7, 3, 5],
        "kind": ["note", "task", "note"],
        "tool_name": [None, "exec", None],
        "summary": ["ran without errors", "ls", "we must decide"],
    }
)


def test_rows_are_graded_by_the_scorer_that_is_given_and_in_their_order() -> None:
    by_default, errors = grading.score_rows(ROWS)
    assert (by_default["id"].to_list(), errors) == ([7, 3, 5], 0)
    assert by_default["score"].to_list() == pytest.approx([0.45, 0.5, 1.0])
    newer, errors = grading.score_rows(ROWS, SCORERS["heuristic-v2"])
    assert newer.schema == by_default.schema
    assert (newer["score"].to_list(), errors) == (pytest.approx([0.3, 0.5, 1.0]), 0)
    assert set(newer["method"]) == {"heuristic-v2"}


def test_a_frame_that_cannot_be_graded_is_graded_row_by_row() -> None:
    grades, errors = grading.score_rows(ROWS, BRITTLE)
    whole, _ = grading.score_rows(ROWS)
    assert errors == 1
    assert grades.equals(whole.filter(pl.col("id") != 3))


def test_a_service_that_is_absent_costs_the_grades_and_the_run_goes_on(filled: Path) -> None:
    toml = filled / "sunrise.toml"
    before = toml.read_text()
    toml.write_text(before + '[grade]\nscorer = "http"\nhttp_url = "http://127.0.0.1:9/grade"\n')
    receipt = go(filled)
    assert (receipt.status, counts(receipt)) == (RunStatus.ANOMALY, [3, 0, 1, 0, 2])
    toml.write_text(before)
    assert counts(go(filled)) == [2, 2, 0, 0, 0]


class Half:
    """A scorer beside the tables: half for what it knows, nothing for the rest."""

    def score(self, rows: Sequence[Mapping[str, Any]]) -> list[Grade | None]:
        half = Grade(0.5, ImportanceLabel.NICE_TO_HAVE, "Half.", (), (), "http", 2)
        return [half if row["summary"] == "ls" else None for row in rows]


def test_a_scorer_that_is_no_table_is_asked_for_whole_batches() -> None:
    grades, errors = grading.score_rows(ROWS, Half())
    assert errors == 2
    assert grades.rows() == [(3, 0.5, "nice_to_have", "http", 2, "Half.")]


@pytest.mark.parametrize(
    "section",
    [
        'scorer = "http"',
        'scorer = "http"\nhttp_url = "file:///x"',
        'http_url = "a.io"',
        "http_timeout_s = 0",
    ],
)
def test_a_scorer_that_could_not_be_asked_is_refused_with_the_settings(home_path: Path, section: str) -> None:
    with (home_path / "sunrise.toml").open("a") as file:
        file.write(f"[grade]\n{section}\n")
    with pytest.raises(ConfigurationError, match="grade"):
        load_settings(home_path)


def test_only_observations_and_memories_have_what_is_graded(home: Home) -> None:
    with pytest.raises(ValueError, match="no ref of an observation or a memory"):
        grading.graded_cells(home, "ep:1")
    assert grading.graded_cells(home, "obs:x") is None


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


def test_the_page_of_a_run_tells_scores_reasons_other_scorers_and_the_past(filled: Path) -> None:
    with open_home(load_settings(filled)) as home:
        text = "a task-oriented rule: always take a backup"
        home.ledger.commit_harvest(observations(observation("d", summary=text)), rejected=(), position=None)
    receipt = go(filled)
    assert receipt.counts["graded_filled"] == 3
    assert sum(receipt.groups["scores"].values()) == 3
    # The first takes "task-oriented" for a secret, the second does not: 0.3 - 0.4 + 0.4 beside 0.3 + 0.4.
    assert receipt.groups["scorers_disagree"] == {"heuristic-v2: ignore->nice_to_have": 1}
    assert receipt.groups["scorers_compared"] == {"heuristic-v2": 3}
    assert receipt.groups["reasons"]["Looks like a secret, so it is kept low."] == 1
    page = page_path(filled / "reports", receipt.run_id).read_text(encoding="utf-8")
    assert "Labels over time" in page
