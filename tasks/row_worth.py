"""Weighing the rows of a harvest: by their vectors, by how they look, and by the rows before them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sunrise.adapters.worth_model import EMBEDDER, WorthModel, worth_model
from sunrise.bootstrap import Home, embedder_named
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.figures import figures_of
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.rules import OWNER
from sunrise.domain.admission.worth import LOOKS, NEIGHBOURS, Odds, beside, looked_at, looks_of, repeats
from sunrise.domain.text.analysis import terms
from sunrise.ports import Embedder

Floats = npt.NDArray[np.float32]

MAX_EARLIER = 10_000
"""With so many rows before it a row is compared, the newest: 20 MB of vectors."""

FEWEST_ROWS = 300
"""Among fewer rows nothing is weighed: what comes again and again is not to be seen in them."""

_OF_REPEATS = ("nearest", "words_known", "figures_new")
_AT_ONCE = 256
_NEAREST = 5


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
        self._boot: Floats | None = None
        self._vectors = np.zeros((0, embedder.dimension), np.float32)
        self._of_owner = np.zeros(0, np.bool_)
        self._told: list[tuple[frozenset[str], frozenset[str]]] = []
        self._odds: dict[str, Odds] = {}

    @property
    def rows_heard(self) -> int:
        """How many rows are known."""
        return len(self._told)

    def odds(self, candidate: Candidate) -> Odds | None:
        """Return the odds of a row that was weighed."""
        return self._odds.get(candidate.key)

    def hear(self, rows: Sequence[Candidate]) -> None:
        """Note rows that came before, without weighing them."""
        texts = [looked_at(one.text) for one in rows]
        self._remember(rows, self._embed(texts), _told(texts))

    def weigh(self, rows: Sequence[Candidate]) -> None:
        """Weigh rows, in the order in which they came."""
        features = self.features(rows)
        alone = features.copy()
        alone[:, -len(NEIGHBOURS) :] = 0
        beside_them = features[:, -len(NEIGHBOURS) :]
        again = map(repeats, *(beside_them[:, NEIGHBOURS.index(name)].tolist() for name in _OF_REPEATS))
        odds = zip(self._model.odds(features).tolist(), self._model.odds(alone).tolist(), again, strict=True)
        self._odds = {one.key: Odds(*told) for one, told in zip(rows, odds, strict=True)}

    def features(self, rows: Sequence[Candidate]) -> Floats:
        """
        Return what is weighed of each row, and note the rows.

        A line is the vector, then the looks, then what the rows before it say; see
        :mod:`sunrise.domain.admission.worth`.
        """
        texts = [looked_at(one.text) for one in rows]
        vectors, told = self._embed(texts), _told(texts)
        looks = np.array(
            [
                looks_of(text, one.ts_ms, one.source_kind)
                for text, one in zip(texts, rows, strict=True)
            ],
            np.float32,
        )  # fmt: skip
        parts = []
        for at in range(0, len(rows), _AT_ONCE):
            part = slice(at, at + _AT_ONCE)
            parts.append(self._neighbours(vectors[part], told[part], rows[part]))
            self._remember(rows[part], vectors[part], told[part])
        if not parts:
            return np.zeros((0, vectors.shape[1] + len(LOOKS) + len(NEIGHBOURS)), np.float32)
        return np.concatenate([vectors, looks, np.concatenate(parts)], axis=1)

    def _neighbours(
        self,
        vectors: Floats,
        told: Sequence[tuple[frozenset[str], frozenset[str]]],
        rows: Sequence[Candidate],
    ) -> Floats:
        """Return what is weighed of the rows before each of some rows: those noted, and those of them."""
        known = len(self._told)
        before = np.concatenate([self._vectors, vectors])
        all_told = [*self._told, *told]
        of_owner = np.concatenate([self._of_owner, [one.source_kind == OWNER for one in rows]]).astype(bool)
        cosines = vectors @ before.T
        boot = self._boot_vectors()
        like_boot = (vectors @ boot.T).max(axis=1) if len(boot) else np.zeros(len(rows), np.float32)
        lines = []
        for place, mine in enumerate(told):
            row = cosines[place, : known + place]
            if not len(row):
                lines.append((-1.0, -1.0, *beside(mine, ()), 0.0, float(like_boot[place])))
                continue
            places = (
                np.argpartition(row, -_NEAREST)[-_NEAREST:] if len(row) > _NEAREST else np.arange(len(row))
            )
            owners = row[of_owner[: len(row)]]
            nearest = [(float(row[one]), *all_told[one]) for one in places.tolist()]
            lines.append(
                (
                    float(row.max()),
                    float(owners.max()) if len(owners) else -1.0,
                    *beside(mine, nearest),
                    float(row[places].mean()),
                    float(like_boot[place]),
                )
            )
        return np.array(lines, np.float32)

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

    def _remember(
        self,
        rows: Sequence[Candidate],
        vectors: Floats,
        told: Sequence[tuple[frozenset[str], frozenset[str]]],
    ) -> None:
        is_owner = np.array([one.source_kind == OWNER for one in rows], np.bool_)
        self._vectors = np.concatenate([self._vectors, vectors])[-MAX_EARLIER:]
        self._of_owner = np.concatenate([self._of_owner, is_owner])[-MAX_EARLIER:]
        self._told = [*self._told, *told][-MAX_EARLIER:]


def _told(texts: Sequence[str]) -> list[tuple[frozenset[str], frozenset[str]]]:
    return [(frozenset(terms(text).split()), figures_of(text)) for text in texts]
