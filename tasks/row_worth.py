"""Weighing the rows of a harvest: by their vectors, by how they look, and by the rows before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from sunrise.adapters.worth_model import EMBEDDER, WorthModel, worth_model
from sunrise.bootstrap import Home, embedder_named
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.figures import figures_of
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.rules import OWNER
from sunrise.domain.admission.worth import LOOKS, NEIGHBOURS, Odds, Told, beside, looked_at, looks_of, repeats
from sunrise.domain.text.analysis import terms
from sunrise.ports import Embedder

Floats = npt.NDArray[np.float32]

MAX_EARLIER = 10_000
"""With so many rows before it a row is compared, the newest: 20 MB of vectors."""

FEWEST_ROWS = 300
"""Among fewer rows nothing is weighed: what comes again and again is not to be seen in them."""

_AT_ONCE = 256
_NEAREST = 5
_ELSEWHERE = np.float32(-2)
"""Less than any cosine: of a row in another scope."""


def row_worth(home: Home, boot_files: BootFiles) -> RowWorth | None:
    """Return what weighs the rows of a home, or None: it has no embedder, or it is switched off."""
    admission = home.settings.admission
    if not admission.by_meaning or RuleName.HELD_BACK in admission.off or not home.embedder().dimension:
        return None
    return RowWorth(embedder_named(EMBEDDER), worth_model(), boot_files.sentences)


class RowWorth:
    """
    Implements ``Worth`` of :mod:`sunrise.domain.admission.worth`. Lives as long as one run.

    Rows are weighed many at once: :meth:`weigh` comes before :meth:`odds`. ``boot`` are the sentences of the
    boot files, ``embedder`` is the one that the network was trained with.
    """

    def __init__(self, embedder: Embedder, model: WorthModel, boot: Sequence[str]) -> None:
        self._embedder = embedder
        self._model = model
        self._boot_texts = tuple(boot)
        self._boot_told = _told(boot)
        self._boot: Floats | None = None
        self._before = _Before(embedder.dimension)
        self._odds: dict[str, Odds] = {}

    @property
    def rows_heard(self) -> int:
        """How many rows are known."""
        return len(self._before.told)

    def odds(self, candidate: Candidate) -> Odds | None:
        """Return the odds of a row that was weighed."""
        return self._odds.get(candidate.key)

    def hear(self, rows: Sequence[Candidate]) -> None:
        """Note rows that came before, without weighing them."""
        if rows:
            texts = [looked_at(one.text) for one in rows]
            self._before = self._before.and_then(self._read(rows, texts), limit=MAX_EARLIER)

    def weigh(self, rows: Sequence[Candidate]) -> None:
        """Weigh rows, in the order in which they came."""
        features, again = self._weighed(rows)
        alone = features.copy()
        alone[:, -len(NEIGHBOURS) :] = 0
        odds = zip(self._model.odds(features).tolist(), self._model.odds(alone).tolist(), again, strict=True)
        self._odds = {one.key: Odds(*told) for one, told in zip(rows, odds, strict=True)}

    def features(self, rows: Sequence[Candidate]) -> Floats:
        """
        Return what is weighed of each row, and note the rows.

        A line is the vector, then the looks, then what the rows before it say; see
        :mod:`sunrise.domain.admission.worth`.
        """
        return self._weighed(rows)[0]

    def _weighed(self, rows: Sequence[Candidate]) -> tuple[Floats, list[bool]]:
        """Return the features of rows, and which of them the owner says again."""
        texts = [looked_at(one.text) for one in rows]
        looks = [looks_of(text, one.ts_ms, one.source_kind) for text, one in zip(texts, rows, strict=True)]
        read = self._read(rows, texts)
        lines: list[tuple[float, ...]] = []
        again: list[bool] = []
        for at in range(0, len(rows), _AT_ONCE):
            part = read.part(at, at + _AT_ONCE)
            for line, is_again in self._neighbours(part):
                lines.append(line)
                again.append(is_again)
            self._before = self._before.and_then(part, limit=MAX_EARLIER)
        shapes = ((looks, len(LOOKS)), (lines, len(NEIGHBOURS)))
        told = [np.array(one, np.float32).reshape(len(rows), width) for one, width in shapes]
        return np.concatenate([read.vectors, *told], axis=1), again

    def _read(self, rows: Sequence[Candidate], texts: Sequence[str]) -> _Before:
        return _Before(
            self._embedder.dimension,
            self._embed(texts),
            np.array([one.source_kind == OWNER for one in rows], np.bool_),
            # Of another agent, and in another scope, nothing was said before.
            np.array([hash((one.scope, one.agent_id)) for one in rows], np.int64),
            _told(texts),
        )

    def _neighbours(self, rows: _Before) -> Iterator[tuple[tuple[float, ...], bool]]:
        """Yield what is weighed of the rows before each of some rows, and whether the owner says it again."""
        known = len(self._before.told)
        before = self._before.and_then(rows, limit=MAX_EARLIER + _AT_ONCE)
        is_same = before.frames[None, :] == rows.frames[:, None]
        cosines = np.where(is_same, rows.vectors @ before.vectors.T, _ELSEWHERE)
        like_boot = rows.vectors @ self._boot_vectors().T
        for place, mine in enumerate(rows.told):
            row = cosines[place, : known + place]
            nearest = _nearest(row, before.told)
            owners, whose = _nearest_of_owner(row, before)
            boot, whose_boot = _best(like_boot[place], self._boot_told)
            said = [(whose, owners), (whose_boot, boot)] if rows.of_owner[place] else []
            again = any(one is not None and repeats(mine, one, cosine) for one, cosine in said)
            first = nearest[0][0] if nearest else -1.0
            near = sum(cosine for cosine, *_ in nearest) / max(1, len(nearest))
            yield (first, owners, *beside(mine, nearest), near, boot), again

    def _boot_vectors(self) -> Floats:
        if self._boot is None:
            self._boot = self._embed(self._boot_texts)
        return self._boot

    def _embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, of equal ones made once."""
        if not texts:
            return np.zeros((0, self._embedder.dimension), np.float32)
        distinct = list(dict.fromkeys(texts))
        parts = [
            self._embedder.embed(distinct[at : at + _AT_ONCE]) for at in range(0, len(distinct), _AT_ONCE)
        ]
        places = {text: place for place, text in enumerate(distinct)}
        vectors: Floats = np.concatenate(parts)[[places[text] for text in texts]]
        return vectors


