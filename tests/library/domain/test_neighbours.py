"""What was said beside an answer in the same session is lifted by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.neighbours import lifts
from sunrise.domain.ranking import Memory

HOUR = 3_600_000


def memory(name: str, at: int | None, source: str | None = "session:1") -> Memory:
    return Memory(id=name, ref=name, text="", scope="", created_at_ms=at, source_ref=source)


def test_an_answer_lifts_what_was_said_around_it_the_nearer_the_more() -> None:
    said = [memory(name, at * 1000) for at, name in enumerate("abcdefghi")]
    found = lifts(said, dict.fromkeys("abcdefghi", 0.0) | {"b": 1.0})
    assert found == {
        "a": 0.4, "c": 0.4, "d": pytest.approx(0.32), "e": pytest.approx(0.24), "f": pytest.approx(0.16),
        "g": pytest.approx(0.08),
    }  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        memory("b", 1, "session:2"),
        memory("b", 1, None),
        memory("b", None),
        memory("b", 0),
        memory("b", HOUR + 1),
    ],
)
def test_another_session_the_same_moment_or_long_after_is_not_beside(other: Memory) -> None:
    assert lifts([memory("a", 0), other], {"a": 1.0, "b": 1.0}) == {}


def test_what_comes_from_a_file_has_no_neighbours() -> None:
    assert lifts([memory("a", 0, "notes.md"), memory("b", 1, "notes.md")], {"a": 1.0, "b": 1.0}) == {}


@given(st.permutations("abcd"), st.lists(st.floats(-1, 2), min_size=4, max_size=4))
def test_no_lift_is_more_than_a_share_of_the_best_or_goes_by_the_order(
    order: list[str], scores: list[float]
) -> None:
    relevance = dict(zip("abcd", scores, strict=True))
    found = lifts([memory(name, ord(name)) for name in order], relevance)
    assert found == lifts([memory(name, ord(name)) for name in "abcd"], relevance)
    assert all(0.0 < lift <= 0.4 * max(scores) for lift in found.values())
