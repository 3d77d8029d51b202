"""Weighing rows at the door: what is compared with what, when nothing is weighed, and a month never seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sunrise.adapters.worth_model import WorthModel, worth_model
from sunrise.bootstrap import Home, open_home
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.worth import LOOKS, NEIGHBOURS, Odds
from sunrise.domain.text.analysis import terms
from sunrise.settings import load_settings
from tasks.admission_report import report_admission
from tasks.harvest import read_sources
from tasks.row_worth import FEWEST_ROWS, RowWorth, row_worth
from tests.fakes import FakeEmbedder, FrozenClock
from tests.homes import CONFIG, NOW, OWNERS_SPOOL, write_captures
from training.months import HELD_OUT, LabelledRow, Month, read_month

AXES = {"tea at 4": (1.0, 0.0), "tea at 4 or 5": (0.8, 0.6), "rain": (0.0, 1.0)}


class OnAPlane(FakeEmbedder):
    """Puts three texts on a circle."""

    def __init__(self) -> None:
        super().__init__(2)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.array([AXES[text] for text in texts], np.float32)


def model(features: int, weight: float = 1.0) -> WorthModel:
    """Return a network that gives the sum of all features, times a weight, where it is positive."""
    return WorthModel(
        hidden=np.ones((1, features, 1), np.float32),
        hidden_bias=np.zeros((1, 1), np.float32),
        out=np.full((1, 1), weight, np.float32),
        out_bias=np.zeros(1, np.float32),
    )


WIDTH = 2 + len(LOOKS) + len(NEIGHBOURS)


def row(text: str, source: str = "agent", *, key: str | None = None) -> Candidate:
    return Candidate(key or text, NOW, "note", None, text, terms(text), source)


def neighbours(line: np.ndarray) -> dict[str, float]:
    return dict(zip(NEIGHBOURS, line[-len(NEIGHBOURS) :].tolist(), strict=True))


def test_a_row_is_compared_with_each_row_before_it_and_with_none_after() -> None:
    worth = RowWorth(OnAPlane(), model(WIDTH), ["rain"])
    worth.hear([row("tea at 4", "operator")])
    found = worth.features([row("tea at 4 or 5"), row("rain"), row("rain", key="again")])
    assert found.shape == (3, WIDTH)

    first, second, third = map(neighbours, found)
    # Of five words three are known, and one of two figures.
    expected = {
        "nearest": 0.8,
        "nearest_of_owner": 0.8,
        "figures_known": 0.5,
        "figures_new": 0.25,
        "boot": 0.6,
    }
    assert {name: first[name] for name in expected} == pytest.approx(expected)
    assert (first["words_known"], first["near"]) == pytest.approx((3 / 5, 0.8))
    assert (second["nearest"], second["nearest_of_owner"]) == pytest.approx((0.6, 0.0), abs=1e-6)
    assert (second["boot"], second["figures_known"]) == pytest.approx((1.0, -1.0))
    assert (third["nearest"], third["words_known"]) == pytest.approx((1.0, 1.0))
    assert worth.rows_heard == 4


def test_many_rows_at_once_are_weighed_as_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(text, key=str(at)) for at, text in enumerate([*AXES, *reversed(AXES)])]
    whole = RowWorth(OnAPlane(), model(WIDTH), []).features(rows)
    monkeypatch.setattr("tasks.row_worth._AT_ONCE", 2)
    cut = RowWorth(OnAPlane(), model(WIDTH), []).features(rows)
    one = RowWorth(OnAPlane(), model(WIDTH), [])
    single = np.concatenate([one.features([each]) for each in rows])
    assert np.allclose(whole, cut, atol=1e-6)
    assert np.allclose(whole, single, atol=1e-6)


def test_the_first_row_of_all_has_nothing_before_it() -> None:
    worth = RowWorth(OnAPlane(), model(WIDTH), [])
    assert neighbours(worth.features([row("rain")])[0]) == {
        "nearest": -1.0,
        "nearest_of_owner": -1.0,
        "words_known": 0.0,
        "words_common": 0.0,
        "figures_known": -1.0,
        "figures_new": 0.0,
        "near": 0.0,
        "boot": 0.0,
    }
    assert worth.features([]).shape == (0, WIDTH)


def test_the_odds_alone_leave_out_what_came_before() -> None:
    worth = RowWorth(OnAPlane(), model(WIDTH), [])
    worth.hear([row("tea at 4", key="before")])
    worth.weigh([row("tea at 4"), row("rain")])
    told = worth.odds(row("tea at 4"))
    assert told is not None
    line = RowWorth(OnAPlane(), model(WIDTH), []).features([row("tea at 4")])[0]
    assert told.bare == pytest.approx(float(line[: -len(NEIGHBOURS)].sum()), abs=1e-5)
    # Nearest 1, none of the owner, all words known and common, its figure known, near 1, no boot file.
    assert told.whole - told.bare == pytest.approx(1 - 1 + 1 + 1 + 1 + 0 + 1 + 0, abs=1e-5)
    assert not told.repeats
    assert worth.odds(row("never weighed")) is None


@pytest.mark.parametrize(
    ("first", "second", "again"),
    [("operator", "operator", True), ("tool", "operator", False), ("operator", "agent", False)],
)
def test_only_the_owner_says_again_what_he_said(first: str, second: str, again: bool) -> None:
    worth = RowWorth(OnAPlane(), model(WIDTH), [])
    worth.weigh([row("rain", first), row("tea at 4", first), row("tea at 4", second, key="again")])
    told = worth.odds(row("tea at 4", second, key="again"))
    assert told is not None
    assert told.repeats is again


def test_the_owner_says_again_what_a_boot_file_says() -> None:
    worth = RowWorth(OnAPlane(), model(WIDTH), ["tea at 4"])
    worth.weigh(
        [row("tea at 4", "operator", key="owner"), row("rain", "operator"), row("tea at 4", key="agent")]
    )
    told = [worth.odds(row("", key=key)) for key in ("owner", "rain", "agent")]
    assert [one is not None and one.repeats for one in told] == [True, False, False]


@pytest.mark.parametrize("elsewhere", [{"scope": "work"}, {"agent_id": "other"}])
def test_in_another_scope_and_of_another_agent_nothing_was_said_before(elsewhere: dict[str, str]) -> None:
    worth = RowWorth(OnAPlane(), model(WIDTH), [])
    worth.hear([replace(row("tea at 4", "operator"), **elsewhere)])
    worth.weigh([row("tea at 4", "operator")])
    told = worth.odds(row("tea at 4"))
    assert told is not None
    assert not told.repeats
    found = neighbours(worth.features([replace(row("tea at 4 or 5"), **elsewhere)])[0])
    assert (found["nearest"], found["nearest_of_owner"]) == pytest.approx((0.8, 0.8))
    assert neighbours(worth.features([replace(row("rain"), scope="third")])[0])["nearest"] == -1.0


def test_equal_texts_get_their_vector_once() -> None:
    embedder = OnAPlane()
    RowWorth(embedder, model(WIDTH), []).features([row("rain", key=str(at)) for at in range(9)])
    assert embedder.asked == ["rain"]


def test_the_oldest_rows_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.row_worth.MAX_EARLIER", 2)
    worth = RowWorth(OnAPlane(), model(WIDTH), [])
    worth.hear([row("tea at 4"), row("rain"), row("rain", key="r")])
    assert worth.rows_heard == 2
    assert neighbours(worth.features([row("tea at 4", key="t")])[0])["nearest"] == pytest.approx(0.0)


def test_the_network_of_the_package_fits_what_is_weighed() -> None:
    told = worth_model()
    networks, features, units = told.hidden.shape
    assert features == 512 + len(LOOKS) + len(NEIGHBOURS)
    assert told.hidden_bias.shape == told.out.shape == (networks, units)
    assert told.out_bias.shape == (networks,)
    assert all(np.isfinite(one).all() for one in (told.hidden, told.hidden_bias, told.out, told.out_bias))


def test_networks_are_averaged() -> None:
    both = WorthModel(
        hidden=np.ones((2, 3, 1), np.float32),
        hidden_bias=np.array([[0.0], [-4.0]], np.float32),
        out=np.array([[1.0], [10.0]], np.float32),
        out_bias=np.array([0.5, 0.5], np.float32),
    )
    # 1 + 2 + 3 = 6: (6 + 0.5 + 10 * 2 + 0.5) / 2; and a hidden unit below zero says nothing.
    assert both.odds(np.array([[1, 2, 3], [-1, 0, 0]], np.float32)).tolist() == [13.5, 0.5]


@pytest.mark.parametrize(
    "config",
    [
        '[embedder]\nname = "none"\n',
        "[admission]\nby_meaning = false\n",
        '[admission]\noff = ["held_back"]\n',
    ],
)
def test_nothing_weighs_where_it_is_switched_off(tmp_path: Path, config: str) -> None:
    (tmp_path / "sunrise.toml").write_text(config)
    with open_home(load_settings(tmp_path)) as home:
        assert row_worth(home, BootFiles(())) is None


class Weigher:
    """Holds back what says so, and notes what it was given."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.weighed: list[str] = []

    @property
    def rows_heard(self) -> int:
        return len(self.heard) + len(self.weighed)

    def hear(self, rows: Sequence[Candidate]) -> None:
        self.heard += [one.text for one in rows]

    def weigh(self, rows: Sequence[Candidate]) -> None:
        self.weighed += [one.text for one in rows]

    def odds(self, candidate: Candidate) -> Odds | None:
        return Odds(*(-9.0, -9.0) if "hold" in candidate.text else (9.0, 9.0)) if self.weighed else None


