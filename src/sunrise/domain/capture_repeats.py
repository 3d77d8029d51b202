"""Which captured texts say nearly the same, and which of two such texts says more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.content import Content, content_of
from sunrise.domain.admission.similar_rows import SimilarRows
from sunrise.domain.capture_signs import CaptureCategory
from sunrise.domain.scope_policy import without_scope_tags
from sunrise.domain.text.analysis import terms


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text that was captured before, under the key that the caller keeps it by."""

    key: str
    text: str
    scope: str
    category: str
    created_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """A text that a new one nearly repeats; ``is_fuller`` says that the new one says more."""

    kept: KeptText
    is_fuller: bool


class CapturedTexts:
    """
    Texts that a new one is compared with, each only with those of its scope, and tasks only with tasks.

    Two say nearly the same when one holds all that the other says, in its order, or when they are reworded
    as :class:`sunrise.domain.admission.similar_rows.SimilarRows` has it. Where numbers, negations or small
    words that turn a meaning differ, they never do.
    """

    def __init__(self, texts: Iterable[KeptText] = ()) -> None:
        self._texts: dict[str, tuple[KeptText, Content]] = {}
        self._similar = SimilarRows(window_ms=1 << 62)
        for text in texts:
            self.keep(text)

    def keep(self, kept: KeptText) -> None:
        """Remember a text, so that later ones are compared with it."""
        self._texts[kept.key] = (kept, _content(kept.text))
        self._similar.remember(_candidate(kept))

    def forget(self, key: str) -> None:
        """Leave out a text that a fuller one has taken the place of."""
        self._texts.pop(key, None)

    def repeated_by(self, new: KeptText, *, within_ms: int | None = None) -> Repeat | None:
        """
        Return the text that a new one nearly repeats, or None.

        ``within_ms`` leaves out texts that are further away in time; one without a time is near.
        """
        content = _content(new.text)
        likely = self._similar.nearest(_candidate(new))
        for kept, told in self._texts.values():
            if _frame(kept) != _frame(new) or not _is_near(kept, new, within_ms):
                continue
            if kept.key == likely or _holds(told, content) or _holds(content, told):
                return Repeat(kept, _fullness(content, new.text) > _fullness(told, kept.text))
        return None


_FEWEST_WORDS = 2
_LEAST_SHARE = 0.4


def _content(text: str) -> Content:
    return content_of(terms(without_scope_tags(text)))


def _candidate(kept: KeptText) -> Candidate:
    text = without_scope_tags(kept.text)
    scope, kind = _frame(kept)
    return Candidate(kept.key, 0, kind, None, text, terms(text), "operator", scope=f"{kind}\x1f{scope}")


def _frame(kept: KeptText) -> tuple[str, str]:
    is_task = kept.category == CaptureCategory.TODO
    return kept.scope, str(CaptureCategory.TODO) if is_task else "statement"


def _is_near(kept: KeptText, new: KeptText, within_ms: int | None) -> bool:
    if within_ms is None or kept.created_ms is None or new.created_ms is None:
        return True
    return abs(new.created_ms - kept.created_ms) <= within_ms


def _holds(longer: Content, shorter: Content) -> bool:
    """Return whether the words of one stand in the other, side by side, with the same marks."""
    count = len(shorter.words)
    if longer.fixed != shorter.fixed or count > len(longer.words):
        return False
    if count < _FEWEST_WORDS or count < len(longer.words) * _LEAST_SHARE:
        return False
    starts = range(len(longer.words) - count + 1)
    return any(longer.words[start : start + count] == shorter.words for start in starts)


def _fullness(content: Content, text: str) -> tuple[int, int]:
    return len(content.words) + len(content.fixed), len(text.rstrip(".。!！ ")) if not content.words else 0
