"""Make any text safe to store, print and index, and cut it to a length without breaking a character."""

from __future__ import annotations

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CONTROLS = {code: " " for code in (*range(0x20), 0x7F) if chr(code) not in "\n\t"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

# What belongs to the character before it: combining marks, joiners, variation selectors, skin tones, tags.
_EXTENDS = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u093c\u093e-\u094d\u0e31"
    r"\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\u302a-\u302f\u3099\u309a"
    r"\ufe00-\ufe0f\ufe20-\ufe2f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
_JOINER = "\u200d"
_LONGEST_CHARACTER = 32


def clean(text: str) -> str:
    r"""
    Return *text* with lone surrogates as U+FFFD and every control but newline and tab as a space.

    >>> clean("nul\x00 and half \ud83d")
    'nul  and half \ufffd'
    """
    # Nearly every text is; no control and no surrogate is printable.
    if text.isprintable():
        return text
    if _CONTROL.search(text):
        text = text.translate(_CONTROLS)
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def clip(text: str, max_chars: int) -> str:
    r"""
    Return the beginning of *text*, at most *max_chars* long, that ends between two whole characters.

    A letter keeps its accents and an emoji its joined parts, or both are left out together.

    >>> clip("cafe\u0301 noir", 4)
    'caf'

    Raises:
        ValueError: *max_chars* is negative.
    """
    if max_chars < 0:
        msg = f"max_chars must not be negative: {max_chars}"
        raise ValueError(msg)
    if len(text) <= max_chars:
        return text
    end = max_chars
    # A text made of marks alone has no whole character to end at: there the plain cut stands.
    floor = max(0, max_chars - _LONGEST_CHARACTER)
    while end > floor and _inside_character(text, end):
        end -= 1
    return text[: end if end > floor or floor == 0 else max_chars]


def clip_start(text: str, max_chars: int) -> str:
    r"""
    Return the end of *text*, at most *max_chars* long, that begins between two whole characters.

    >>> clip_start("noir cafe\u0301s", 2)
    's'

    Raises:
        ValueError: *max_chars* is negative.
    """
    if max_chars < 0:
        msg = f"max_chars must not be negative: {max_chars}"
        raise ValueError(msg)
    if len(text) <= max_chars:
        return text
    first = len(text) - max_chars
    start, ceiling = first, min(len(text), first + _LONGEST_CHARACTER)
    while start < ceiling and _inside_character(text, start):
        start += 1
    return text[start if start < ceiling or ceiling == len(text) else first :]


def _inside_character(text: str, index: int) -> bool:
    before, after = text[index - 1], text[index]
    if before == _JOINER or _EXTENDS.match(after):
        return True
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