@pytest.fixture
def weigher(monkeypatch: pytest.MonkeyPatch) -> Weigher:
    weigher = Weigher()
    for user in ("tasks.admission", "tasks.admission_report"):
        monkeypatch.setattr(f"{user}.row_worth", lambda *_: weigher)
    return weigher


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "sunrise.toml").write_text(CONFIG + OWNERS_SPOOL)
    with open_home(load_settings(tmp_path), clock=FrozenClock(NOW)) as opened:
        yield opened


def harvested(home: Home, texts: Sequence[str], *, source: str = "tool", file: str = "a.jsonl") -> int:
    lines = [{"ts": NOW, "kind": "note", "source_kind": source, "summary": text} for text in texts]
    write_captures(home.spool / file, lines, append=True)
    return read_sources(home, dry_run=False).inserted


def in_use(home: Home) -> int:
    return sum(state == "captured" for state in home.ledger.lifecycle_rows().column("state").to_pylist())


def many(count: int, begin: int = 0) -> list[str]:
    return [f"line {number} of the meter" for number in range(begin, begin + count)]


def test_what_is_held_back_is_a_row_of_its_own_out_of_use(home: Home, weigher: Weigher) -> None:
    harvested(home, ["I like tea"], source="operator")
    texts = [*many(FEWEST_ROWS), "hold this", "hold that"]
    assert harvested(home, texts) == len(texts)
    assert in_use(home) == 1 + FEWEST_ROWS
    rows = home.ledger.rows_to_judge(after_id=0, since_ms=0, limit=1000)
    assert {"hold this", "hold that"} <= set(rows.column("summary").to_pylist())
    # What the first harvest brought was heard, not weighed.
    assert (weigher.heard, weigher.weighed) == (["I like tea"], texts)
    report = report_admission(home)
    assert report.hidden["held_back", "tool"] == 2


