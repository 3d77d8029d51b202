"""The cosines of many centred vectors at once, as a query over an index of uncentred ones needs them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from sunrise.domain.calibration import Calibration, LanguageMeans
from sunrise.domain.elsewhere import Elsewhere

Floats = npt.NDArray[np.float32]

BITS: Final = 14
"""The largest number of a vector has so many, and the others as fine steps; so are vectors held in memory."""


class CentredCosines:
    """
    Centres as :class:`Calibration` says, whole matrices at once. Safe for threads; made once a calibration.

    The index holds vectors as the model made them. Searched with a centred query it brings as candidates
    nearly what an index of centred vectors would; :meth:`of` then orders them exactly.
    """

    def __init__(self, calibration: Calibration) -> None:
        self._documents = _rows(calibration.documents)
        self._queries = _rows(calibration.queries)
        self._elsewhere = _elsewhere(calibration.elsewhere, self._documents, self._queries)

    def query(self, vector: Floats, cjk_share: float) -> Floats:
        """Return a centred query of length 1: what to search with, and what :meth:`of` takes."""
        centred: Floats = _centred(vector[None, :], np.array([cjk_share], np.float32), self._queries)[0]
        return centred

    def of(self, query: Floats, vectors: Floats, cjk_shares: Floats) -> Floats:
        """
        Return the cosine of a centred query and each of some vectors as they are stored.

        Two bytes of a number are enough, and all that there is where a table is held in memory: the others
        are left out everywhere, so that an answer is the same wherever its rows were read.
        """
        centred = _centred(_rounded(vectors), cjk_shares, self._documents)
        # Row by row: the figure of one memory is the same whatever stands beside it.
        cosines: Floats = np.einsum("ij,j->i", centred, query)
        return cosines

    def elsewhere(self, query: Floats) -> float | None:
        """Return the cosine of a centred query and the other matter nearest to it; None without any."""
        if self._elsewhere is None:
            return None
        # By BLAS its threads would wait for each other.
        return float(np.einsum("ij,j->i", self._elsewhere, query).max())


def _elsewhere(known: Elsewhere | None, documents: Floats, queries: Floats) -> Floats | None:
    if known is None:
        return None
    numbers = np.frombuffer(known.numbers, np.int8).reshape(len(known.shares), -1)
    if numbers.shape[1] != documents.shape[1]:
        return None
    vectors, shares = numbers * np.float32(known.scale), np.array(known.shares, np.float32)
    told = len(shares) - known.asked
    # What is a question is centred as one.
    parts = (
        _centred(vectors[:told], shares[:told], documents),
        _centred(vectors[told:], shares[told:], queries),
    )
    return np.concatenate(parts)


def _rows(means: LanguageMeans) -> Floats:
    return np.array([means.cjk, means.other], np.float32)


def _rounded(vectors: Floats) -> Floats:
    largest = np.abs(vectors).max(axis=1, initial=0, keepdims=True)
    steps = np.ldexp(np.float32(1), np.frexp(largest)[1] - BITS)
    rounded: Floats = np.rint(vectors / steps) * steps
    return rounded


def _centred(vectors: Floats, cjk_shares: Floats, means: Floats) -> Floats:
    shares = cjk_shares.astype(np.float32)[:, None]
    away: Floats = vectors - (shares * means[0] + (1 - shares) * means[1])
    lengths = np.linalg.norm(away, axis=1, keepdims=True)
    np.divide(away, lengths, out=away, where=lengths > 0)
    return away
