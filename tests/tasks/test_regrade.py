"""A regrade replaces what our scorers gave, shows beforehand what would move, and never touches the rest."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.grade import grade
from flows.regrade import regrade
from flows.undo import undo
from sunrise.bootstrap import open_home
from sunrise.domain.importance import label_from_score
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.settings import load_settings
from tasks.grade_figures import binned
from tasks.regrade import Regrade, compare, own_methods
from tests.fakes import FrozenClock
from tests.homes import CONFIG, NOW, observation, observations, run_body

POLICY = "Rule: always back up before a deploy"
PARTS = ("seen", "regraded", "unchanged", "protected", "scorer_errors", "quarantined")

# Label, score and method that a row holds, and its text.
HELD: list[tuple[str | None, float | None, str | None, str]] = [
    ("ignore", 0.1, "heuristic-v1", POLICY),
    ("ignore", 0.1, "heuristic-v2", POLICY),
    ("ignore", 0.1, None, POLICY),
    ("ignore", 0.1, "openclaw", POLICY),
    (None, None, None, POLICY),
]


def fill(path: Path, rows: list[Any], **values: Any) -> None:
    from sunrise.adapters.sqlite_ledger import SqliteLedger

    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        news = [observation(str(number), summary=row[3], **values) for number, row in enumerate(rows)]
        home.ledger.commit_harvest(observations(*news), rejected=(), position=None)
        assert isinstance(home.ledger, SqliteLedger)
        with home.ledger.writing() as db:
            db.executemany(
                "UPDATE observations SET importance_label = ?, importance_score = ?, importance_method = ?,"
                " importance_version = iif(?3 IS NULL, NULL, 1) WHERE id = ?4",
                [(*row[:3], number) for number, row in enumerate(rows, start=1)],
            )


@pytest.fixture
def place(home_path: Path) -> Path:
    fill(home_path, HELD)
    return home_path


def go(path: Path, *, dry_run: bool = False, **asked: Any) -> RunReceipt:
    return run_body(path, partial(regrade, asked=Regrade(**asked)), flow="regrade", dry_run=dry_run)


def parts(receipt: RunReceipt) -> list[int]:
    return [receipt.counts[name] for name in PARTS]


def held(path: Path) -> list[dict[str, Any]]:
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        rows: list[dict[str, Any]] = home.ledger.regradable(after_id=0, limit=1000).to_pylist()
        return rows


def given_to(text: str) -> tuple[str, float]:
    made = HEURISTIC_V1.grade(kind="note", tool_name=None, summary=text)
    return str(made.label), made.score


def test_ours_and_empty_grades_are_replaced_and_others_stand(place: Path) -> None:
    before = held(place)
    receipt = go(place)
    assert (receipt.status, parts(receipt)) == (RunStatus.OK, [5, 3, 0, 2, 0, 0])
    now = held(place)
    label, score = given_to(POLICY)
    assert [(row["importance_label"], row["held_score"]) for row in now] == [
        (label, score), (label, score), ("ignore", 0.1), ("ignore", 0.1), (label, score),
    ]  # fmt: skip
    assert now[2:4] == before[2:4]
    assert receipt.facts["scorer"] == "heuristic-v1"
    assert parts(go(place)) == [5, 0, 3, 2, 0, 0]


def test_a_preview_says_what_would_move_and_writes_nothing(place: Path) -> None:
    before = held(place)
    preview = go(place, dry_run=True)
    assert held(place) == before
    assert not (place / "backups").exists()
    label, score = given_to(POLICY)
    assert preview.groups["label_moves"] == {f"ignore->{label}": 2, f"unknown->{label}": 1}
    assert (preview.counts["labels_moved"], preview.refs["samples"]) == (3, ("obs:1", "obs:2", "obs:5"))
    tenths = preview.groups["scores_before"]
    assert (len(tenths), tenths["0.1"], tenths["none"], sum(tenths.values())) == (11, 4, 1, 5)
    after = preview.groups["scores_after"]
    assert (after["0.1"], after[f"{score:.1f}"], after["none"]) == (2, 3, 0)
    real = go(place)
    assert (real.groups, real.counts, real.refs) == (preview.groups, preview.counts, preview.refs)


def test_the_page_shows_moves_samples_and_scores(place: Path) -> None:
    receipt = go(place, dry_run=True)
    (page,) = (place / "reports").glob(f"**/*{receipt.run_id}*.html")
    text = page.read_text(encoding="utf-8")
    assert all(title in text for title in ("Labels that move", "Samples", "Scores", "obs:5"))
    assert POLICY not in text


def test_of_many_that_move_twenty_are_named(home_path: Path) -> None:
    fill(home_path, [HELD[0]] * 250)
    with (home_path / "sunrise.toml").open("a") as file:
        file.write("[grade]\nbatch_rows = 100\n")
    receipt = go(home_path)
    assert receipt.refs["samples"] == tuple(f"obs:{number}" for number in range(1, 21))
    assert (parts(receipt)[:2], receipt.counts["labels_moved"]) == ([250, 250], 250)


def test_a_snapshot_is_taken_before_anything_changes_and_only_then(place: Path) -> None:
    receipt = go(place)
    (folder,) = (place / "backups").iterdir()
    assert receipt.facts["snapshot"] == folder.name
    assert '"before-regrade"' in (folder / "manifest.json").read_text()
    assert "snapshot" not in go(place).facts


def test_a_forced_field_is_all_that_changes_of_a_manual_grade(place: Path) -> None:
    receipt = go(place, force=("score",))
    assert (parts(receipt), receipt.facts["forced"]) == ([5, 5, 0, 0, 0, 0], "score")
    _, score = given_to(POLICY)
    for number, method in ((2, None), (3, "openclaw")):
        row = held(place)[number]
        assert (row["importance_label"], row["held_score"], row["held_method"]) == ("ignore", score, method)
    assert parts(go(place, force=("score",))) == [5, 0, 5, 0, 0, 0]


def test_a_stretch_and_a_scorer_can_be_named(home_path: Path) -> None:
    fill(home_path, [HELD[0], HELD[0]], scope="ops", ts_ms=NOW - 10)
    assert parts(go(home_path, scope="home"))[0] == 0
    assert parts(go(home_path, since_ms=NOW))[0] == 0
    receipt = go(home_path, scope="ops", since_ms=NOW - 10, scorer="heuristic-v2")
    assert (parts(receipt)[:2], receipt.facts["scorer"]) == ([2, 2], "heuristic-v2")
    assert {row["held_method"] for row in held(home_path)} == {"heuristic-v2"}


def test_a_scorer_that_is_off_is_no_scorer(place: Path) -> None:
    with (place / "sunrise.toml").open("a") as file:
        file.write('[grade]\nscorer = "off"\n')
    assert (go(place).status, go(place).reason) == (RunStatus.SKIPPED, "scorer_off")
    assert go(place, scorer="heuristic-v1").counts["regraded"] == 3


@pytest.mark.parametrize("asked", [{"scorer": "oracle"}, {"force": ("summary",)}, {"scorer": "http"}])
def test_what_is_not_there_is_refused(place: Path, asked: dict[str, Any]) -> None:
    receipt = go(place, **asked)
    assert (receipt.status, receipt.reason) == (RunStatus.FAILED, "configuration")


def test_rows_that_the_scorer_fails_on_keep_their_grade(place: Path) -> None:
    # Nobody listens at this port.
    with (place / "sunrise.toml").open("a") as file:
        file.write('[grade]\nscorer = "http"\nhttp_url = "http://127.0.0.1:9/"\nhttp_timeout_s = 0.5\n')
    before = held(place)
    receipt = go(place)
    assert (receipt.status, parts(receipt)) == (RunStatus.ANOMALY, [5, 0, 0, 2, 3, 0])
    assert held(place) == before


def test_our_methods_are_those_of_the_settings() -> None:
    assert own_methods() >= {"heuristic-v1", "heuristic-v2", "http"}
    assert "off" not in own_methods()


def test_a_changed_rationale_is_a_change_and_a_row_without_a_grade_is_none() -> None:
    rows = pl.DataFrame(
        {
            "id": [1, 2, 3], "importance_label": ["ignore"] * 3, "protected": [False] * 3,
            "held_score": [0.1] * 3, "held_method": ["m"] * 3, "held_version": [1] * 3,
            "held_rationale": ["old", "new", "old"],
        }
    )  # fmt: skip
    grades = pl.DataFrame(
        {"id": [1, 2], "score": 0.1, "label": "ignore", "method": "m", "version": 1, "rationale": "new"}
    )
    assert compare(rows, grades)["changed"].to_list() == [True, False, False]


def test_scores_fall_into_tenths() -> None:
    found = binned(pl.Series([0.0, 0.1, 0.29, 0.3, 0.7, 0.999, 1.0, None]))
    assert {name: rows for name, rows in found.items() if rows} == {
        "0.0": 1, "0.1": 1, "0.2": 1, "0.3": 1, "0.7": 1, "0.9": 2, "none": 1,
    }  # fmt: skip
    assert sum(binned(pl.Series([], dtype=pl.Float64)).values()) == 0


texts = st.sampled_from([POLICY, "ls", "備份完成，沒有錯誤", "TODO: buy milk", "We decided to use tabs"])
scores = st.floats(0, 1)
manual = st.builds(
    lambda score, method, text: (str(label_from_score(score)), score, method, text),
    scores, st.sampled_from([None, "openclaw", "operator"]), texts,
)  # fmt: skip
ours = st.builds(
    lambda score, method, text: (str(label_from_score(score)), score, method, text),
    scores, st.sampled_from(["heuristic-v1", "heuristic-v2"]), texts,
)  # fmt: skip
empty = st.builds(lambda text: (None, None, None, text), texts)


@settings(deadline=None, max_examples=10)
@given(
    rows=st.lists(manual | ours | empty, min_size=1, max_size=8),
    scorer=st.sampled_from(["heuristic-v1", "heuristic-v2"]),
)
def test_no_run_changes_a_manual_grade_and_undos_leave_nothing(rows: list[Any], scorer: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "sunrise.toml").write_text(CONFIG)
        fill(path, rows)
        start = held(path)
        runs = [run_body(path, grade), go(path, scorer=scorer)]
        now = held(path)
        for row, before, after in zip(rows, start, now, strict=True):
            if row[0] is not None and row[2] not in own_methods():
                assert after == before
            else:
                assert after["held_method"] in own_methods()
        for run in reversed(runs):
            if run.counts.get("regraded", run.counts.get("graded_filled")):
                undone = run_body(path, partial(undo, run_id=run.run_id), flow="undo")
                assert (undone.status, undone.counts["skipped"]) == (RunStatus.OK, 0)
        assert held(path) == start