def test_among_few_rows_nothing_is_weighed_until_there_are_enough(home: Home, weigher: Weigher) -> None:
    first = ["please hold this cup for me", *many(FEWEST_ROWS - 2)]
    harvested(home, first[:1], source="operator")
    harvested(home, first[1:])
    assert in_use(home) == len(first)
    assert not weigher.weighed
    harvested(home, ["hold that"])
    assert weigher.weighed == ["hold that"]
    assert sorted(weigher.heard) == sorted(first)


def test_without_a_word_of_the_owner_nothing_is_weighed(home: Home, weigher: Weigher) -> None:
    texts = [*many(FEWEST_ROWS), "hold this"]
    harvested(home, texts)
    assert in_use(home) == len(texts)
    assert not weigher.weighed
    assert not report_admission(home).hidden


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "noise", "most_junk"), [(HELD_OUT[0], 0.0, 0.05), (HELD_OUT[1], 0.2, 0.08)])
def test_of_a_month_that_was_never_learned_from_little_junk_is_let_in(
    tmp_path: Path, name: str, noise: float, most_junk: float
) -> None:
    month = read_month(name).noisy(noise)
    junk, useful, all_useful = _let_in(tmp_path, month)
    assert junk / (junk + useful) <= most_junk
    assert useful / all_useful >= 0.95


def _let_in(folder: Path, month: Month) -> tuple[int, int, int]:
    """Harvest a month; return how much junk and how many useful rows are in use, of how many."""
    (folder / "boot").mkdir()
    for place, text in enumerate(month.boot_texts):
        (folder / "boot" / f"{place}.md").write_text(text, encoding="utf-8")
    (folder / "sunrise.toml").write_text(OWNERS_SPOOL + '[admission]\nboot_files = ["boot/*.md"]\n')
    write_captures(folder / "spool" / "month.jsonl", [one.spooled(at) for at, one in enumerate(month.rows)])
    with open_home(load_settings(folder)) as home:
        read_sources(home, dry_run=False)
        keys = home.ledger.rows_to_judge(after_id=0, since_ms=0, limit=100_000).column("key").to_pylist()
        states = home.ledger.lifecycle_rows().column("state").to_pylist()
    used = [_row(month, key) for key, state in zip(keys, states, strict=True) if state == "captured"]
    useful = sum(one.is_useful for one in used)
    return len(used) - useful, useful, sum(one.is_useful for one in month.rows)


def _row(month: Month, key: str) -> LabelledRow:
    return month.rows[int(key.rpartition(":")[2])]
