r"""
Find what a reader cannot see in a text, and take the disguise off what can be seen.

A reader of the screen and a reader of the characters must see the same. What is hidden for an honest reason
stays without alarm: joiners of emoji, of Persian and of Hindi, marks of direction, flags, a byte order mark.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sunrise.domain.text.han_folding import TRADITIONAL_TO_SIMPLIFIED, fold_han

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ZERO_WIDTH = "\u180e\u200b-\u200d\u2060-\u2064\ufeff"
_TAGS = "\U000e0000-\U000e007f"
INVISIBLE_CLASS = (
    f"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200e\u200f\u202a-\u202e\u2065-\u206f\u3164\uffa0"
    f"{_ZERO_WIDTH}{_SELECTORS}{_TAGS}"
)
"""The inside of a regex character class: what takes no room on a screen."""

LATIN_CLASS = "a-z\u00c0-\u024f\u1e00-\u1eff"
FOREIGN_CLASS = "\u0131\u0370-\u058f"
"""Greek, Cyrillic, Armenian and the dotless i: they have letters that look like Latin ones."""
SMALL_CAPS_CLASS = "\u0250-\u02af\u1d00-\u1d22\ua730\ua731"

ODD_CLASS = (
    "\u00aa\u00ba\u00b2\u00b3\u00b9\u0100-\u0130\u0132-\u024f\u1e00-\u1eff\u02b0-\u02b8\u02e0-\u02e4\u0300-\u036f\u1100-\u11ff\u1d2c-\u1dbf"
    "\u2070-\u209c\u20a8\u2100-\u218f\u2460-\u24ff\u2c7c\u2c7d\u2e80-\u2fdf\u3099\u309a\u3131-\u319f\u3200-\u33ff"
    "\ua69c\ua69d\ua770\ua7f2-\ua7f9\uab5c-\uab69\uf900-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff61-\uff9f\uffe0-\uffee"
    "\U00010780-\U000107bf\U0001d400-\U0001d7ff\U0001e030-\U0001e06d\U0001f100-\U0001f2ff"
    "\U0001fbf0-\U0001fbf9\U0002f800-\U0002fa1f"
)
"""Letters and figures that are written as a sign of their own: raised, circled, bold, squared, halved."""

_ODD = re.compile(f"[{ODD_CLASS}]")
_INVISIBLE = re.compile(f"[{INVISIBLE_CLASS}]")
_ACCENT = re.compile("[\u0300-\u036f]")
_BLANKS = re.compile(r"[^\S\n]+")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")

_LETTER = f"[{LATIN_CLASS}{FOREIGN_CLASS}]"
_HIDDEN = re.compile(
    # A text that runs against its own letters.
    "[\u202d\u202e]"
    f"|[{_TAGS}]"
    # One selector belongs to a sign; more of them carry bytes. The late ones belong to Han letters only.
    f"|[{_SELECTORS}]{{2}}"
    "|[^\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\U000e0100-\U000e01ef]"
    f"|[{_ZERO_WIDTH}]{{4}}"
    # One may mark where a word breaks; three inside a word keep it from being found.
    f"|{_LETTER}(?:[{_ZERO_WIDTH}]{{1,3}}{_LETTER}{{1,12}}){{3}}",
    re.IGNORECASE,
)
_TURN = re.compile("[\u202a\u202b\u2066-\u2068]")
_TURN_BACK = re.compile("[\u202c\u2069]")
_DIRECTED = re.compile("[\u202a\u202b\u2066\u2067]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

_WORD = re.compile(r"[^\W_]+")
_MIXED = re.compile(f"[{LATIN_CLASS}][{FOREIGN_CLASS}]|[{FOREIGN_CLASS}][{LATIN_CLASS}]|[{SMALL_CAPS_CLASS}]")
# The two texts are aligned: the nth letter of one looks like the nth of the other.
_LOOK_ALIKE = "авсԁеғԍһніјкӏмпорԛгѕтцѵԝхуьѡүαβεηικνορτυχωςγօսոհցզᴀʙᴄᴅᴇꜰɢɡʜɪıᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"
_LATIN = "abcdefghhijklmnopqrstuvwxybwyabenikvoptuxwsyounhgqabcdefgghiijklmnoprstuvwyz"
LOOK_ALIKES = dict(zip(map(ord, _LOOK_ALIKE), _LATIN, strict=True))
"""For ``str.translate``."""


def has_hidden_text(text: str) -> bool:
    r"""
    Return whether *text* holds what its reader cannot see and no writing needs.

    >>> [has_hidden_text(text) for text in ("a break\u200bable word", "pay \u202etxt.exe")]
    [False, True]
    """
    if text.isascii():
        return False
    if max(text) >= "\U000e0000":
        text = _FLAG.sub("", text)
    return _HIDDEN.search(text) is not None or _turns_about(text)


def unveiled(text: str) -> str:
    r"""
    Return *text* as it reads: lower case, no accents, nothing invisible, plain letters, Simplified Chinese.

    Blanks become one space; lines stay.

    >>> unveiled("Ｉｇｎ\u200bóre  𝐚𝐥𝐥 指標")
    'ignore all 指标'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", _INVISIBLE.sub("", text))
        # Voiced kana and Korean syllables are put together again: only accents are gone.
        text = fold_han(unicodedata.normalize("NFC", _ACCENT.sub("", text)))
    return _BLANKS.sub(" ", text.lower())


def latinised(text: str) -> str:
    """
    Return *text* with the look-alikes in words of mixed letters as the Latin letters that they pass for.

    >>> latinised("іgnоrе игнорируй")
    'ignore игнорируй'
    """
    if text.isascii() or _MIXED.search(text) is None:
        return text
    return _WORD.sub(lambda word: word[0].translate(LOOK_ALIKES) if _MIXED.search(word[0]) else word[0], text)


@lru_cache(maxsize=1)
def disguises() -> dict[str, str]:
    """Return for each letter the other single characters, outside :data:`ODD_CLASS`, that unveil to it."""
    found: dict[str, str] = {}
    codes = (*range(0xC0, 0x100), *range(0x400, 0x500), *range(0xFF01, 0xFF5F), *TRADITIONAL_TO_SIMPLIFIED)
    for letter in map(chr, codes):
        plain = unveiled(letter)
        # Where case does not count, a capital is no disguise.
        if len(plain) == 1 and plain != letter.lower() and not _ODD.match(letter):
            found[plain] = found.get(plain, "") + letter
    return found


def _turns_about(text: str) -> bool:
    """Tell marks of direction that a writing from right to left needs from those that shuffle another."""
    turns = len(_TURN.findall(text))
    if turns != len(_TURN_BACK.findall(text)):
        return True
    return turns > 0 and _DIRECTED.search(text) is not None and _RIGHT_TO_LEFT.search(text) is None
