"""A memory that a newer one replaces comes behind that one, and nothing falls out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.priors import Priors
from sunrise.domain.ranking import Fit, Memory, Ranked, in_order
from sunrise.domain.succession import after_succession
from sunrise.domain.text.analysis import terms

DAY = 86_400_000
PAIRS = [
    ("The build runs on Jenkins.", "The build moved from Jenkins to new machines."),
    ("Backups of the NAS go to Frankfurt.", "Backups of the NAS no longer go there but to Helsinki."),
    ("The rent is 800 euros.", "The rent was raised to 850 euros."),
    ("部門週會在每週二下午兩點。", "部門週會從每週二下午改到週四。"),
    ("文档写在 Confluence 上。", "文档不再写在 Confluence，迁到 docs 目录。"),
    ("東京オフィスは渋谷にある。", "東京オフィスは四月に品川へ移転した。"),
    ("배포는 금요일에 한다.", "배포는 이제 화요일에 한다."),
]


def found(number: int, text: str, score: float, **said: object) -> Ranked:
    known = {"created_at_ms": number * DAY, "scope": "global"} | said
    memory = Memory(id=str(number), ref=f"mem:{number}", text=text, words=terms(text), **known)  # type: ignore[arg-type]
    return Ranked(memory, Fit(score), Priors(), score)


def ordered(*of: Ranked) -> list[Ranked]:
    return after_succession(in_order(of), worth=lambda _: 1.0)


def refs(order: list[Ranked]) -> list[str]:
    return [one.memory.ref for one in order]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_news_come_before_what_they_replace(old: str, new: str) -> None:
    order = ordered(found(1, old, 0.9), found(2, new, 0.5))
    assert refs(order) == ["mem:2", "mem:1"]
    # The newer one has the score of the older, and that one a tenth less.
    assert [one.score for one in order] == pytest.approx([0.9, 0.81])
    assert [one.replaced_by for one in order] == [None, "mem:2"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("indexer migrated", "indexer migrated allowlist in production"),
        ("索引服務取消", "索引服務取消備份排程"),
    ],
)
def test_what_only_says_more_of_the_same_change_replaces_nothing(old: str, new: str) -> None:
    order = ordered(found(1, old, 0.9), found(2, new, 0.8))
    assert [(one.memory.ref, one.score, one.replaced_by) for one in order] == [
        ("mem:1", 0.9, None),
        ("mem:2", 0.8, None),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The desk moved to Lyon.", "The desk moved to Turin."),
        ("We use Redis for the queue.", "We no longer use Redis for the queue."),
    ],
)
def test_another_place_and_the_end_of_a_thing_are_news(old: str, new: str) -> None:
    order = ordered(found(1, old, 0.9), found(2, new, 0.5))
    assert [one.replaced_by for one in order] == [None, "mem:2"]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_what_is_older_replaces_nothing(old: str, new: str) -> None:
    order = ordered(found(2, old, 0.9), found(1, new, 0.5))
    assert refs(order) == ["mem:2", "mem:1"]
    assert {one.replaced_by for one in order} == {None}


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("The build runs on Jenkins too.", {}),
        ("The shop moved to another street.", {}),
        ("The build moved from Jenkins to runners.", {"scope": "alpha"}),
        ("The build moved from Jenkins to runners.", {"created_at_ms": None}),
        ("The build moved from Jenkins to runners.", {"created_at_ms": DAY + 3_599_999}),
        ("The build moved from Jenkins to runners.", {"importance_label": "ignore"}),
        ("The build moved from Jenkins to runners.", {"trust_tier": "untrusted"}),
    ],
    ids=["no change told", "another matter", "another scope", "no date", "same hour", "ignored", "untrusted"],
)
def test_what_does_not_replace(new: str, said: dict[str, object]) -> None:
    order = ordered(found(1, "The build runs on Jenkins.", 0.9), found(2, new, 0.5, **said))
    assert refs(order) == ["mem:1", "mem:2"]
    assert {one.replaced_by for one in order} == {None}


@pytest.mark.parametrize(
    ("older", "newer", "is_replaced"),
    [
        ("trusted", "trusted", True),
        ("trusted", None, False),
        (None, "trusted", True),
        ("untrusted", None, True),
        (None, "untrusted", False),
    ],
)
def test_who_is_trusted_less_puts_nobody_out_of_date(
    older: str | None, newer: str | None, is_replaced: bool
) -> None:
    order = ordered(
        found(1, "The port is 5432.", 0.9, trust_tier=older),
        found(2, "The port is now 5433.", 0.5, trust_tier=newer),
    )
    assert (order[0].memory.ref == "mem:2") is is_replaced


def test_of_a_chain_the_last_is_first() -> None:
    order = ordered(
        found(1, "The port is 5432.", 0.9),
        found(2, "The port is now 5433.", 0.8),
        found(3, "The port is now 5434.", 0.7),
    )
    assert refs(order) == ["mem:3", "mem:1", "mem:2"]
    assert [one.replaced_by for one in order] == [None, "mem:3", "mem:3"]


def test_a_score_below_zero_falls_too() -> None:
    order = ordered(found(1, "The port is 5432.", -0.2), found(2, "The port is now 5433.", -0.5))
    assert [one.score for one in order] == pytest.approx([-0.2, -0.22])


def test_what_stands_further_down_is_left_alone() -> None:
    first = [found(number, f"fact{number} alone", 1.0) for number in range(10, 20)]
    order = ordered(*first, found(1, "The port is 5432.", 0.9), found(30, "The port is now 5433.", 0.5))
    assert {one.replaced_by for one in order} == {None}


@given(
    st.lists(
        st.tuples(
            st.sampled_from([text for pair in PAIRS for text in pair]), st.floats(-1, 1), st.integers(0, 9)
        ),
        max_size=12,
    )
)
def test_all_stay_and_the_best_score_is_the_best_still(said: list[tuple[str, float, int]]) -> None:
    of = [found(at, text, score, created_at_ms=day * DAY) for at, (text, score, day) in enumerate(said)]
    order = ordered(*of)
    assert sorted(refs(order)) == sorted(one.memory.ref for one in of)
    assert [one.score for one in order] == sorted((one.score for one in order), reverse=True)
    assert max((one.score for one in order), default=0) == max((one.score for one in of), default=0)
