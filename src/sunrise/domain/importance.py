"""How much a memory matters: a score from 0 to 1, its label, and the one reader of all their shapes."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

MUST_REMEMBER_FROM = 0.80
NICE_TO_HAVE_FROM = 0.50
_MOST_BELOW_MUST = 0.79
DEFAULT_SCORE = 0.30
"""The score that the heuristic scorers start from: a text with no sign for or against it keeps it."""

_ROUNDING = 1e-6


class ImportanceLabel(StrEnum):
    """The four labels. UNKNOWN means not graded, which is not the same as IGNORE."""

    MUST_REMEMBER = "must_remember"
    NICE_TO_HAVE = "nice_to_have"
    IGNORE = "ignore"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Importance:
    """A score with the label that follows from it; without a score the label is UNKNOWN."""

    score: float | None
    label: ImportanceLabel


UNKNOWN_IMPORTANCE = Importance(None, ImportanceLabel.UNKNOWN)
LEAST_OF_PURPOSE = Importance(NICE_TO_HAVE_FROM, ImportanceLabel.NICE_TO_HAVE)
"""What is stored on purpose counts for no less, unless whoever stores it says so."""

IMPORTANCE_VALUES = f"0 to 1, or {', '.join(ImportanceLabel)}"
"""The values that a person or a program may state, in words for a message."""

LOWEST_SCORES = {
    ImportanceLabel.MUST_REMEMBER: MUST_REMEMBER_FROM,
    ImportanceLabel.NICE_TO_HAVE: NICE_TO_HAVE_FROM,
    ImportanceLabel.IGNORE: 0.0,
}
"""The lowest score of each label, so that a label alone and its score never disagree."""

_ALIASES = {
    "high": ImportanceLabel.MUST_REMEMBER,
    "medium": ImportanceLabel.NICE_TO_HAVE,
    "low": ImportanceLabel.IGNORE,
    "trivial": ImportanceLabel.IGNORE,
    "none": ImportanceLabel.UNKNOWN,
    **{label.value: label for label in ImportanceLabel},
}
_WORD_GAP = re.compile(r"[-\s_]+")
_NUMBER = re.compile(r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<unit>%|/\s*100)?", re.ASCII)


def label_from_score(score: float) -> ImportanceLabel:
    """
    Return the label of a score; a score that is no number counts as 0.

    >>> [label_from_score(score).value for score in (0.8, 0.79, 0.5, 0.49)]
    ['must_remember', 'nice_to_have', 'nice_to_have', 'ignore']
    """
    if not math.isfinite(score) or score < NICE_TO_HAVE_FROM:
        return ImportanceLabel.IGNORE
    return ImportanceLabel.MUST_REMEMBER if score >= MUST_REMEMBER_FROM else ImportanceLabel.NICE_TO_HAVE


def effective_label(label: str | None, score: float | None, *, may_be_must: bool = True) -> str | None:
    """
    Return the label that readers go by: an `ignore` that only stands for the default score is `unknown`.

    A memory that may not be a must reads as `nice_to_have`, whoever labelled it; see
    :func:`sunrise.domain.trust.may_be_must`.

    >>> effective_label("ignore", 0.3), effective_label("ignore", 0.05), effective_label("ignore", None)
    ('unknown', 'ignore', 'ignore')
    >>> effective_label("must_remember", 0.9, may_be_must=False)
    'nice_to_have'
    """
    if label == ImportanceLabel.MUST_REMEMBER and not may_be_must:
        return ImportanceLabel.NICE_TO_HAVE.value
    is_default = score is not None and abs(score - DEFAULT_SCORE) < _ROUNDING
    return ImportanceLabel.UNKNOWN.value if label == ImportanceLabel.IGNORE and is_default else label


def below_must(score: float | None, label: str | None) -> tuple[float | None, str | None]:
    """
    Return score and label of what may matter, but is no must; what is none already stays as it is.

    >>> below_must(0.95, "must_remember"), below_must(None, "must_remember"), below_must(0.3, "ignore")
    ((0.79, 'nice_to_have'), (0.5, 'nice_to_have'), (0.3, 'ignore'))
    """
    is_must = score is not None and score >= MUST_REMEMBER_FROM
    if not is_must and normalize_label(label) is not ImportanceLabel.MUST_REMEMBER:
        return score, label
    if score is None or score < NICE_TO_HAVE_FROM:
        return NICE_TO_HAVE_FROM, ImportanceLabel.NICE_TO_HAVE.value
    return min(score, _MOST_BELOW_MUST), ImportanceLabel.NICE_TO_HAVE.value


def normalize_label(value: object) -> ImportanceLabel | None:
    """
    Return the label that *value* names in any spelling, or None.

    >>> normalize_label(" Must-Remember ")
    <ImportanceLabel.MUST_REMEMBER: 'must_remember'>
    """
    if not isinstance(value, str):
        return None
    return _ALIASES.get(_WORD_GAP.sub("_", unicodedata.normalize("NFKC", value).strip().lower()))


def parse_importance(value: object) -> Importance | None:
    """
    Return the importance that *value* states, or None where it states none.

    A score is a number (0.86; whole numbers from 2 to 100 are hundredths), ``"86%"`` or ``"86/100"``, in any
    width of digits, held within 0 and 1. An object gives ``score`` or ``label``. Where the two conflict the
    score wins, because the label is only its coarse copy; a label alone stands for its lowest score. A
    boolean or a number that is not finite is no score.

    >>> parse_importance({"score": "86%", "label": "ignore"})
    Importance(score=0.86, label=<ImportanceLabel.MUST_REMEMBER: 'must_remember'>)
    >>> parse_importance("unknown")
    Importance(score=None, label=<ImportanceLabel.UNKNOWN: 'unknown'>)
    """
    if isinstance(value, Importance):
        return value
    if isinstance(value, Mapping):
        return _from_parts(value.get("score"), value.get("label"))
    return _from_parts(value, value)


def stated_importance(value: object) -> Importance | None:
    """
    Return the importance that a caller states, or None where it is not one of :data:`IMPORTANCE_VALUES`.

    It is stricter than :func:`parse_importance`, which reads what others wrote down long ago: a bare 7 may
    mean seven of ten or seven of a hundred, so a number beyond 1 is taken only with its unit, as ``"7%"``.

    >>> stated_importance(0.7).score, stated_importance("70%").score, stated_importance("high").label.value
    (0.7, 0.7, 'must_remember')
    >>> [stated_importance(value) for value in (7, "7", 2.5, -0.1, "150%", "urgent")]
    [None, None, None, None, None, None]
    """
    if isinstance(value, Mapping):
        parts = [part for part in (value.get("score"), value.get("label")) if part is not None]
        return parse_importance(value) if all(stated_importance(part) for part in parts) else None
    if isinstance(value, str) and (match := _number_in(value)):
        most = 1 if match["unit"] is None else 100
        return parse_importance(value) if 0 <= float(match["number"]) <= most else None
    if isinstance(value, int | float) and not 0 <= value <= 1:
        return None
    return parse_importance(value)


def _from_parts(score_value: object, label_value: object) -> Importance | None:
    score = _score(score_value)
    if score is not None:
        return Importance(score, label_from_score(score))
    label = normalize_label(label_value)
    if label is None:
        return None
    return Importance(LOWEST_SCORES.get(label), label)


def _score(value: object) -> float | None:
    if isinstance(value, str):
        return _score_of_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # An integer too long for a float is beyond the top or the bottom all the same.
    number = float(max(-1, min(value, 101))) if isinstance(value, int) else value
    return _within_unit(number) if math.isfinite(number) else None


def _score_of_text(text: str) -> float | None:
    match = _number_in(text)
    if match is None:
        return None
    number = float(match["number"])
    if not math.isfinite(number):
        return None
    return _within_unit(number) if match["unit"] is None else max(0.0, min(number / 100, 1.0))


def _number_in(text: str) -> re.Match[str] | None:
    return _NUMBER.fullmatch(unicodedata.normalize("NFKC", text).strip())


def _within_unit(number: float) -> float:
    if 1 < number <= 100 and number.is_integer():
        number /= 100
    return max(0.0, min(number, 1.0))
