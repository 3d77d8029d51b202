from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.calibration import TermFrequencies, term_key
from sunrise.domain.duplicates import sameness
from sunrise.domain.priors import Priors, RankingPolicy, priors_of, recency
from sunrise.domain.query_dates import Span
from sunrise.domain.query_words import QueryWords
from sunrise.domain.ranking import (
    Chosen,
    Fit,
    Memory,
    Ranked,
    chosen,
    count_tiers,
    filled_up,
    in_order,
    is_below_floor,
    policy_tier,
    ranked,
)
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.analysis import query_terms
from sunrise.domain.text.dated_terms import dated_terms

NOW = 1_790_000_000_000


def memory(name: str, text: str = "", **more: Any) -> Memory:
    return Memory(id=name, ref=f"mem:{name}", text=text or f"the text {name}", scope="global", **more)


def scored(name: str, relevance: float, text: str = "", **more: Any) -> Ranked:
    return ranked(memory(name, text, **more), Fit(relevance, 0.1, relevance), Priors())


def names(found: Any) -> list[str]:
    return [one.memory.id for one in found]


def test_equals_are_ordered_by_ref_whatever_came_first() -> None:
    assert names(in_order([scored("b", 0.5), scored("a", 0.5), scored("c", 0.9)])) == ["c", "a", "b"]


@given(st.floats(-2, 2), st.floats(0.5, 0.99), st.floats(1.01, 2))
def test_a_prior_above_one_never_lowers_and_one_below_never_lifts(
    relevance: float, low: float, high: float
) -> None:
    bare = ranked(memory("a"), Fit(relevance), Priors()).score
    assert ranked(memory("a"), Fit(relevance), Priors(state=low)).score <= bare
    assert ranked(memory("a"), Fit(relevance), Priors(importance=high)).score >= bare


def test_a_better_fit_is_never_behind_a_worse_one_for_its_label() -> None:
    def labelled(name: str, relevance: float, label: str, importance: float | None = None) -> Ranked:
        one = memory(name, importance_label=label, importance=importance)
        priors = priors_of(
            importance_label=one.label, trust_tier=None, state=None, created_ms=NOW, now_ms=NOW
        )
        return ranked(one, Fit(relevance, 0.5, relevance), priors)

    weak = labelled("weak", 0.59, "must_remember")
    ignored = labelled("ignored", 0.7, "ignore", 0.05)
    default = labelled("default", 0.65, "ignore", 0.3)
    order = in_order([weak, ignored, default])
    # 0.65, 0.7 * 0.9 and 0.59 * 1.05: a default score is no judgement, and a label moves little.
    assert [(one.memory.id, one.score) for one in order] == [
        ("default", 0.65), ("ignored", 0.63), ("weak", 0.6195),
    ]  # fmt: skip


@given(st.lists(st.tuples(st.floats(-1, 2), st.sampled_from(["active", "superseded", None])), max_size=8))
def test_memories_come_in_the_order_of_the_score_that_is_shown(rows: list[tuple[float, str | None]]) -> None:
    found = in_order(scored(f"{at}", relevance, state=state) for at, (relevance, state) in enumerate(rows))
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) == len(rows)
    states = [one.memory.is_superseded for one in found]
    assert states == sorted(states)


@pytest.mark.parametrize(
    ("text", "query", "exact"),
    [
        ("router checked", "Router checked?", True),
        ("memory-engine configured", "memory engine configured", True),
        ("備份資料庫", "备份资料库", True),
        ("router checked twice", "router checked", False),
        ("router checked", "router checked twice", False),
        ("memory-engine configured", "engine configured", False),
    ],
)
def test_a_memory_is_exact_that_has_the_words_of_the_query_and_no_others(
    text: str, query: str, exact: bool
) -> None:
    words = QueryWords(dict.fromkeys(query_terms(query), 2.0), 2.0 * len(query_terms(query)))
    assert words.fit(dated_terms(text, 0.0, UTC), 1.0).is_exact is exact


def test_who_says_just_what_is_asked_counts_as_the_most_important() -> None:
    low, must = Priors(importance=0.9), Priors(importance=1.05)
    exact = ranked(memory("exact", importance_label="ignore"), Fit(1.0, 1.0, 1.0, is_exact=True), low)
    other = ranked(memory("other", importance_label="must_remember"), Fit(0.99, 1.0, 0.9), must)
    assert names(in_order([other, exact])) == ["exact", "other"]
    assert (exact.score, exact.priors) == (1.05, must)


