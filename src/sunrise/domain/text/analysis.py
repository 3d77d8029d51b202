"""
Turn a text into index terms: one analysis for every index and every query, so that what is stored is found.

The index keeps stop words and a query drops them, unless it has nothing else: so "to be or not to be" finds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any

from sunrise.domain.text.accents import has_accents, unaccented
from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.text.han_folding import TRADITIONAL_TO_SIMPLIFIED
from sunrise.domain.text.script import CJK_CLASS
from sunrise.domain.text.stop_words import STOP_WORDS
from sunrise.domain.text.stop_words_chinese import function_characters

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

    Compounds (paths, codes, versions, addresses, names in code) stay whole and are split too. Case and
    accents are folded, and then English words are stemmed. Writing without spaces gives its characters and
    their pairs.

    >>> analyze("Rolled back ERR_TIMEOUT")
    ['roll', 'back', 'err_timeout', 'err', 'timeout']
    >>> analyze("Brötchen") == analyze("BROTCHEN")
    True
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


def written_terms(text: str, analysed: str | None = None) -> str:
    """
    Return the index terms of *text* with accents as they are written, where *analysed* are those without.

    They tell texts apart ("schon" is not "schön"), and hashes of texts are made of them: a ledger keeps
    hashes for years without the texts, so this analysis must not change.

    >>> written_terms("Brötchen am Sonntag"), terms("Brötchen am Sonntag")
    ('brötchen am sonntag', 'brotchen am sonntag')
    """
    if not has_accents(text):
        return terms(text) if analysed is None else analysed
    return " ".join(
        term for chunk in _chunks(text, MAX_CHARS) for term, _ in _split_chunk(chunk, of_piece=_piece_terms)
    )


def accented_terms(text: str, *, max_chars: int = MAX_CHARS) -> list[str]:
    """
    Return the terms with accents that an analysis which kept them made of *text*.

    A search looks for them too, since rows that no flow has renewed yet still have them.

    >>> accented_terms("Müller und Sohn"), accented_terms("Muller")
    (['müller'], [])
    """
    if not has_accents(text):
        return []
    chunks = [chunk for chunk in _chunks(text, max_chars) if has_accents(chunk)]
    found = (term for chunk in chunks for term, _ in _split_chunk(chunk, of_piece=_piece_terms))
    return [term for term in dict.fromkeys(found) if has_accents(term)]


def query_terms(text: str, *, max_chars: int = MAX_CHARS, has_more: bool = False) -> list[str]:
    """
    Return what to look up for a query: its index terms once each, without stop words.

    Where there is nothing else, stop words are looked up, unless the caller *has_more* to look for.

    >>> query_terms("where is the cache of the cache")
    ['cach']
    >>> query_terms("to be or not to be")
    ['to', 'be', 'or', 'not']
    >>> query_terms("你們有沒有買米")
    ['买', '米', '买米']
    """
    found = [
        pair
        for chunk in _chunks(text, max_chars)
        for pair in (_chunk_terms(chunk) if chunk.isascii() else _split_chunk(chunk, of_run=_query_run_terms))
    ]
    telling = dict.fromkeys(term for term, is_stop in found if not is_stop)
    if telling or has_more:
        return list(telling)
    return list(dict.fromkeys(term for term, _ in found))


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


def _split_chunk(
    chunk: str,
    *,
    of_run: Callable[[str], list[_Term]] | None = None,
    of_piece: Callable[[str], list[_Term]] | None = None,
) -> list[_Term]:
    of_run, of_piece = of_run or _run_terms, of_piece or _folded_terms
    found: list[_Term] = []
    for match in _PIECE.finditer(chunk):
        found += of_piece(match[0]) if match["run"] is None else of_run(match[0])
    return found


def _run_terms(run: str) -> list[_Term]:
    """Return the characters of writing without spaces, then their pairs."""
    return [(term, False) for term in (*run, *(first + second for first, second in pairwise(run)))]


def _query_run_terms(run: str) -> list[_Term]:
    """Mark what belongs to a function word, and every pair with one of its characters."""
    function = function_characters(run)
    found = [(character, at in function) for at, character in enumerate(run)]
    return found + [
        (first + second, at in function or at + 1 in function)
        for at, (first, second) in enumerate(pairwise(run))
    ]


def _folded_terms(piece: str) -> list[_Term]:
    plain = unaccented(piece)
    # Marks without a letter leave nothing.
    found = _piece_terms(plain) if plain else []
    # "thé" is written like "the" without its accent, and yet is no stop word.
    return found if plain == piece else [(term, False) for term, _ in found]


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
