"""Cut a long text to its head and its tail: a pasted prompt says at its ends what is wanted."""

from __future__ import annotations

from typing import Final

from sunrise.domain.text.cleaning import clip

MAX_CHARS: Final = 6000
HEAD_CHARS: Final = 500

_GAP: Final = "\n"
_WINDOW: Final = 40
"""Longer than any character that is joined of several."""


def clamp(
    text: str, *, max_chars: int = MAX_CHARS, head_chars: int = HEAD_CHARS, max_bytes: int | None = None
) -> str:
    r"""
    Return a text of at most so many characters and bytes of UTF-8: its head, a line break, and its tail.

    Both are cut between two whole characters. A text that is short enough comes back as it is.

    >>> clamp("abcdefghij", max_chars=6, head_chars=2)
    'ab\nhij'
    >>> clamp("日本語テキスト", max_bytes=12, head_chars=1)
    '日\nスト'

    Raises:
        ValueError: A limit is below 1, or the head is longer than the whole may be.
    """
    if max_chars < 1 or not 0 <= head_chars <= max_chars or (max_bytes is not None and max_bytes < 1):
        msg = f"not limits of a text: {max_chars} characters, head {head_chars}, {max_bytes} bytes"
        raise ValueError(msg)
    kept = _ends(text, max_chars, head_chars)
    while max_bytes is not None and (size := _bytes(kept)) > max_bytes:
        max_chars = min(max_chars, len(kept))
        # Each turn takes the share that is too much, and at least one character.
        max_chars = min(max_chars - 1, max_chars * max_bytes // size)
        if max_chars <= 0:
            return ""
        kept = _ends(text, max_chars, min(head_chars, max_chars))
    return kept


def _ends(text: str, max_chars: int, head_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    tail_chars = max_chars - head_chars - len(_GAP)
    if tail_chars <= 0 or not head_chars:
        return clip(text, max_chars) if head_chars else _tail(text, max_chars)
    return clip(text, head_chars) + _GAP + _tail(text, tail_chars)


def _tail(text: str, chars: int) -> str:
    start = len(text) - chars
    # A text of marks alone has no border: there the plain cut stands.
    places = range(start, min(start + _WINDOW, len(text)))
    return text[next((at for at in places if _is_border(text, at)), start) :]


def _is_border(text: str, at: int) -> bool:
    before = text[max(0, at - _WINDOW) : at]
    return len(clip(before + text[at], len(before))) == len(before)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