def test_what_was_said_once_is_not_returned_again() -> None:
    order = [
        scored("first", 0.9, "The port is 8080."),
        scored("same", 0.8, "the port  is 8080"),
        scored("number", 0.7, "The port is 9090."),
        scored("blank", 0.6, " \n"),
        scored("__schema__", 0.5),
        scored("more", 0.4),
        scored("late", 0.3),
    ]
    found = chosen(order, limit=3)
    assert names(found.kept) == ["first", "number", "more"]
    assert found.rejected == (
        ("mem:same", "near_duplicate"),
        ("mem:blank", "empty_text"),
        ("mem:__schema__", "plugin_seed_row"),
        ("mem:late", "over_limit"),
    )


def test_what_has_ended_is_not_returned() -> None:
    order = [
        scored("over", 0.9, "The guest is here", expires_at_ms=50),
        scored("not yet", 0.8, "The other guest is here", expires_at_ms=51),
    ]
    found = chosen(order, limit=3, now_ms=50)
    assert (names(found.kept), found.rejected) == (["not yet"], (("mem:over", "expired"),))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("記憶治理", "记忆治理。", True),
        ("Alice pays Bob", "Bob pays Alice", False),
        ("it is not ready", "it is ready", False),
        ("?!", "?!", True),
        ("?!", "...", False),
    ],
)
def test_two_texts_say_the_same_or_not(one: str, other: str, same: bool) -> None:
    assert (sameness(one) == sameness(other)) is same


def test_an_answer_from_long_ago_keeps_the_floor_and_wins_over_a_weak_one_of_today() -> None:
    policy = RankingPolicy()
    assert recency(0, now_ms=100 * 365 * DAY_MS, policy=policy) == pytest.approx(policy.recency_floor)
    assert recency(5 * DAY_MS, now_ms=0) == 1.0
    old = ranked(memory("old"), Fit(0.9), Priors(recency=recency(0, now_ms=400 * DAY_MS)))
    new = ranked(memory("new"), Fit(0.7), Priors(recency=1.0))
    assert names(in_order([new, old])) == ["old", "new"]


def test_priors_speak_of_label_tier_state_and_the_days_that_were_asked_for() -> None:
    asked = Span(0, DAY_MS)
    found = priors_of(
        importance_label="must_remember",
        trust_tier="trusted",
        state="stale",
        created_ms=5,
        now_ms=5,
        spans=[asked],
    )
    assert found == Priors(importance=1.05, trust=1.03, recency=1.0, state=0.92, date=1.15)
    unknown = priors_of(
        importance_label=None, trust_tier=None, state=None, created_ms=DAY_MS, now_ms=DAY_MS, spans=[asked]
    )
    assert unknown == Priors()


def test_tiers_are_counted_and_ungraded_rows_are_unknown() -> None:
    found = [
        scored("a", 1, importance_label="nice_to_have"),
        scored("b", 1),
        scored("c", 1, importance_label="odd"),
    ]
    assert count_tiers(found) == {"must": 0, "nice": 1, "unknown": 2, "ignore": 0}
    assert policy_tier([]) == "must+nice"


def test_components_show_what_a_score_is_made_of_and_nothing_that_is_not_known() -> None:
    found = ranked(memory("a"), Fit(0.25), Priors(state=0.92))
    assert dict(found.components) == {
        "relevance": 0.25, "importance": 1.0, "trust": 1.0, "recency": 1.0, "state": 0.92, "date": 1.0,
    }  # fmt: skip


def test_the_floor_weighs_each_memory_against_unrelated_texts() -> None:
    near, worded = Fit(0, 0.0, 0.5, 0.0), Fit(0, 0.0, 0.1, 0.35)
    # 0.5 - 0.8 * 0.65 = -0.02 and 0.1 + 1.6 * 0.35 - 0.8 * 0.65 = 0.14.
    assert is_below_floor(near, elsewhere=0.65, least=0.0)
    assert not is_below_floor(near, elsewhere=0.65, least=-0.05)
    assert not is_below_floor(worded, elsewhere=0.65, least=0.1)
    assert is_below_floor(worded, elsewhere=0.65, least=0.15)


def test_a_memory_below_the_floor_falls_out_beside_one_that_passes() -> None:
    good = ranked(memory("good"), Fit(0.5, 0.5, 0.5, 0.5), Priors())
    bad = ranked(memory("bad"), Fit(0.4, 0.0, 0.1, 0.0), Priors())
    found = chosen([good, bad], limit=5, is_below_floor=lambda fit: fit.told < 0.2)
    assert (names(found.kept), found.rejected) == (["good"], (("mem:bad", "below_floor"),))


