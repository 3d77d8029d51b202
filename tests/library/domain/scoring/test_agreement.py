from __future__ import annotations

import pytest

from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.scoring.agreement import Judged, agreement_of

MUST, NICE, IGNORE = ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE, ImportanceLabel.IGNORE


def test_agreement_worked_out_by_hand() -> None:
    found = agreement_of(
        [
            Judged("a", MUST, MUST, 0.9),
            Judged("b", MUST, NICE, 0.6),
            Judged("c", NICE, NICE, 0.6),
            Judged("d", IGNORE, NICE, 0.5),
            Judged("e", IGNORE, IGNORE, 0.4, within_window=False),
        ]
    )
    assert (found.cases, found.agreed, found.agreement, found.within_window) == (5, 3, 0.6, 4)
    assert found.confusion[MUST] == {MUST: 1, NICE: 1, IGNORE: 0}
    assert found.confusion[IGNORE] == {MUST: 0, NICE: 1, IGNORE: 1}
    # 2/3 for must, 2/4 for nice, 2/3 for ignore.
    assert found.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 2 / 3) / 3)
    assert [one.case_id for one in found.disagreed] == ["b", "d", "e"]


def test_a_label_that_nobody_names_does_not_count() -> None:
    found = agreement_of([Judged("a", MUST, MUST, 0.9)])
    assert (found.agreement, found.macro_f1) == (1.0, 1.0)


def test_nothing_agrees_with_nothing() -> None:
    found = agreement_of([])
    assert (found.cases, found.agreement, found.macro_f1, found.disagreed) == (0, 0.0, 0.0, ())
