"""The two searches of a recall: by words and by meaning, each allowed to fail alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import Thread
from typing import Final

import numpy as np
import pyarrow as pa

from sunrise.domain import filters
from sunrise.domain.calibration import Calibration
from sunrise.domain.query_dates import Span
from sunrise.domain.text.script import cjk_share
from sunrise.domain.vector_space import VectorSpace, searched
from sunrise.errors import DataError, StoreError
from sunrise.online.centred_cosines import CentredCosines, Floats
from sunrise.online.recall_hits import COLUMNS, Hits, hits_of, shared_ids
from sunrise.online.recall_trail import Trail
from sunrise.ports import Embedder, MemoryReader

CANDIDATES: Final = 40
"""Each leg brings more than is asked for: fusion lives on what stands low in one and high in the other."""

_BEYOND: Final = 10
"""So many more than are asked for, where that is more: some say the same, some fall out."""

_SAME: Final = 1e-5
"""Scores that differ by less are equal: they are summed in another order elsewhere."""


@dataclass(frozen=True, slots=True)
class Question:
    """
    What both legs look for: the query as the model gets it, its terms, and the times that it names.

    ``more_terms`` are searched for as well, and are no part of what a memory is scored by: those of the days
    that are named, and words as rows have them whose terms were not renewed yet.
    """

    text: str
    terms: tuple[str, ...]
    timeout_s: float
    spans: tuple[Span, ...] = ()
    more_terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """The table as this reader may see it: what stands in every leg's search."""

    memories: MemoryReader
    space: VectorSpace | str
    where: str | None
    limit: int = CANDIDATES

    @property
    def columns(self) -> list[str]:
        """What a leg reads: the vectors too, since whatever one leg found the other one scores."""
        if isinstance(self.space, str):
            return [*COLUMNS]
        return [*COLUMNS, self.space.column, *(["embedding_model"] if self.space.is_legacy else [])]

    def read(
        self,
        found: pa.Table,
        embedder: Embedder,
        *,
        known: Collection[str] = (),
        shared: Collection[str] = (),
    ) -> Hits:
        """Read what a leg brought."""
        return hits_of(found, space=self.space, model_id=embedder.model_id, known=known, shared=shared)


@dataclass(frozen=True, slots=True)
class Legs:
    """What each leg found; None for one that did not run. ``vector`` is the query's."""

    by_words: Hits | None
    by_meaning: Hits | None
    vector: Floats | None = None
    centred: CentredCosines | None = None

    @property
    def all(self) -> tuple[Hits, ...]:
        """What was found by the legs that ran, by words first."""
        return tuple(one for one in (self.by_words, self.by_meaning) if one is not None)


def view_of(
    memories: MemoryReader,
    embedder: Embedder,
    *,
    scope: str,
    include_archived: bool,
    include_untrusted: bool,
    limit: int,
) -> View:
    """
    Return the table as a reader in a scope may see it.

    Raises:
        StoreError: The table cannot be read.
    """
    columns = memories.schema().names
    where = filters.visible(
        scope=scope, columns=columns, include_archived=include_archived, include_untrusted=include_untrusted
    )
    # Vectors whose model nobody wrote down are of another model, as far as anyone can tell.
    known = tuple(one for one in memories.spaces() if not one.is_legacy or "embedding_model" in columns)
    space = searched(known, embedder.model_id, embedder.dimension)
    return View(memories, space, where, max(CANDIDATES, limit + _BEYOND))


def run_legs(
    view: View, question: Question, embedder: Embedder, calibration: Calibration | None, trail: Trail
) -> Legs:
    """
    Search by words and by meaning at once. A leg that cannot run is None, and the trail says why.

    What the words brought is read meanwhile, where the model has a thread of its own.
    """
    if isinstance(view.space, str):
        trail.skipped["dense"] = view.space
        return Legs(_by_words(view, question, embedder, trail)[0], None)
    centred = None if calibration is None else centring(calibration).cosines
    meaning = _Meaning(view, view.space, question, embedder, centred)
    meaning.begin()
    words, brought = _by_words(view, question, embedder, trail)
    vector, found = meaning.answer(trail)
    if found is None:
        return Legs(words, None, vector, centred)
    with trail.stage("dense"):
        shared = shared_ids(found) if brought is None else shared_ids(brought, found)
        if shared and brought is not None:
            # Of an id that is shared each leg may have brought another row.
            words = view.read(brought, embedder, shared=shared)
        known = () if words is None else words.memories
        return Legs(words, view.read(found, embedder, known=known, shared=shared), vector, centred)


def _by_words(
    view: View, question: Question, embedder: Embedder, trail: Trail
) -> tuple[Hits | None, pa.Table | None]:
    """Return what the words brought, as it was read and as it was found."""

    def search() -> pa.Table:
        return view.memories.search_terms(
            " ".join([*question.terms, *question.more_terms]),
            columns=view.columns,
            where=view.where,
            limit=view.limit,
        )

    with trail.stage("lexical"):
        found = _told(search, "lexical", trail)
        if found is None:
            return None, None
        found = found if len(found) < view.limit else _without_the_last(found)
        return view.read(found, embedder, shared=shared_ids(found)), found


