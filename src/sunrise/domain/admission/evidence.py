"""What a statement of the agent brings by itself: where nobody bears it out, it must be definite."""

from __future__ import annotations

import re

from sunrise.domain.admission.content import content_of
from sunrise.domain.admission.figures import told_figures
from sunrise.domain.admission.happenings import tells_happening, tells_trouble
from sunrise.domain.text.analysis import terms

ENOUGH = 8
"""So much a statement must bring: see :func:`evidence_of`."""


def stands_alone(statement: str, ts_ms: int, known: frozenset[str] = frozenset(), *, claims: bool) -> bool:
    """
    Return whether a statement brings enough where nobody bears it out; ``claims`` says it is of the user.

    >>> told = ("Paid the Novak bill of 850", "Reports hold figures and no adjectives")
    >>> [stands_alone(text, 0, claims=False) for text in told]
    [True, False]
    """
    definite = told_figures(_FIELD.sub(" ", statement), ts_ms) - known
    hints = tells_happening(statement) or tells_trouble(statement) or _LASTED.search(statement)
    enough = ENOUGH if (definite or hints) and not claims else ENOUGH_IN_WORDS
    return evidence_of(statement, ts_ms, known) >= enough


def evidence_of(statement: str, ts_ms: int, known: frozenset[str] = frozenset()) -> int:
    """
    Return how much a statement brings: its words, three for a figure, two for an event, a fault, a duration.

    Words count once, and up to twelve; figures that are ``known``, or only the clock's, do not count.

    >>> evidence_of("The last check ran at 06:28 and found nothing", 0)
    7
    >>> evidence_of("Paid the deposit of 850 for 500 green boxes by bank transfer", 0)
    14
    """
    statement = _FIELD.sub(" ", statement)
    content = content_of(terms(statement))
    han = len(_HAN.findall(statement))
    words = {word for word in content.words if not _HAN.match(word)} - _OF_EXTRACTION
    size = len(words) + round(han / _HAN_A_WORD)
    figures = len(told_figures(statement, ts_ms) - known)
    hints = tells_happening(statement) + tells_trouble(statement)
    hints += _LASTED.search(statement) is not None
    return min(size, _MOST_WORDS) + _A_FIGURE * min(figures, _MOST_FIGURES) + _A_HINT * hints


ENOUGH_IN_WORDS = 12
"""So much a statement must bring that has no figure and tells no event, or that claims what the user is."""

_FIELD = re.compile(r"\b[\w.]+=\S+")
_OF_EXTRACTION_WORDS = """
    extract observ context session summari overview workspac file import confid categori content profil user
    """
_OF_EXTRACTION = frozenset(_OF_EXTRACTION_WORDS.split())
"""What an extractor says of its own work, as stems."""

_LASTED = re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|min|minutes?)\b")
_MOST_WORDS = 12
_MOST_FIGURES = 2
_A_FIGURE = 3
_A_HINT = 2
_HAN_A_WORD = 2.2
_HAN = re.compile(r"[\u3400-\u9fff]")
