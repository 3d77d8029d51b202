"""Proof that each index answers: it is asked for rows that are known to be there, and counts are compared."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sunrise.adapters.lance_indices import PARTITIONS_SEARCHED, REFINED
from sunrise.domain.filters import sql_text
from sunrise.ports import IndexProbe

KNOWN_ROWS: Final = 8
"""Random rows that each index is asked for, beside the newest."""

LEAST_RECALL: Final = 0.9
"""A vector index that finds less of the true neighbours is to be rebuilt."""

SCANNED_ROWS: Final = 4096
"""Rows whose vectors are held in memory at once where a whole column is read."""

_PADDING: Final = 8
"""No model gives so many zeros in a row at the end."""

_SCALAR: Final = ("btree", "bitmap")
_NEIGHBOURS: Final = 20
_SAME: Final = 1e-3
"""Vectors that are no farther apart than this are the same but for rounding."""

_SLICES: Final = 4
_SLICE_ROWS: Final = 5_000
"""Rows of a slice whose vectors are compared one by one; all slices are read in a tenth of a second."""

_JUDGED_FROM: Final = 20
"""From so few true neighbours no share is told: a bad one of three is chance."""

_LEAST_QUERIES: Final = 2
_VECTOR_SECONDS: Final = 0.2
"""A large index is read from the disk by the first queries; the others are left out when it took longer."""


@dataclass(frozen=True, slots=True)
class _Answer:
    wrong: str = ""
    neighbours: int = 0
    found: int = 0


def probe(table: Any, *, seed: int) -> tuple[IndexProbe, ...]:
    """
    Ask each index of one column for random rows and the newest, all at one version.

    Nothing else tells of a broken one: it is listed, and its statistics look well.
    """
    table.checkout_latest()
    indices = [index for index in table.list_indices() if len(index.columns) == 1]
    if not indices or not table.count_rows():
        return ()
    # Addresses of rows hold at one version only, and another writer may compact at any moment.
    table.checkout(table.version)
    try:
        rows = _known(table, {index.columns[0] for index in indices}, seed=seed)
        asked = [_probed(table, index, rows, seed=seed) for index in indices]
        return tuple(sorted((one for one in asked if one), key=lambda one: one.name))
    finally:
        table.checkout_latest()


def padded(column: pa.FixedSizeListArray) -> int:
    """
    Return how many vectors end in at least eight zeros, but are not zero altogether.

    >>> padded(pa.array([[1.0] * 9, [1.0] + [0.0] * 8, [0.0] * 9, None], pa.list_(pa.float32(), 9)))
    1
    """
    there = column.drop_null()
    size = column.type.list_size
    if size <= _PADDING or not len(there):
        return 0
    matrix = there.flatten().to_numpy(zero_copy_only=False).reshape(-1, size)
    return int(((matrix[:, -_PADDING:] == 0).all(axis=1) & (matrix != 0).any(axis=1)).sum())


def _known(table: Any, columns: set[str], *, seed: int) -> pa.Table:
    count = int(table.count_rows())
    offsets = random.Random(seed).sample(range(count), min(KNOWN_ROWS, count))  # noqa: S311  no secret
    wanted = sorted({*offsets, count - 1})
    names = [name for name in table.schema.names if name in columns]
    return table.take_offsets(wanted).select(names).with_row_id().to_arrow()


def _probed(table: Any, index: Any, rows: pa.Table, *, seed: int) -> IndexProbe | None:
    (column,) = index.columns
    kind = str(index.index_type).lower().replace("_", "")
    ask: Callable[[], _Answer]
    if kind in _SCALAR:
        ask = lambda: _ask_scalar(table, column, rows)  # noqa: E731  one of three, chosen by the kind
    elif kind == "fts" and column == "terms":
        ask = lambda: _ask_terms(table, rows)  # noqa: E731
    elif kind.startswith("ivf"):
        ask = lambda: _ask_vectors(table, column, rows, seed=seed)  # noqa: E731
    else:
        return None
    begin = time.perf_counter()
    try:
        answer = ask()
    except (RuntimeError, OSError, ValueError) as error:
        answer = _Answer(wrong=(str(error).splitlines() or [type(error).__name__])[0][:200])
    return IndexProbe(
        name=str(index.name),
        column=column,
        kind=str(index.index_type),
        ok=not answer.wrong,
        detail=answer.wrong,
        milliseconds=round((time.perf_counter() - begin) * 1000, 1),
        neighbours=answer.neighbours,
        neighbours_found=answer.found,
    )


def _ask_scalar(table: Any, column: str, rows: pa.Table) -> _Answer:
    known = rows.column(column).to_pylist()
    values = list(
        dict.fromkeys(_literal(value) for value in known if value is not None and not _is_nan(value))
    )
    if values:
        listed = f"IN ({', '.join(values)})"
        # The expression beside the column keeps the index out: it is the count of a scan.
        kind = table.schema.field(column).type
        plain = f"({column} + 0)" if _is_number(kind) else f"({column} || '')"
        wrong = _compared(table, f"{column} {listed}", f"{plain} {listed}")
        if wrong:
            return _Answer(wrong)
    if None in known and not table.count_rows(f"{column} IS NULL"):
        return _Answer("a row without a value was not found")
    return _Answer()


def _compared(table: Any, by_index: str, by_scan: str) -> str:
    found, there = int(table.count_rows(by_index)), int(table.count_rows(by_scan))
    return "" if found == there else f"{found} rows were found where {there} are"


def _ask_terms(table: Any, rows: pa.Table) -> _Answer:
    for address, text in zip(rows["_rowid"].to_pylist(), rows["terms"].to_pylist(), strict=True):
        words = (text or "").split()[:8]
        if not words:
            continue
        query = table.search(" ".join(words), query_type="fts", fts_columns="terms")
        query = query.where(f"_rowid = {address}").with_row_id(with_row_id=True).select(["_score"])
        if query.limit(1).to_arrow().num_rows != 1:
            return _Answer("a row that is there was not found by its words")
    return _Answer()


def _ask_vectors(table: Any, column: str, rows: pa.Table, *, seed: int) -> _Answer:
    begin = time.perf_counter()
    answers: list[tuple[np.ndarray, dict[int, float]]] = []
    for vector in _vectors(rows.column(column)):
        if len(answers) >= _LEAST_QUERIES and time.perf_counter() - begin > _VECTOR_SECONDS:
            break
        nearest = _nearest(table, column, vector)
        if min(nearest.values(), default=1.0) > _SAME:
            return _Answer("a vector that is there did not find itself")
        answers.append((vector, nearest))
    # In a large table hardly any true neighbour lies in a slice: they would be read for nothing.
    share = min(1.0, _SLICES * _SLICE_ROWS / int(table.count_rows()))
    if len(answers) * _NEIGHBOURS * share < _JUDGED_FROM:
        return _Answer()
    return _recall(answers, _slices(table, column, seed=seed))


def _nearest(table: Any, column: str, vector: np.ndarray) -> dict[int, float]:
    query = table.search(vector, vector_column_name=column).distance_type("cosine")
    query = query.nprobes(PARTITIONS_SEARCHED).refine_factor(REFINED)
    found = query.with_row_id(with_row_id=True).select(["_distance"]).limit(_NEIGHBOURS).to_arrow()
    return dict(zip(found["_rowid"].to_pylist(), found["_distance"].to_pylist(), strict=True))


def _recall(answers: Sequence[tuple[np.ndarray, dict[int, float]]], slices: Iterator[pa.Table]) -> _Answer:
    # Of what the slices hold, whatever is nearer than the farthest hit must be among the hits. A row is in a
    # slice or not whatever the index says of it, so that the share is that of the whole table.
    there = found = 0
    for part in slices:
        addresses, matrix = part.column("_rowid").to_numpy(), _matrix(part.column(0))
        for vector, nearest in answers:
            reach = max(nearest.values()) if len(nearest) == _NEIGHBOURS else np.inf
            near = addresses[1.0 - matrix @ (vector / np.linalg.norm(vector)) < reach - _SAME]
            there += len(near)
            found += sum(int(address) in nearest for address in near)
    judged = there >= _JUDGED_FROM and found < LEAST_RECALL * there
    return _Answer(f"{found} of {there} true neighbours were found" if judged else "", there, found)


def _slices(table: Any, column: str, *, seed: int) -> Iterator[pa.Table]:
    count = int(table.count_rows())
    rows = min(_SLICE_ROWS, max(1, count // _SLICES))
    chance = random.Random(seed)  # noqa: S311  no secret
    for number in range(_SLICES):
        begin = number * (count // _SLICES) + chance.randrange(max(1, count // _SLICES - rows + 1))
        part = (
            table.search().select([column]).with_row_id(with_row_id=True).offset(begin).limit(rows).to_arrow()
        )
        part = part.filter(part.column(column).is_valid())
        if part.num_rows:
            yield part


def _vectors(column: pa.ChunkedArray) -> Iterator[np.ndarray]:
    for value in column.to_pylist():
        if value is None or any(one is None for one in value):
            continue
        vector = np.asarray(value, np.float32)
        if np.isfinite(vector).all() and vector.any():
            yield vector


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    matrix = flat.reshape(len(column), -1).astype(np.float32, copy=False)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    # What has no length, or none that can be told, is nobody's neighbour.
    units: np.ndarray = np.divide(matrix, lengths, out=np.full_like(matrix, np.nan), where=lengths > 0)
    return units


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _literal(value: Any) -> str:
    return sql_text(value) if isinstance(value, str) else repr(value)
