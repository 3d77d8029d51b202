"""One column of vectors in memory: half as precise as it is stored, with a sketch to search it by."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

SKETCHED: Final = 64
"""Numbers of a sketch. Of the 512 of ``use`` these hold 90 % of what tells two texts apart."""

_MEASURED: Final = 6
"""So many times the asked hits are taken by their sketches and measured by their vectors."""

_SAMPLE: Final = 8192
_BLOCK: Final = 4096
_SHORTEST: Final = 0.01
"""What is shorter would lose too much in half precision."""

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.uint32]


class HeldVectors:
    """
    The vectors of rows by their places, and which of some places are nearest to a query.

    A sketch is a vector along the directions in which the vectors lie. A hundred thousand of them are looked
    through in two milliseconds, and of the hundred nearest all but one in a thousand are among the best six
    hundred by their sketches.
    """

    def __init__(self, rows: int, dimension: int) -> None:
        self._halves = np.zeros((rows, dimension), np.float16)
        self._lengths = np.zeros(rows, np.float32)
        self._axes = np.zeros((dimension, 0), np.float32)
        self._sketches = np.zeros((rows, 0), np.float32)

    @staticmethod
    def bytes_of(rows: int, dimension: int) -> int:
        """Return what so many vectors take."""
        return rows * (2 * dimension + 4 * min(SKETCHED, dimension) + 4)

    def put(self, places: Places, vectors: Floats) -> bool:
        """Put vectors at some places; False if half precision cannot hold them. Zeros are no vector."""
        lengths = np.linalg.norm(vectors, axis=1)
        usable = np.isfinite(lengths) & (lengths > 0)
        with np.errstate(over="ignore"):
            halves = vectors[usable].astype(np.float16)
        self._halves[places[usable]] = halves
        self._lengths[places[usable]] = lengths[usable]
        return bool(np.isfinite(halves).all() and (lengths[usable] >= _SHORTEST).all())

    def sketch(self) -> None:
        """Make the sketches, once all vectors are there."""
        step = max(1, len(self._halves) // _SAMPLE)
        sample = self._units(np.arange(0, len(self._halves), step, dtype=np.uint32))
        directions = np.linalg.eigh(sample.T @ sample)[1]
        self._axes = np.ascontiguousarray(directions[:, -SKETCHED:], np.float32)
        self._sketches = np.zeros((len(self._halves), self._axes.shape[1]), np.float32)
        for at in range(0, len(self._halves), _BLOCK):
            part = np.arange(at, min(at + _BLOCK, len(self._halves)), dtype=np.uint32)
            self._sketches[part] = self._units(part) @ self._axes

    def nearest(self, query: Floats, places: Places, limit: int) -> tuple[Places, Floats]:
        """Return the places of the nearest vectors of those at some ascending places, and their distances."""
        places = places[self._lengths[places] > 0]
        if not len(places):
            return places, np.zeros(0, np.float32)
        unit: Floats = (query / np.linalg.norm(query)).astype(np.float32)
        first, last = int(places[0]), int(places[-1]) + 1
        # What lies together is looked through whole: to pick some of it out would take longer.
        likeness = _products(self._sketches[first:last], _products(self._axes.T, unit))[places - first]
        left_out = max(0, len(places) - _MEASURED * limit)
        places = places[np.argpartition(likeness, left_out - 1)[left_out:]] if left_out else places
        distances = 1 - _products(self._units(places), unit)
        best = np.lexsort((places, distances))[:limit]
        return places[best], distances[best]

    def at(self, places: Places) -> pa.FixedSizeListArray:
        """Return the vectors at some places as a column of a table; null where there is none."""
        values = self._halves[places].astype(np.float32)
        missing = pa.array(self._lengths[places] == 0)
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1], mask=missing)

    def _units(self, places: Places) -> Floats:
        lengths: Floats = np.maximum(self._lengths[places], np.float32(_SHORTEST))
        units: Floats = self._halves[places].astype(np.float32) / lengths[:, None]
        return units


def _products(rows: Floats, vector: Floats) -> Floats:
    # A product by BLAS keeps the other cores waiting for each other, longer than one needs for all of it.
    products: Floats = np.einsum("ij,j->i", rows, vector)
    return products
