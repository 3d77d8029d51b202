"""Given texts, told wherever they stand: in other case and spacing, inside JSON, on a page, cut short."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sunrise.domain.capture import map_strings
from sunrise.domain.secret_spans import Scrubbed

KIND: Final = "erased"
MARK: Final = f"[redacted:{KIND}]"
"""What stands where a text was."""

SHORTEST: Final = 12
"""A shorter text stands in too many others; a wide character counts as two."""

HEAD: Final = 80
"""So many characters tell a text whose rest was cut off."""

_GATE: Final = 24
_TOGETHER: Final = 16
_FEWEST_LETTERS: Final = 6
_FIRST_WIDE: Final = "\u1100"


@dataclass(frozen=True, slots=True)
class SoughtText:
    """One text as patterns, one for each character in all the forms that it may be written in."""

    pieces: tuple[str, ...]

    @property
    def gate(self) -> str:
        """A pattern, in what ``re`` and RE2 both read, of how the text begins."""
        return "".join(self.pieces[:_GATE])

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the text stands in another: whole, or cut off after its head."""
        for match in _compiled("".join(self.pieces[:HEAD])).finditer(text):
            end, is_whole = self._end(text, match.end())
            if is_whole or _CUT_OFF.match(text, end):
                yield match.start(), end

    def _end(self, text: str, at: int) -> tuple[int, bool]:
        for piece in self.pieces[HEAD:]:
            match = _compiled(piece).match(text, at)
            if match is None:
                return at, False
            at = match.end()
        return at, True


@dataclass(frozen=True, slots=True)
class TextScrubber:
    r"""
    Takes given texts out of others; see :class:`sunrise.domain.scrubber.Scrubber`.

    >>> sought_texts(["The key is under the mat"]).scrub("Noted: the KEY is under\nthe mat, again").text
    'Noted: [redacted:erased], again'
    """

    sought: tuple[SoughtText, ...]

    @property
    def gates(self) -> tuple[str, ...]:
        """Patterns, in what ``re`` and RE2 both read, one of which matches whatever holds a text."""
        heads = [one.gate for one in self.sought]
        return tuple(f"(?i:{'|'.join(heads[at : at + _TOGETHER])})" for at in range(0, len(heads), _TOGETHER))

    @property
    def longest(self) -> int:
        """How many characters the longest text has."""
        return max((len(one.pieces) for one in self.sought), default=0)

    def scrub(self, text: str) -> Scrubbed:
        """Return a text with a mark wherever a given one stood."""
        after = self._replaced(text, lambda _: MARK)
        return Scrubbed(after, () if after == text else (KIND,))

    def scrub_value(self, value: object) -> Any:
        """Return a JSON value with every text in it scrubbed, the names of fields too."""
        return map_strings(value, lambda text: self.scrub(text).text)

    def blank(self, text: str) -> str:
        """Return a text with stars wherever a given one stood, as many bytes long as before."""
        return self._replaced(text, _stars)

    def holds(self, text: str) -> bool:
        """Return whether one of the texts stands in another."""
        return next(self._spans(text), None) is not None

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        for one in self.sought:
            yield from one.spans(text)

    def _replaced(self, text: str, instead: Callable[[str], str]) -> str:
        parts, at = list[str](), 0
        for start, end in _joined(sorted(self._spans(text))):
            parts += [text[at:start], instead(text[start:end])]
            at = end
        return "".join((*parts, text[at:]))


def sought_texts(texts: Iterable[str]) -> TextScrubber:
    """Return what takes these texts out; those that are too short to be told are passed over."""
    forms = {
        form: None
        for text in sorted(set(texts))
        if is_telling(text)
        for form in (text, *(unicodedata.normalize(name, text) for name in ("NFC", "NFD")))
    }
    return TextScrubber(tuple(SoughtText(_pieces(form)) for form in forms))


def is_telling(text: str) -> bool:
    """
    Return whether a text is long enough to be told wherever it stands.

    >>> is_telling("green tea"), is_telling("使用者喜歡綠茶"), is_telling("-" * 40)
    (False, True, False)
    """
    widths = [(letter.isalnum(), 2 if letter >= _FIRST_WIDE else 1) for letter in text.strip()]
    letters = sum(width for is_letter, width in widths if is_letter)
    return sum(width for _, width in widths) >= SHORTEST and letters >= _FEWEST_LETTERS


def _pieces(text: str) -> tuple[str, ...]:
    pieces: list[str] = []
    for word in _SPACES.split(text):
        if word and pieces:
            pieces.append(_GAP)
        pieces += map(_piece, word)
    return tuple(pieces)


@lru_cache(maxsize=1 << 12)
def _piece(letter: str) -> str:
    """Return a pattern of a character: in either case, as JSON escapes it at any depth, and as pages do."""
    if letter == "\\":
        return r"(?:\\+(?:u005c)?)+"
    forms = dict.fromkeys((letter, letter.lower(), letter.upper(), letter.casefold()))
    plain = [r"\\*" * (letter in '"/') + re.escape(form) for form in forms]
    # Where case does not count, one form of a letter of ASCII stands for both.
    told = plain[:1] if letter.isascii() else plain
    told += map(_escaped, forms)
    return f"(?:{'|'.join((*told, *_ON_PAGES.get(letter, ())))})"


def _escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(rf"\\+u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


@lru_cache(maxsize=1 << 12)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans that are apart from each other, in place of those that overlap."""
    last: tuple[int, int] | None = None
    for start, end in spans:
        if last is not None and start <= last[1]:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last


def _stars(text: str) -> str:
    length = len(text.encode("utf-8", "surrogateescape"))
    return f"[{'*' * (length - 2)}]"


_ON_PAGES: Final = {
    "&": ("&amp;",),
    "<": ("&lt;",),
    ">": ("&gt;",),
    '"': ("&quot;", "&#34;"),
    "'": ("&#x27;", "&#39;"),
}
_WIDE_SPACES: Final = (
    "\u0085", "\u00a0", "\u1680", *map(chr, range(0x2000, 0x200B)), "\u2028", "\u2029", "\u202f", "\u205f",
    "\u3000",
)  # fmt: skip
_SPACES: Final = re.compile(rf"[\s\x00-\x20\x7f{''.join(_WIDE_SPACES)}]+")
_GAP: Final = (
    rf"(?:[\x00-\x20\x7f]|\\+[nrtbf]|\\+u00(?:[01][0-9a-f]|20|7f)|&nbsp;|{'|'.join(_WIDE_SPACES)}"
    rf"|{'|'.join(map(_escaped, _WIDE_SPACES))})+"
)
_CUT_OFF: Final = re.compile(r'\Z|\\*"|\s*(?:\u2026|\\+u2026|\.\.\.)')
"""What may stand behind a text that was cut off: nothing, the end of a string, dots."""
