"""What a signal looks for in a text, and whether and by which words it stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass

SEAM = "\0"
"""What is left where something was blanked: no word and no space, so that nothing new is read across it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    What may stand in a text: any of these is enough.

    ``words`` are looked for in the lowered text and ``marks`` in the text as it is, both as plain substrings;
    ``pattern`` in the lowered text, and only where one of its ``hints`` is in it, if it has hints. What is
    found must also be there when all that ``blind`` matches is taken out ("no error" is no error); that is
    tried only where one of ``blind_hints`` is in the lowered text. Marks are never taken out.
    """

    words: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    hints: tuple[str, ...] = ()
    blind: re.Pattern[str] | None = None
    blind_hints: tuple[str, ...] = ()

    def seen_in(self, text: str, lowered: str) -> bool:
        """Return whether *text*, also given *lowered*, shows this evidence."""
        if not self._stands_in(text, lowered):
            return False
        left = self._unblinded(lowered)
        return left is lowered or self._stands_in(text, left)

    def found_in(self, text: str, lowered: str) -> tuple[str, ...]:
        """
        Return the words of *text* that show this evidence, each once; none where it is not seen.

        >>> Evidence(words=("cron", "every "), marks=("每天",)).found_in("cron 每天", "cron 每天")
        ('cron', '每天')
        """
        if not self.seen_in(text, lowered):
            return ()
        lowered = self._unblinded(lowered)
        found = [word.strip() for word in self.words if word in lowered]
        found += [mark for mark in self.marks if mark in text]
        if self.pattern is not None and (not self.hints or any(hint in lowered for hint in self.hints)):
            found += [match[0].strip() for match in self.pattern.finditer(lowered)]
        return tuple(dict.fromkeys(found))

    def _stands_in(self, text: str, lowered: str) -> bool:
        # Loops, not any(...): these lines are most of the time of a grade.
        for word in self.words:
            if word in lowered:
                return True
        for mark in self.marks:
            if mark in text:
                return True
        if self.pattern is None:
            return False
        for hint in self.hints:
            if hint in lowered:
                return self.pattern.search(lowered) is not None
        return not self.hints and self.pattern.search(lowered) is not None

    def _unblinded(self, lowered: str) -> str:
        if self.blind is not None:
            for hint in self.blind_hints:
                if hint in lowered:
                    return self.blind.sub(SEAM, lowered)
        return lowered


def whole_words(
    *forms: str,
    words: tuple[str, ...] = (),
    blind: re.Pattern[str] | None = None,
    blind_hints: tuple[str, ...] = (),
) -> Evidence:
    """
    Return evidence that is any of *forms* as a word of its own, or any of *words* as a part of the text.

    A word ends where no ASCII letter, digit or underscore follows, so that one between Chinese characters
    is found too.

    >>> one = whole_words("rule", words=("規則",))
    >>> [one.seen_in(text, text) for text in ("the rule", "ruler", "新rule", "新規則")]
    [True, False, True, True]
    """
    listed = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    pattern = re.compile(rf"\b(?:{listed})\b", re.ASCII)
    # Where a form stands, so does every shorter one that is a part of it.
    hints = tuple(one for one in forms if not any(other != one and other in one for other in forms))
    return Evidence(words=words, pattern=pattern, hints=hints, blind=blind, blind_hints=blind_hints)
