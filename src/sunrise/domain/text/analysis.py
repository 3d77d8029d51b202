"""
Turn a text into index terms: one analysis for every index and every query, so that what is stored is found.

The index keeps stop words and a query drops them, unless it has nothing else: so "to be or not to be" finds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any

from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.text.han_folding import TRADITIONAL_TO_SIMPLIFIED
from sunrise.domain.text.script import CJK_CLASS
from sunrise.domain.text.stop_words import STOP_WORDS

MAX_CHARS = 20_000
MAX_TOKEN_CHARS = 64

# Thai, Lao, Burmese and Khmer put no space between words either.
_UNSPACED = CJK_CLASS + r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_MARKS = r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_ATOM = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])+"
# An atom, or atoms tied by what ties paths, codes, addresses and names; "c++" and "c#" keep their sign.
_PIECE = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)|{_ATOM}(?:[-_./\\:@#+~=&?%$*']+{_ATOM})*(?:(?:\+\+|\#)(?!\w))?"
)
# From the coarse to the fine: a URL's path, then the dots, then the words of a name.
_SEPARATORS = tuple(re.compile(rf"[{chars}]+") for chars in (r"/\\:@#+~=&?%$*", r".", r"_\-'"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MAX_CAMEL_PARTS = 8

_FOLD: dict[int, str | None] = {
    **TRADITIONAL_TO_SIMPLIFIED,
    ord("\u2019"): "'",
    ord("\u02bc"): "'",
    # Invisible: soft hyphen, zero-width space and joiners, word joiner, byte order mark.
    **dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)),
}
_STEMMER_LOCK = Lock()

# A term, and whether it is a stop word.
_Term = tuple[str, bool]


def analyze(text: str, *, max_chars: int = MAX_CHARS) -> list[str]:
    """
    Return the index terms of *text* in reading order; no term contains whitespace.

    Compounds (paths, codes, versions, addresses, names in code) stay whole and are split too. English words
    are stemmed. Writing without spaces gives its characters and their pairs.

    >>> analyze("Rolled back ERR_TIMEOUT")
    ['roll', 'back', 'err_timeout', 'err', 'timeout']
    >>> analyze("記憶")
    ['记', '忆', '记忆']
    """
    return [term for chunk in _chunks(text, max_chars) for term, _ in _chunk_terms(chunk)]


def terms(text: str, *, max_chars: int = MAX_CHARS) -> str:
    """
    Return the index terms of *text* as one text for a whitespace tokenizer.

    >>> terms("Decided: the cache lives in RAM")
    'decid the cach live in ram'
    """
    return " ".join(filter(None, map(_CHUNK_TEXTS.__getitem__, _chunks(text, max_chars))))


def query_terms(text: str, *, max_chars: int = MAX_CHARS) -> list[str]:
    """
    Return what to look up for a query: its index terms once each, without stop words.

    >>> query_terms("where is the cache of the cache")
    ['cach']
    >>> query_terms("to be or not to be")
    ['to', 'be', 'or', 'not']
    """
    found = [pair for chunk in _chunks(text, max_chars) for pair in _chunk_terms(chunk)]
    telling = dict.fromkeys(term for term, is_stop in found if not is_stop)
    return list(telling or dict.fromkeys(term for term, _ in found))


def _chunks(text: str, max_chars: int) -> list[str]:
    text = clean(clip(text, max_chars))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_FOLD)
    return text.split()


def _chunk_terms(chunk: str) -> tuple[_Term, ...]:
    # Long chunks (unspaced prose, blobs) are rarely seen twice and would fill the memory.
    return _short_chunk_terms(chunk) if len(chunk) <= MAX_TOKEN_CHARS else tuple(_split_chunk(chunk))


class _ChunkTexts(dict[str, str]):
    """The terms of chunks as text. Rows are made of the same few thousand: most are found here whole."""

    def __missing__(self, chunk: str) -> str:
        short = len(chunk) <= MAX_TOKEN_CHARS
        if short and chunk.isascii() and chunk.isdigit():
            # A counter is a term as it stands, and is hardly ever seen again.
            return chunk
        text = " ".join([term for term, _ in _split_chunk(chunk)])
        if short:
            if len(self) >= _CHUNKS_KEPT:
                self.clear()
            self[chunk] = text
        return text


_CHUNKS_KEPT = 1 << 15
_CHUNK_TEXTS = _ChunkTexts()


@lru_cache(maxsize=1 << 15)
def _short_chunk_terms(chunk: str) -> tuple[_Term, ...]:
    return tuple(_split_chunk(chunk))


def _split_chunk(chunk: str) -> list[_Term]:
    found: list[_Term] = []
    for match in _PIECE.finditer(chunk):
        run = match["run"]
        if run is None:
            found += _piece_terms(match[0])
            continue
        found += [(character, False) for character in run]
        found += [(first + second, False) for first, second in pairwise(run)]
    return found


def _piece_terms(piece: str) -> list[_Term]:
    folded = _folded(piece)
    if folded in STOP_WORDS:
        return [(folded, True)]
    return _compound_terms(piece.removesuffix("'s"), level=0)


def _compound_terms(piece: str, *, level: int) -> list[_Term]:
    """Return the piece whole, where it has parts, and then the terms of its parts."""
    if piece.isalnum() or level == len(_SEPARATORS):
        return _word_terms(piece)
    parts = [part for part in _SEPARATORS[level].split(piece) if part]
    if parts == [piece]:
        return _compound_terms(piece, level=level + 1)
    whole = _bounded(_folded(piece))
    return whole + [term for part in parts for term in _compound_terms(part, level=level + 1)]


def _word_terms(word: str) -> list[_Term]:
    folded = _folded(word)
    if folded in STOP_WORDS:
        return [(folded, True)]
    return _bounded(_stem(folded) if folded.isascii() else folded) + _camel_terms(word)


def _camel_terms(word: str) -> list[_Term]:
    if len(word) > MAX_TOKEN_CHARS or word.islower() or word.isupper() or word.istitle():
        return []
    parts = _CAMEL.split(word)
    # More humps than any name has: a hash or a blob, whose pieces mean nothing.
    if not 1 < len(parts) <= _MAX_CAMEL_PARTS:
        return []
    return [term for part in parts for term in _word_terms(part)]


def _bounded(term: str) -> list[_Term]:
    return [(term, False)] if len(term) <= MAX_TOKEN_CHARS else []


def _folded(piece: str) -> str:
    folded = piece.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFKC", folded)


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    if len(word) > MAX_TOKEN_CHARS or not word.isalpha():
        return word
    with _STEMMER_LOCK:
        return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    # Always the pure one: the library's own choice depends on what else is installed, and stems must not.
    # It brings the stemmers of thirty languages along, so it is loaded for the first word.
    from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: PLC0415

    return EnglishStemmer()
