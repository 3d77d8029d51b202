"""What a model is given of a text: any text is made safe, and none is longer than the model can bear."""

from __future__ import annotations

import unicodedata
from typing import Final

from sunrise.domain.text.cleaning import clean, clip, clip_start
from sunrise.domain.text.han_folding import fold_han

MAX_CHARS: Final = 6000
HEAD_CHARS: Final = 500
"""Of a long query the ends say what is wanted: so much of it is read, and of its head."""


def folded(text: str, max_chars: int) -> str:
    r"""
    Return the beginning of *text* with compatibility characters and both Chinese scripts made one.

    >>> folded("備份 ＡＢＣ\x00", 20)
    '备份 ABC '
    """
    # Cut first, so that a text of megabytes costs nothing; again after, because NFKC can make it longer.
    plain = unicodedata.normalize("NFKC", clean(clip(text, max_chars)))
    return clip(fold_han(plain), max_chars)


def clamped(text: str, *, max_chars: int, head_chars: int, max_bytes: int = 0) -> str:
    """
    Return the head and the tail of a text that is too long, with a space for what is left out.

    ``max_bytes`` limits the length as UTF-8; 0 sets no limit.

    >>> clamped("one two three four", max_chars=10, head_chars=3)
    'one e four'
    >>> clamped("茶茶茶", max_chars=10, head_chars=3, max_bytes=7)
    '茶茶'
    """
    kept = _head_and_tail(text, max_chars, head_chars)
    size = len(clean(kept).encode())
    while max_bytes and size > max_bytes:
        kept = _head_and_tail(text, len(kept) * max_bytes // size, head_chars)
        size = len(clean(kept).encode())
    return clean(kept)


def _head_and_tail(text: str, max_chars: int, head_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    head = clip(text, min(head_chars, max_chars))
    room = max_chars - len(head) - 1
    return f"{head} {clip_start(text, room)}" if room > 0 else head
