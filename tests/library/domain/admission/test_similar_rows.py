from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.admission.content import content_of
from sunrise.domain.admission.similar_rows import SimilarRows
from tests.library.domain.admission.kept import candidate

LONG = (
    "The nightly backup of the billing database to the attic server works without problems since the upgrade"
)


def nearest(kept: str, asked: str, **fields: object) -> str | None:
    rows = SimilarRows(window_ms=100)
    rows.remember(candidate(kept))
    return rows.nearest(candidate(asked, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        (LONG, LONG + " as planned"),
        (LONG, "Note: " + LONG),
        (LONG, LONG.replace("works", "runs")),
        (LONG, "Since the upgrade " + LONG[0].lower() + LONG[1:-18]),
        ("User prefers Vim", "The human likes Vim."),
        ("User prefers Vim", "Remember: the user favours Vim"),
        ("系統設定已調整", "記住：系统设定已调整"),
    ],
)  # fmt: skip
def test_what_says_nearly_the_same_is_found(kept: str, asked: str):
    assert nearest(kept, asked) == kept


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("alice pays bob", "bob pays alice"),
        ("User prefers Vim", "User does not prefer Vim"),
        ("User prefers Vim", "User prefers Vim on servers"),
        ("The order of 12 tyres", "The order of 13 tyres"),
        (LONG, LONG + " 4"),
        (LONG, LONG.replace("works without", "does not work without")),
        (LONG, LONG.replace("since", "until")),
        (LONG, LONG.replace("works", "worked and failed")),
        (LONG, LONG.replace("billing", "clinic's wages")),
        ("Marta " + LONG[4:], "Petra " + LONG[4:]),
        (LONG + " for Marta", LONG + " for Petra"),
        (LONG, LONG.replace("nightly backup", "attic").replace("attic server", "backup nightly server")),
        (LONG, LONG + "?"),
        ("記憶治理需要權限", "記憶治理不需要權限"),
    ],
)  # fmt: skip
def test_what_differs_in_meaning_is_not(kept: str, asked: str):
    assert nearest(kept, asked) is None


@pytest.mark.parametrize(
    "fields", [{"scope": "b"}, {"agent_id": "b"}, {"trust_tier": "untrusted"}, {"source_kind": "web"}]
)
def test_rows_of_another_scope_agent_or_trust_do_not_meet(fields: dict[str, object]):
    assert nearest(LONG, LONG, **fields) is None


@pytest.mark.parametrize(("ts_ms", "found"), [(-100, True), (-101, False), (100, True), (101, False)])
def test_the_window_reaches_in_both_directions(ts_ms: int, found: bool):
    assert (nearest(LONG, LONG, ts_ms=ts_ms) is not None) == found


def test_a_sighting_moves_the_window():
    rows = SimilarRows(window_ms=100)
    rows.remember(candidate(LONG))
    rows.saw(LONG, 90)
    rows.saw("unknown", 90)

    assert rows.nearest(candidate(LONG, ts_ms=190)) == LONG
    assert rows.nearest(candidate(LONG, ts_ms=-100)) == LONG
    assert rows.nearest(candidate(LONG, ts_ms=191)) is None


def test_of_several_the_likest_is_found():
    rows = SimilarRows(window_ms=100)
    rows.remember(candidate(LONG + " again today", key="far"))
    rows.remember(candidate(LONG + " again", key="near"))

    assert rows.nearest(candidate(LONG)) == "near"


def test_a_row_is_kept_once_and_the_oldest_are_forgotten():
    rows = SimilarRows(window_ms=100, max_rows=2)
    for text in ("one apple", "one apple", "two pears", "three plums"):
        rows.remember(candidate(text))

    assert len(rows) == 2
    assert rows.nearest(candidate("one apple")) is None
    assert rows.nearest(candidate("two pears")) == "two pears"


def test_a_crowded_place_keeps_the_latest_rows():
    rows = SimilarRows(window_ms=0, max_rows=70)
    for number in range(80):
        rows.remember(candidate("one apple", key=str(number), ts_ms=number))

    assert rows.nearest(candidate("one apple", ts_ms=79)) == "79"
    assert rows.nearest(candidate("one apple", ts_ms=15)) is None


def test_a_frame_around_a_fact_is_no_content():
    assert content_of("note that the cach is cold").words == ("cach", "cold")


def test_more_terms_than_are_remembered_are_parted_all_the_same():
    many = " ".join("q" + "".join(letters) for letters in product("abcdefghijklmnopqrst", repeat=4))
    content = content_of(f"{many} 7 not cold")

    assert content.words == (*many.split(), "cold")
    assert content.fixed[-2:] == ("7", "not")


def test_a_text_without_words_is_like_no_other():
    assert nearest("", "the and of") is None


WORDS = [f"{first}{second}ord" for first in "bcdfg" for second in "lmnrstw"]


@given(st.lists(st.sampled_from(WORDS), min_size=9, max_size=25, unique=True), st.randoms())
def test_one_word_more_at_the_end_is_always_within_reach(words, random):
    extra = random.choice([word for word in WORDS if word not in words])
    kept, asked = " ".join(words), " ".join([*words, extra])

    assert nearest(kept, asked) == kept
    assert nearest(asked, kept) == asked


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=25), st.integers(0, 10**6), st.integers(0, 10**6)
)
def test_texts_with_different_numbers_never_meet(words, one, other):
    found = nearest(f"{' '.join(words)} {one}", f"{' '.join(words)} {other}")
    assert (found is not None) == (one == other)
