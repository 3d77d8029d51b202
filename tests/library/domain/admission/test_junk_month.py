from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pytest

from tests.junk_month import SHARES, junk_month
from tests.junk_month_texts import JUNK
from tests.junk_month_useful import USEFUL
from tests.library.domain.admission.kept import judge_month

SEEDS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a month became: rows in use, junk among them, and the share of useful rows that are in use."""

    admitted: int
    junk: int
    useful_kept: float


@lru_cache
def outcome(seed: int, *, boot: bool = True, noise: float = 0.0) -> Outcome:
    judged = judge_month(junk_month(seed, label_noise=noise), boot=boot)
    junk = [row for labelled, row, verdict in judged if verdict.admitted and not labelled.useful]
    useful = [verdict.admitted for labelled, _, verdict in judged if labelled.useful]
    return Outcome(
        admitted=sum(verdict.admitted for *_, verdict in judged),
        junk=len(junk),
        useful_kept=sum(useful) / len(useful),
    )


def test_the_month_is_made_up_as_audited():
    rows = junk_month(1).rows
    useful = sum(row.useful for row in rows)

    assert abs(len(rows) - 10_000) < 20
    assert abs(1 - useful / len(rows) - 0.978) < 0.002
    assert sum(SHARES.values()) == pytest.approx(1)
    assert sum(map(len, JUNK.values())) >= 60
    assert len({text for *_, text, _ in USEFUL}) >= 120
    assert junk_month(1) == junk_month(1)
    assert len({row.record["summary"] for row in rows if row.useful}) == useful


@pytest.mark.parametrize("seed", SEEDS)
def test_of_what_is_in_use_one_row_in_twenty_is_junk_at_most(seed: int):
    month = outcome(seed)

    assert month.junk <= 0.05 * month.admitted
    assert month.useful_kept >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_with_a_fifth_of_the_labels_wrong_one_row_in_twelve_is_junk_at_most(seed: int):
    month = outcome(seed, noise=0.2)

    assert month.junk <= 0.08 * month.admitted
    assert month.useful_kept >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_without_the_boot_files_ninety_seven_in_a_hundred_junk_rows_are_still_settled(seed: int):
    month = outcome(seed, boot=False)

    assert month.junk <= 0.03 * 9_780
    assert month.useful_kept >= 0.95
