"""How far a scorer agrees with labels that people gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sunrise.domain.importance import ImportanceLabel

LABELS = (ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE, ImportanceLabel.IGNORE)


@dataclass(frozen=True, slots=True)
class Judged:
    """One labelled case: the label that was wanted and the one given, and whether the score was as wanted."""

    case_id: str
    wanted: ImportanceLabel
    given: ImportanceLabel
    score: float
    within_window: bool = True


@dataclass(frozen=True, slots=True)
class Agreement:
    """
    What a labelled set says of a scorer.

    ``confusion`` counts by wanted and given label. ``macro_f1`` is the mean of the F1 of the labels that the
    set or the scorer names, so that a rare label weighs as much as a frequent one.
    """

    cases: int
    agreed: int
    within_window: int
    confusion: Mapping[ImportanceLabel, Mapping[ImportanceLabel, int]]
    macro_f1: float
    disagreed: tuple[Judged, ...]

    @property
    def agreement(self) -> float:
        """The share of cases with the wanted label; 0 where there are none."""
        return self.agreed / self.cases if self.cases else 0.0


def agreement_of(judged: Iterable[Judged]) -> Agreement:
    """
    Return how far the given labels are the wanted ones.

    >>> must, ignore = ImportanceLabel.MUST_REMEMBER, ImportanceLabel.IGNORE
    >>> found = agreement_of([Judged("a", must, must, 0.9), Judged("b", must, ignore, 0.3)])
    >>> found.agreement, round(found.macro_f1, 3), found.disagreed[0].case_id
    (0.5, 0.333, 'b')
    """
    cases = tuple(judged)
    pairs = Counter((one.wanted, one.given) for one in cases)
    confusion = {wanted: {given: pairs[wanted, given] for given in LABELS} for wanted in LABELS}
    named = [label for label in LABELS if any(label in pair for pair in pairs)]
    macro_f1 = sum(_f1(label, confusion) for label in named) / len(named) if named else 0.0
    return Agreement(
        cases=len(cases),
        agreed=sum(confusion[label][label] for label in LABELS),
        within_window=sum(one.within_window for one in cases),
        confusion=confusion,
        macro_f1=macro_f1,
        disagreed=tuple(one for one in cases if one.wanted is not one.given or not one.within_window),
    )


def _f1(label: ImportanceLabel, confusion: Mapping[ImportanceLabel, Mapping[ImportanceLabel, int]]) -> float:
    wanted = sum(confusion[label].values())
    given = sum(row[label] for row in confusion.values())
    return 2 * confusion[label][label] / (wanted + given)
