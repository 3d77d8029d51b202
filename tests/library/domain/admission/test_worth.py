"""Weighing a row: what is looked at, what stands in the rows before it, and when it is held back."""

from __future__ import annotations

import pytest

from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.judging import Judge
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.worth import (
    HELD_BELOW,
    LOOKS,
    MAX_CHARS,
    NEIGHBOURS,
    OVERRULED_ABOVE,
    OWNERS_BELOW,
    OWNERS_LEAST,
    Odds,
    beside,
    is_doubtful,
    is_held,
    looked_at,
    looks_of,
    repeats,
)
from sunrise.domain.text.analysis import terms
from tests.library.domain.admission.kept import Kept

NONE = frozenset[str]()


def row(text: str = "The pump is blue", source: str = "agent", *, label: str | None = None) -> Candidate:
    return Candidate("k", 0, "note", None, text, terms(text), source, importance_label=label)


def looks(text: str, source: str = "agent") -> dict[str, float]:
    return dict(zip(LOOKS, looks_of(text, 0, source), strict=True))


def test_a_row_is_looked_at_without_its_wrapping_and_up_to_a_length() -> None:
    assert looked_at("Bob pays (importance 3)") == "Bob pays"
    assert looked_at("a" * (MAX_CHARS + 9)) == "a" * MAX_CHARS
    assert looked_at("") == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Paid 850 EUR to Anna in Bath on 3 May", {"money": 1, "date": 1, "names": 0.5, "figures": 0.5}),
        ("週三付了 850 元", {"money": 1, "date": 1, "names": 0, "figures": 0.25}),
        ("The deploy failed because of a lock", {"trouble": 1, "happening": 1, "money": 0, "figures": 0}),
        ("The agent must ask first", {"duty": 1, "trouble": 0, "date": 0}),
        ("The user likes tea", {"claim": 1, "duty": 0}),
    ],
)
def test_how_a_row_looks(text: str, found: dict[str, float]) -> None:
    assert {name: looks(text)[name] for name in found} == found


def test_a_row_looks_like_its_source_and_longer_in_han() -> None:
    assert [
        name for name in ("operator", "agent", "tool", "web", "import", "system") if looks("x", "web")[name]
    ] == ["web"]
    # The natural logarithm of 13, one more than four characters of which each Han counts thrice, by eight.
    assert looks("週三下雨")["length"] == pytest.approx(0.32062, abs=1e-5)


def test_what_stands_in_the_rows_before() -> None:
    words, figures = frozenset({"tea", "at", "four"}), frozenset({"4", "16"})
    near = (0.9, frozenset({"tea", "at", "five"}), frozenset({"4"}))
    far = (0.2, words, figures)
    less = (0.4, frozenset({"four"}), frozenset({"16"}))
    # Two of three words, two of four in common; one of two figures; the other stands nowhere near.
    assert beside((words, figures), [near, far, less]) == (2 / 3, 2 / 4, 1 / 2, 1 / 4)
    assert beside((words, NONE), []) == (0.0, 0.0, -1.0, 0.0)
    assert beside((NONE, NONE), [near]) == (0.0, 0.0, -1.0, 0.0)
    assert len(NEIGHBOURS) == len(beside((words, figures), [])) + 4


def test_what_is_not_worth_it_is_held_back() -> None:
    low, even = Odds(HELD_BELOW - 0.1, 5.0), Odds(HELD_BELOW, -9.0)
    assert is_held(row(), low)
    assert not is_held(row(), even)


@pytest.mark.parametrize(
    ("odds", "held"),
    [
        (Odds(OWNERS_LEAST, OWNERS_BELOW), False),
        (Odds(OWNERS_LEAST - 0.1, OWNERS_BELOW), True),
        (Odds(-2.0, OWNERS_BELOW - 0.1), True),
        (Odds(-2.0, 3.0, repeats=True), True),
        (Odds(HELD_BELOW, -9.0, repeats=True), False),
    ],
)
def test_the_owner_is_held_back_only_where_he_says_nothing_or_the_same(odds: Odds, held: bool) -> None:
    assert is_held(row(source="operator"), odds) is held


@pytest.mark.parametrize(
    ("words", "figures", "cosine", "again"),
    [
        ("a b c d", "4", 0.7, True),
        ("a b c d e", "4", 0.7, True),
        ("a b c x y", "4", 0.7, False),
        ("a b c d", "4 5", 0.7, False),
        ("a b c d", "", 0.7, True),
        ("a b c d", "4", 0.6, False),
    ],
)
def test_a_row_repeats_where_words_and_figures_stand_before(
    words: str, figures: str, cosine: float, again: bool
) -> None:
    earlier = (frozenset("abcd"), frozenset({"4", "9"}))
    assert repeats((frozenset(words.split()), frozenset(figures.split())), earlier, cosine) is again


def test_good_odds_overrule_what_goes_by_wording_and_nothing_else() -> None:
    good, fair = Odds(OVERRULED_ABOVE + 0.1, 0.0), Odds(OVERRULED_ABOVE, 0.0)
    overruled = {rule for rule in RuleName if is_doubtful(rule, good)}
    assert overruled == {
        RuleName.UNSUPPORTED_PROFILE,
        RuleName.SYSTEM_DUMP,
        RuleName.TRANSIENT_STATE,
        RuleName.ACKNOWLEDGEMENT,
        RuleName.BOOT_FILE,
    }
    assert not any(is_doubtful(rule, fair) for rule in RuleName)


class Told:
    """Gives the same odds to every row."""

    def __init__(self, odds: Odds | None) -> None:
        self._odds = odds

    def odds(self, _candidate: Candidate) -> Odds | None:
        return self._odds


def judge(odds: Odds | None) -> Judge:
    return Judge(window_ms=1000, kept=Kept(), worth=Told(odds))


def test_a_judge_holds_back_by_odds_and_lets_in_by_them() -> None:
    low, high = Odds(-5.0, -5.0), Odds(5.0, 5.0)
    held = judge(low).judge(row())
    assert (held.rule, held.archived, held.collapse_onto) == (RuleName.HELD_BACK, True, None)
    assert judge(high).judge(row()).admitted
    assert judge(None).judge(row()).admitted
    thanks = row("You're welcome!")
    assert judge(low).judge(thanks).rule is RuleName.ACKNOWLEDGEMENT
    assert judge(None).judge(thanks).rule is RuleName.ACKNOWLEDGEMENT
    assert judge(high).judge(thanks).admitted


def test_a_row_with_a_label_is_not_weighed() -> None:
    assert judge(Odds(-9.0, -9.0)).judge(row(label="must_remember")).admitted