def test_without_unrelated_texts_nothing_is_below_the_floor() -> None:
    assert not is_below_floor(Fit(0, 0.0, 0.1), elsewhere=None, least=0.0)
    # A memory without a vector counts by its words: 1.6 * 0.6 - 0.8 and 1.6 * 0.4 - 0.8.
    assert not is_below_floor(Fit(0, 0.0, None, 0.6), elsewhere=1.0, least=0.0)
    assert is_below_floor(Fit(0, 0.0, None, 0.4), elsewhere=1.0, least=0.0)


@given(dense=st.floats(-1, 2), told=st.floats(0, 1), more=st.floats(0, 1), elsewhere=st.floats(-1, 3))
def test_no_better_fit_is_cut_off_where_a_worse_one_passes(
    dense: float, told: float, more: float, elsewhere: float
) -> None:
    worse, better = Fit(0, 0, dense, told), Fit(0, 0, dense + more, told)
    if not is_below_floor(worse, elsewhere=elsewhere, least=0.0):
        assert not is_below_floor(better, elsewhere=elsewhere, least=0.0)
        assert not is_below_floor(worse, elsewhere=elsewhere - more, least=0.0)


def test_words_are_worth_their_rarity_and_unknown_ones_count_too() -> None:
    known = {term_key("rare"): 1, term_key("usual"): 50}
    keys = tuple(sorted(known))
    words = QueryWords.of(
        ["rare", "usual"], TermFrequencies(100, 1.0, keys, tuple(known[key] for key in keys))
    )
    # ln(1 + 99.5 / 1.5) = 4.209655 and ln(1 + 50.5 / 50.5) = 0.693147
    assert words.coverage("usual rare rare") == pytest.approx(1.0)
    assert words.coverage("rare") == pytest.approx(4.209655 / 4.902802, abs=1e-6)
    assert words.fit("rare", 4.902802 / 2).score == pytest.approx(0.9 * 0.858622 + 0.1 * 0.5, abs=1e-5)
    unread = words.fit(None, 4.902802 / 2)
    assert (unread.score, unread.told) == pytest.approx((0.5, 0.5), abs=1e-6)
    nothing = QueryWords({}, 0.0)
    assert (nothing.coverage("rare"), nothing.fit("rare", 1.0).told) == (0.0, 0.0)


def test_a_common_word_tells_less() -> None:
    words = QueryWords.of(["glacier", "year"], TermFrequencies(80, 1.0, (), ()))
    # Both are as rare as the rest; one of them counts 0.3.
    assert words.fit("year", 0.0).told == pytest.approx(0.3 / 1.3)
    assert words.fit("glacier", 0.0).told == pytest.approx(1.0 / 1.3)
    assert words.coverage("year") == words.coverage("glacier") == 0.5


def test_what_is_replaced_stands_behind_all_even_with_the_whole_answer() -> None:
    old = ranked(memory("old", state="superseded"), Fit(0.9, 1.0, 0.9), Priors())
    ignored = ranked(memory("ignored", importance_label="ignore"), Fit(0.1, 0.1, 0.1), Priors())
    # The score of what is replaced is shown as that of the worst current memory.
    order = in_order([old, ignored, scored("new", 0.2)])
    assert [(one.memory.id, one.score) for one in order] == [("new", 0.2), ("ignored", 0.1), ("old", 0.1)]
    assert names(chosen(order, limit=2).kept) == ["new", "ignored"]
    assert chosen(order, limit=2).rejected == (("mem:old", "over_limit"),)


def test_a_fallback_scope_fills_up_and_its_memories_count_less() -> None:
    old = priors_of(importance_label=None, trust_tier=None, state=None, created_ms=0, now_ms=NOW)
    new = priors_of(
        importance_label=None, trust_tier=None, state=None, created_ms=NOW, now_ms=NOW, of_fallback=True
    )
    assert new.scope < old.product < new.recency
    own, other = ranked(memory("own"), Fit(0.5), old), ranked(memory("other"), Fit(0.5), new)
    best = ranked(memory("best"), Fit(0.9), new)
    same = ranked(memory("same", "the text own"), Fit(0.9), new)
    found, more = Chosen((own,)), Chosen((best, same, other), (("mem:x", "over_limit"),))
    filled = filled_up(found, more, limit=3)
    assert [one.memory.id for one in filled.kept] == ["best", "own", "other"]
    assert filled.rejected == more.rejected
    assert [one.memory.id for one in filled_up(found, more, limit=1).kept] == ["own"]
    assert "scope" in other.components
    assert "scope" not in own.components