class _Before:
    """Rows in the order in which they came: vectors, who said them, in which scope, and what they told."""

    def __init__(
        self,
        dimension: int,
        vectors: Floats | None = None,
        of_owner: npt.NDArray[np.bool_] | None = None,
        frames: npt.NDArray[np.int64] | None = None,
        told: Sequence[Told] = (),
    ) -> None:
        self.dimension = dimension
        self.vectors = np.zeros((0, dimension), np.float32) if vectors is None else vectors
        self.of_owner = np.zeros(0, np.bool_) if of_owner is None else of_owner
        self.frames = np.zeros(0, np.int64) if frames is None else frames
        self.told = told

    def part(self, begin: int, end: int) -> _Before:
        """Return some of the rows."""
        some = slice(begin, end)
        return _Before(
            self.dimension, self.vectors[some], self.of_owner[some], self.frames[some], self.told[some]
        )

    def and_then(self, later: _Before, *, limit: int) -> _Before:
        """Return these rows and later ones, the newest where they are too many."""
        newest = slice(-limit, None)
        return _Before(
            self.dimension,
            np.concatenate([self.vectors, later.vectors])[newest],
            np.concatenate([self.of_owner, later.of_owner])[newest],
            np.concatenate([self.frames, later.frames])[newest],
            [*self.told, *later.told][newest],
        )


def _nearest(row: Floats, told: Sequence[Told]) -> list[tuple[float, frozenset[str], frozenset[str]]]:
    """Return the nearest of the rows before one, the nearest first."""
    places = np.argpartition(row, -_NEAREST)[-_NEAREST:] if len(row) > _NEAREST else np.arange(len(row))
    order = places[np.argsort(-row[places], kind="stable")]
    return [(float(row[place]), *told[place]) for place in order.tolist() if row[place] > _ELSEWHERE]


def _best(row: Floats, told: Sequence[Told]) -> tuple[float, Told | None]:
    """Return the cosine of the nearest sentence of a boot file, and what it tells; 0 and None without any."""
    if not told:
        return 0.0, None
    place = int(row.argmax())
    return float(row[place]), told[place]


def _told(texts: Sequence[str]) -> list[Told]:
    return [(frozenset(terms(text).split()), figures_of(text)) for text in texts]


def _nearest_of_owner(row: Floats, before: _Before) -> tuple[float, Told | None]:
    """Return the cosine of what the owner said that is nearest, and what it told; -1 and None without any."""
    places = np.flatnonzero(before.of_owner[: len(row)] & (row > _ELSEWHERE))
    if not len(places):
        return -1.0, None
    place = int(places[row[places].argmax()])
    return float(row[place]), before.told[place]