def _without_the_last(found: pa.Table) -> pa.Table:
    """Leave out the equals of the last hit: which of them the limit let in depends on where rows stand."""
    scores = found.column("_score").to_numpy()
    above = int(np.count_nonzero(scores > scores[-1] * (1 + _SAME)))
    return found.slice(0, above) if above else found


class _Meaning:
    """
    The leg of meaning. It has a thread of its own: a model that never answers must not keep the caller.

    But two threads of Python wait for each other longer than one works. So rows held in memory are searched
    by the caller, and there he asks a model that is at hand as well.
    """

    def __init__(
        self,
        view: View,
        space: VectorSpace,
        question: Question,
        embedder: Embedder,
        centred: CentredCosines | None,
    ) -> None:
        self._view, self._space, self._question = view, space, question
        self._embedder, self._centred = embedder, centred
        self._is_searched_there = not view.memories.is_in_memory()
        self._is_asked_there = self._is_searched_there or not embedder.is_at_hand
        self._vector: Future[Floats] = Future()
        self._found: Future[pa.Table | None] = Future()
        # The caller's trail is closed when a slow model has been given up.
        self._trail = Trail()
        self._until = 0.0

    def begin(self) -> None:
        """Begin; a pool would be without its threads in a process that was forked."""
        self._until = time.monotonic() + self._question.timeout_s
        if self._is_asked_there:
            Thread(target=self._run, name="sunrise-meaning", daemon=True).start()

    def answer(self, trail: Trail) -> tuple[Floats | None, pa.Table | None]:
        """Return the vector of the query and what is near it, None for what there is not."""
        if not self._is_asked_there:
            self._run()
        if not wait([self._vector], max(0.0, self._until - time.monotonic())).done:
            trail.skipped["dense"] = "embedder_slow"
            return None, None
        if (failed := self._vector.exception()) is not None:
            if not isinstance(failed, Exception):
                raise failed
            # Whatever breaks in a model or its network, the words still answer.
            trail.skipped["dense"] = "embedder_failed"
            return None, None
        vector = self._vector.result()
        found = self._found.result() if self._is_searched_there else self._searched(vector)
        trail.latency_ms |= self._trail.latency_ms
        trail.skipped |= self._trail.skipped
        return vector, found

    def _run(self) -> None:
        try:
            with self._trail.stage("embed"):
                vector = self._embedded()
        except BaseException as error:  # Raised where the answer is asked for.
            self._vector.set_exception(error)
            return
        self._vector.set_result(vector)
        if not self._is_searched_there:
            return
        try:
            self._found.set_result(self._searched(vector))
        except BaseException as error:
            self._found.set_exception(error)

    def _searched(self, vector: Floats) -> pa.Table | None:
        with self._trail.stage("dense"):
            return _told(lambda: self._nearest(vector), "dense", self._trail)

    def _embedded(self) -> Floats:
        text = self._question.text
        vector = np.asarray(self._embedder.embed_query([text])[0], dtype=np.float32)
        if self._centred is not None and np.isfinite(vector).all() and vector.any():
            return self._centred.query(vector, cjk_share(text))
        return vector

    def _nearest(self, vector: Floats) -> pa.Table:
        # A column of its own holds vectors of one model; in the legacy one each row says whose its vector is.
        of_model = filters.of_model(self._embedder.model_id) if self._space.is_legacy else None
        where, view = filters.both(self._view.where, of_model), self._view
        found = _near(view, self._space, vector, where, view.columns, view.limit)
        if not len(found) and not len(_near(view, self._space, vector, of_model, ["id"], 1)):
            self._trail.skipped["dense"] = "no_vectors_of_model"
        return found


def _near(
    view: View, space: VectorSpace, vector: Floats, where: str | None, columns: list[str], limit: int
) -> pa.Table:
    return view.memories.search_vector(
        vector, column=space.column, columns=columns, where=where, limit=limit, is_exact=False
    )


def _told(search: Callable[[], pa.Table], leg: str, trail: Trail) -> pa.Table | None:
    try:
        return search()
    except DataError as error:
        trail.skipped[leg] = error.reason
        return None
    except StoreError:
        trail.skipped[leg] = "store_failed"
        return None


@dataclass(frozen=True, slots=True)
class Centring:
    """What is made once of a calibration: the centring of its vectors, and its id."""

    cosines: CentredCosines
    id: str


_last: list[tuple[Calibration, Centring]] = []


def centring(calibration: Calibration) -> Centring:
    """Return what is made of a calibration; that of the last one is kept."""
    for known, made in _last:
        if known is calibration:
            return made
    made = Centring(CentredCosines(calibration), calibration.id)
    _last[:] = [(calibration, made)]
    return made
