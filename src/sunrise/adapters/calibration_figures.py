"""The figures of a calibration: terms counted over all rows, vectors measured on a sample of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.adapters.row_hashes import Hashes, cell_hashes
from sunrise.domain.calibration import LanguageMeans, TermFrequencies, term_key
from sunrise.domain.elsewhere import OTHER_MATTERS, OTHER_QUESTIONS, Elsewhere, matters_version
from sunrise.domain.text.script import cjk_share
from sunrise.domain.text.typical_questions import QUESTIONS_CJK, QUESTIONS_OTHER
from sunrise.ports import Embedder

SAMPLED_ROWS: Final = 4000
"""So many vectors tell a mean to two percent of its length; more take longer and tell the same."""

FEWEST_TEXTS: Final = 30
"""With fewer the spread of the cosines is a guess."""

COUNTED_ROWS: Final = 500_000
"""Of a larger table the terms of about so many rows are counted, for the time that it takes."""

KEPT_TERMS: Final = 32_768
"""With these the idf sum of a query is right to two percent in a million memories."""

_PRIOR_TEXTS: Final = 10.0
"""A mean is taken for as reliable as its texts are many beside these: of one text a tenth counts."""

_SHIFTS: Final = 16
_MERGED_AT: Final = 2_000_000
_COUNTED_TERMS: Final = 1_000_000
_MOST_IN_BYTE: Final = 127

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class VectorFigures:
    """What a sample of vectors shows."""

    texts: int
    means: LanguageMeans
    cosine_mean: float
    cosine_deviation: float


class TermCounts:
    """
    In how many rows each term stands, counted batch by batch; ``share`` says which part of the rows is read.

    Where there are more than a million terms, those that stood in one row so far are forgotten: the frequent
    ones are what the ranking needs, and the memory stays bounded.
    """

    def __init__(self, share: float = 1.0) -> None:
        self._share = share
        self._documents = 0
        self._parts: list[pa.Table] = []
        self._waiting = 0
        self._forgotten = 0

    def add(self, column: pa.Array) -> None:
        """Count a batch of the column ``terms``: texts whose terms are parted by spaces."""
        part, documents = _counted(column)
        self._documents += documents
        self._parts.append(part)
        self._waiting += len(part)
        if self._waiting > _MERGED_AT:
            self._merge()

    def frequencies(self) -> TermFrequencies:
        """Return the frequent terms of all rows, by those that were counted."""
        self._merge()
        found = self._parts[0]
        frequent = found.filter(pc.greater_equal(found.column("count"), 2))
        order = [("count", "descending"), ("term", "ascending")]
        kept = frequent.sort_by(order).slice(0, KEPT_TERMS)
        left = len(found) + self._forgotten - len(kept)
        others = _total(found) + self._forgotten - _total(kept)
        pairs = zip(kept.column("term").to_pylist(), kept.column("count").to_pylist(), strict=True)
        by_key: dict[int, int] = {}
        for term, count in pairs:
            # Of two terms with one hash the more frequent stays.
            by_key.setdefault(term_key(term), self._of_all(count))
        counts = dict(sorted(by_key.items()))
        return TermFrequencies(
            documents=self._of_all(self._documents),
            rest=round(others / left / self._share, 3) if left else 0.0,
            keys=tuple(counts),
            counts=tuple(counts.values()),
        )

    def _of_all(self, count: int) -> int:
        return round(count / self._share)

    def _merge(self) -> None:
        whole = pa.concat_tables(self._parts or [_counted(pa.array([], pa.string()))[0]])
        summed = whole.group_by("term").aggregate([("count", "sum")]).rename_columns(["term", "count"])
        if len(summed) > _COUNTED_TERMS:
            frequent = summed.filter(pc.greater(summed.column("count"), 1))
            self._forgotten += len(summed) - len(frequent)
            summed = frequent
        self._parts, self._waiting = [summed], 0


class IdSample:
    """The ids with the smallest hashes: the same for the same ids, in whatever order they come."""

    def __init__(self, size: int = SAMPLED_ROWS) -> None:
        self._size = size
        self._hashes = np.zeros(0, np.uint64)
        self._ids = pa.array([], pa.string())

    def add(self, ids: pa.Array, hashes: Hashes) -> None:
        """Look at a batch of ids; rows without one cannot be read again, and are left out."""
        named = ids.is_valid().to_numpy(zero_copy_only=False)
        self._hashes = np.concatenate([self._hashes, hashes[named]])
        self._ids = pa.concat_arrays([self._ids, ids.drop_null().cast(pa.string())])
        if len(self._hashes) > self._size:
            first = np.argpartition(self._hashes, self._size)[: self._size]
            self._hashes, self._ids = self._hashes[first], self._ids.take(pa.array(first))

    def ids(self) -> list[str]:
        """Return the sampled ids in the order of their hashes."""
        found: list[str] = self._ids.take(pa.array(np.argsort(self._hashes, kind="stable"))).to_pylist()
        return found


def id_hashes(ids: pa.Array) -> Hashes:
    """Return a hash of each id, by which rows are sampled."""
    return cell_hashes(pa.record_batch({"id": ids}), ["id"])["id"]


def is_within(hashes: Hashes, share: float) -> pa.Array:
    """Return which rows are among this share of all."""
    return pa.array(hashes <= share * 2.0**64)


def measure_vectors(rows: pa.Table, column: str, *, order: list[str]) -> VectorFigures | None:
    """
    Return the language means of sampled rows and how near to each other two of them are by chance.

    A text that stands in many rows counts once, and a vector that is missing, zero or not finite not at all.
    None where fewer than :data:`FEWEST_TEXTS` are left.
    """
    texts, vectors = _usable(rows, column, order)
    if len(texts) < FEWEST_TEXTS:
        return None
    shares = np.array([cjk_share(text) for text in texts])
    means = np.stack([_shrunk_mean(vectors, shares), _shrunk_mean(vectors, 1 - shares)])
    centred = _unit(vectors - np.stack([shares, 1 - shares], axis=1) @ means)
    # The order is one of hashes, so that a row and one some places further are a random pair.
    shifts = range(1, 1 + min(_SHIFTS, (len(texts) - 1) // 2))
    cosines = np.concatenate([np.einsum("ij,ij->i", centred, np.roll(centred, at, axis=0)) for at in shifts])
    return VectorFigures(
        texts=len(texts),
        means=LanguageMeans(_stored(means[0]), _stored(means[1])),
        cosine_mean=round(float(cosines.mean()), 6),
        cosine_deviation=round(float(cosines.std()), 6),
    )


def question_means(embedder: Embedder) -> LanguageMeans:
    """Return what a model adds to a text for being a question: the means of questions about anything."""
    cjk, other = (
        embedder.embed_query(list(texts)).mean(axis=0) for texts in (QUESTIONS_CJK, QUESTIONS_OTHER)
    )
    return LanguageMeans(_stored(cjk), _stored(other))


def other_matters(embedder: Embedder) -> Elsewhere:
    """Return where statements about other matters, and questions about them, lie for a model."""
    rows = embedder.embed(list(OTHER_MATTERS)), embedder.embed_query(list(OTHER_QUESTIONS))
    vectors = _unit(np.concatenate(rows).astype(np.float64))
    scale = float(np.abs(vectors).max()) / _MOST_IN_BYTE or 1.0
    return Elsewhere(
        version=matters_version(),
        shares=tuple(round(cjk_share(text), 3) for text in (*OTHER_MATTERS, *OTHER_QUESTIONS)),
        scale=scale,
        numbers=np.rint(vectors / scale).astype(np.int8).tobytes(),
        asked=len(OTHER_QUESTIONS),
    )


def _counted(column: pa.Array) -> tuple[pa.Table, int]:
    lists = pc.ascii_split_whitespace(column.cast(pa.string()))
    rows = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    encoded = pc.list_flatten(lists).dictionary_encode()
    known = max(len(encoded.dictionary), 1)
    # A term counts once a row, however often it stands there.
    pairs = np.sort(rows * known + encoded.indices.to_numpy(zero_copy_only=False))
    first = pairs[np.diff(pairs, prepend=-1) > 0]
    counts = np.bincount(first % known, minlength=len(encoded.dictionary))[: len(encoded.dictionary)]
    table = pa.table({"term": encoded.dictionary, "count": pa.array(counts, pa.int64())})
    is_term = pc.not_equal(table.column("term"), "")
    # Lance counts the rows that have a term at all.
    documents = pc.sum(pc.greater(pc.utf8_length(pc.utf8_trim_whitespace(column)), 0)).as_py() or 0
    return table.filter(is_term), int(documents)


def _total(counts: pa.Table) -> int:
    return int(pc.sum(counts.column("count")).as_py() or 0)


def _usable(rows: pa.Table, column: str, order: list[str]) -> tuple[list[str], Floats]:
    places = {name: at for at, name in enumerate(order)}
    found = rows.filter(pc.is_valid(rows.column(column)))
    vectors = _matrix(found.column(column))
    fit = np.flatnonzero(np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)).tolist()
    names, texts = found.column("id").to_pylist(), found.column("text").to_pylist()
    first: dict[str, int] = {}
    for row in sorted(fit, key=lambda row: places[names[row]]):
        if texts[row]:
            first.setdefault(texts[row], row)
    return list(first), _unit(vectors[list(first.values())])


def _matrix(column: pa.ChunkedArray) -> Floats:
    dimension = column.type.list_size
    # A gap reads as NaN, and such a vector is left out.
    flat = pc.list_flatten(column).to_numpy().astype(np.float64)
    matrix: Floats = flat.reshape(-1, dimension)
    return matrix


def _shrunk_mean(vectors: Floats, weights: Floats) -> Floats:
    mean: Floats = weights @ vectors / (weights.sum() + _PRIOR_TEXTS)
    return mean


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit


def _stored(mean: npt.NDArray[Any]) -> tuple[float, ...]:
    # As float32, which is how it is kept: what is read again is what was measured.
    return tuple(mean.astype(np.float32).tolist())
