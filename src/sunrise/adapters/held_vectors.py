"""One column of vectors in memory: two bytes a number, with a sketch to search it by."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

SKETCHED: Final = 64
"""Numbers of a sketch. Of the 512 of ``use`` these hold 90 % of what tells two texts apart."""

BITS: Final = 14
"""The largest number of a vector has so many, and the others as fine steps."""

_MEASURED: Final = 6
"""So many times the asked hits are taken by their sketches and measured by their vectors."""

_SPARSE: Final = 32
_SURE: Final = 2
"""A bound is told by one value of so many, and let twice as many through as are wanted."""

_SAMPLE: Final = 4096
_TURNS: Final = 6
"""So often the directions of a sketch are turned towards those along which the vectors lie farthest apart."""

_BLOCK: Final = 2048
_SKETCH_STEPS: Final = 127
Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.uint32]


class HeldVectors:
    """
    The vectors of rows by their places, and which of some places are nearest to a query.

    A few thousand are measured one by one. Of more there are sketches: a sketch is a vector along the
    directions in which the vectors lie. A hundred thousand of them are looked through in two milliseconds,
    and of the hundred nearest all but one in a thousand are among the best six hundred by their sketches.

    There may be *spare* places for rows that come later.
    """

    def __init__(self, rows: int, dimension: int, *, spare: int = 0) -> None:
        self.dimension = dimension
        self._first_spare = rows
        # Memory that nobody has written to yet is not taken from the system.
        self._numbers = np.zeros((rows + spare, dimension), np.int16)
        self._steps = np.zeros(rows + spare, np.float32)
        self._lengths = np.zeros(rows + spare, np.float32)
        self._all_there = False
        self.axes: Floats | None = None
        self._sketches = np.zeros((0, 0), np.int8)

    @staticmethod
    def bytes_of(rows: int, dimension: int) -> int:
        """Return what so many vectors take."""
        return rows * (2 * dimension + min(SKETCHED, dimension) + 8)

    def put(self, places: Places, vectors: Floats) -> None:
        """Put vectors at some places. What is not finite, and what is zero, is no vector."""
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1)
        usable = np.isfinite(lengths) & (lengths > 0)
        places, vectors = places[usable], vectors[usable]
        # A power of two: what is rounded stays as it is when it is rounded once more.
        largest = np.abs(vectors).max(axis=1, initial=0)
        steps = np.ldexp(np.float32(1), np.frexp(largest)[1] - BITS)
        self._numbers[places] = np.rint(vectors / steps[:, None])
        self._steps[places], self._lengths[places] = steps, lengths[usable]
        self._sketch(places)

    def sketch(self, *, like: HeldVectors | None = None) -> None:
        """Make the sketches, once all vectors are there; along the directions of others, if there are any."""
        rows = self._first_spare
        known = None if like is None else like.axes
        self.axes = self._directions(rows) if known is None else known
        self._sketches = np.zeros((len(self._numbers), self.axes.shape[1]), np.int8)
        for at in range(0, rows, _BLOCK):
            self._sketch(np.arange(at, min(at + _BLOCK, rows), dtype=np.uint32))

    def count(self, rows: int) -> None:
        """Look whether each of the first rows has a vector: then no search has to leave any out."""
        self._all_there = bool((self._lengths[:rows] > 0).all())

    def nearest(self, query: Floats, places: Places, limit: int) -> tuple[Places, Floats]:
        """Return the places of the nearest vectors of those at some ascending places, and their distances."""
        if not self._all_there:
            places = places[self._lengths[places] > 0]
        if not len(places):
            return places, np.zeros(0, np.float32)
        unit: Floats = (query / np.linalg.norm(query)).astype(np.float32)
        if self.axes is not None and len(places) > _MEASURED * limit:
            likeness = self._likeness(_products(self.axes.T, unit), places)
            places = places[highest(likeness, _MEASURED * limit)]
        scales = self._steps[places] / self._lengths[places]
        distances = 1 - self._measured(places, unit) * scales
        best = np.lexsort((places, distances))[:limit]
        return places[best], distances[best]

    def at(self, places: Places) -> pa.FixedSizeListArray:
        """Return the vectors at some places as a column of a table; null where there is none."""
        values = self._numbers[places].astype(np.float32) * self._steps[places, None]
        missing = pa.array(self._lengths[places] == 0)
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1], mask=missing)

    def _measured(self, places: Places, unit: Floats) -> Floats:
        blocks = (places[at : at + _BLOCK] for at in range(0, len(places), _BLOCK))
        return np.concatenate([_products(self._numbers[one].astype(np.float32), unit) for one in blocks])

    def _likeness(self, sketch: Floats, places: Places) -> Floats:
        # What came later lies far from the other rows of its scope.
        parts = np.split(places, [np.searchsorted(places, self._first_spare)])
        return np.concatenate([self._likeness_together(sketch, part) for part in parts if len(part)])

    def _likeness_together(self, sketch: Floats, places: Places) -> Floats:
        # What lies together is looked through whole: to pick some of it out would take longer.
        first, end = int(places[0]), int(places[-1]) + 1
        blocks = [slice(at, min(at + _BLOCK, end)) for at in range(first, end, _BLOCK)]
        likeness = np.concatenate([
            _products(self._sketches[one].astype(np.float32), sketch) for one in blocks
        ])  # fmt: skip
        return likeness if end - first == len(places) else likeness[places - first]

    def _sketch(self, places: Places) -> None:
        if self.axes is not None:
            # A unit vector has no number above 1.
            self._sketches[places] = np.rint(self._units(places) @ self.axes * _SKETCH_STEPS)

    def _directions(self, rows: int) -> Floats:
        """
        Return about the directions along which the vectors lie farthest apart (orthogonal iteration).

        To work them out to the end takes a second of 512 numbers a vector, and finds nothing more.
        """
        step = max(1, rows // _SAMPLE)
        sample = self._units(np.arange(0, rows, step, dtype=np.uint32))
        products = sample.T @ sample
        axes = np.linalg.qr(products[:, :SKETCHED])[0]
        for _ in range(_TURNS):
            axes = np.linalg.qr(products @ axes)[0]
        return np.ascontiguousarray(axes, np.float32)

    def _units(self, places: Places) -> Floats:
        lengths = self._lengths[places]
        scales = np.divide(self._steps[places], lengths, out=np.zeros_like(lengths), where=lengths > 0)
        units: Floats = self._numbers[places].astype(np.float32) * scales[:, None]
        return units


def highest(values: Floats, count: int) -> npt.NDArray[np.intp]:
    """
    Return where the highest values stand, ascending: *count* of them, or more where some are equal.

    >>> highest(np.array([3.0, 1.0, 2.0, 2.0], np.float32), 2).tolist()
    [0, 2, 3]
    """
    if count >= len(values):
        return np.arange(len(values))
    found = np.flatnonzero(values >= _low_bound(values, count))
    if len(found) <= count:
        return found
    left_out = len(found) - count
    best: npt.NDArray[np.intp] = found[values[found] >= np.partition(values[found], left_out)[left_out]]
    return best


def _low_bound(values: Floats, count: int) -> np.float32:
    """Return a value that at least *count* of the values reach, and of many values few more."""
    # To put all in two halves takes longer than all that is done with the better half.
    sample = values[::_SPARSE]
    wanted = _SURE * (count // _SPARSE + 1)
    if wanted < len(sample):
        bound = np.float32(np.partition(sample, len(sample) - wanted)[len(sample) - wanted])
        if np.count_nonzero(values >= bound) >= count:
            return bound
    return np.float32(np.partition(values, len(values) - count)[len(values) - count])


def _products(rows: Floats, vector: Floats) -> Floats:
    # A product by BLAS keeps the other cores waiting for each other, longer than one needs for all of it.
    products: Floats = np.einsum("ij,j->i", rows, vector)
    return products
