"""The two searches of a recall: by words and by meaning, at the same time, each allowed to fail alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sunrise.domain import filters
from sunrise.domain.calibration import Calibration
from sunrise.domain.text.script import cjk_share
from sunrise.domain.vector_space import VectorSpace, searched
from sunrise.errors import DataError, StoreError
from sunrise.online.centred_cosines import CentredCosines, Floats
from sunrise.online.query_vectors import SlowEmbedderError, query_vector
from sunrise.online.recall_trail import Trail
from sunrise.ports import Embedder, MemoryReader

CANDIDATES: Final = 100
"""Each leg brings more than is asked for: fusion lives on what stands low in one and high in the other."""

COLUMNS: Final = (
    "id",
    "text",
    "terms",
    "scope",
    "importance_label",
    "trust_tier",
    "category",
    "createdAt",
    "state",
    "expires_at_ms",
)


@dataclass(frozen=True, slots=True)
class Question:
    """What both legs look for: the query as the model gets it, and its terms."""

    text: str
    terms: tuple[str, ...]
    timeout_s: float


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


@dataclass(frozen=True, slots=True)
class Legs:
    """What each leg found, best first; None for one that did not run. ``vector`` is the query's."""

    by_words: pa.Table | None
    by_meaning: pa.Table | None
    vector: Floats | None = None
    centred: CentredCosines | None = None


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
    return View(memories, space, where, max(CANDIDATES, limit))


def run_legs(
    view: View, question: Question, embedder: Embedder, calibration: Calibration | None, trail: Trail
) -> Legs:
    """Search by words and by meaning at once. A leg that cannot run is None, and the trail says why."""
    words: Future[pa.Table | None] = Future()

    def search() -> None:
        try:
            words.set_result(_by_words(view, question, trail))
        except BaseException as error:  # Raised where the result is asked for.
            words.set_exception(error)

    # A thread for each call: a pool would be without its threads in a process that was forked.
    Thread(target=search, name="sunrise-words", daemon=True).start()
    by_meaning, vector, centred = _by_meaning(view, question, embedder, calibration, trail)
    return Legs(words.result(), by_meaning, vector, centred)


def _by_words(view: View, question: Question, trail: Trail) -> pa.Table | None:
    def search() -> pa.Table:
        return view.memories.search_terms(
            " ".join(question.terms), columns=view.columns, where=view.where, limit=view.limit
        )

    with trail.stage("lexical"):
        return _told(search, "lexical", trail)


def _by_meaning(
    view: View, question: Question, embedder: Embedder, calibration: Calibration | None, trail: Trail
) -> tuple[pa.Table | None, Floats | None, CentredCosines | None]:
    space = view.space
    if isinstance(space, str):
        trail.skipped["dense"] = space
        return None, None, None
    try:
        with trail.stage("embed"):
            vector = query_vector(embedder, question.text, timeout_s=question.timeout_s)
    except SlowEmbedderError:
        trail.skipped["dense"] = "embedder_slow"
        return None, None, None
    except Exception:  # Whatever breaks in a model or its network, the words still answer.
        trail.skipped["dense"] = "embedder_failed"
        return None, None, None
    centred = None if calibration is None else centring(calibration).cosines
    if centred is not None and np.isfinite(vector).all() and vector.any():
        vector = centred.query(vector, cjk_share(question.text))
    with trail.stage("dense"):
        found = _told(lambda: _nearest(view, space, vector, embedder, trail), "dense", trail)
    return found, vector, centred


def _nearest(view: View, space: VectorSpace, vector: Floats, embedder: Embedder, trail: Trail) -> pa.Table:
    # A column of its own holds vectors of one model; in the legacy one each row says whose its vector is.
    of_model = filters.of_model(embedder.model_id) if space.is_legacy else None

    def search(where: str | None, columns: list[str], limit: int) -> pa.Table:
        return view.memories.search_vector(
            vector, column=space.column, columns=columns, where=where, limit=limit, is_exact=False
        )

    found = search(filters.both(view.where, of_model), view.columns, view.limit)
    if not len(found) and not len(search(of_model, ["id"], 1)):
        trail.skipped["dense"] = "no_vectors_of_model"
    return found


def _told(search: Callable[[], pa.Table], leg: str, trail: Trail) -> pa.Table | None:
    try:
        found = search()
    except DataError as error:
        trail.skipped[leg] = error.reason
        return None
    except StoreError:
        trail.skipped[leg] = "store_failed"
        return None
    # A row without an id cannot be named.
    return found.filter(pc.greater(pc.utf8_length(found.column("id")), 0))


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
