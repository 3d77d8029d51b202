"""What a ranker makes of golden queries: asked one by one, timed, and kept without any text."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from sunrise.bootstrap import Home
from sunrise.domain import filters
from sunrise.domain.calibration import Calibration
from sunrise.domain.priors import RankingPolicy
from sunrise.domain.recall import RecallRequest
from sunrise.domain.records import memory_ref
from sunrise.domain.retrieval_metrics import is_wrong_scope, leads_with_forbidden
from sunrise.domain.text.analysis import query_terms
from sunrise.domain.vector_space import VectorSpace, searched
from sunrise.errors import DataError
from sunrise.online.policies import ranking_policy
from sunrise.online.recall import recall
from sunrise.ports import Embedder, MemoryTable
from tasks.golden import GoldenQuery

_COLUMNS = ("id", "text", "scope")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    What a ranker made of one golden query, in refs.

    Where the query names an answer by its text a digest of it stands in place of the ref. A query without
    relevant refs is off-topic.
    """

    golden: str
    key: str
    lang: str
    category: str
    relevant: tuple[str, ...]
    ranked: tuple[str, ...]
    has_forbidden: bool = False
    stale_first: bool = False
    wrong_scope: bool = False
    ms: float = 0.0

    @property
    def is_off_topic(self) -> bool:
        """Whether nothing is the right answer."""
        return not self.relevant

    def is_hit(self, *, k: int) -> bool:
        """Return whether the first k hold a right answer; of an off-topic query, whether nothing came."""
        return not self.ranked if self.is_off_topic else not set(self.relevant).isdisjoint(self.ranked[:k])


@dataclass(frozen=True, slots=True)
class _Item:
    ref: str
    text: str
    scope: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """One query as a ranker gets it."""

    query: str
    scope: str
    depth: int
    now_ms: int
    calibration: Calibration | None
    policy: RankingPolicy


class _At:
    """A clock that stands at the moment of a query."""

    def __init__(self, ms: int) -> None:
        self._ms = ms

    def now_ms(self) -> int:
        return self._ms


Ranker = Callable[[_Asked, MemoryTable, Embedder], list[_Item]]


def ask(
    home: Home, table: MemoryTable, queries: Sequence[GoldenQuery], *, golden: str, ranker: str, depth: int
) -> list[Answer]:
    """Ask a ranker of :data:`RANKERS` each query at its own moment, to a depth."""
    rank, embedder = RANKERS[ranker], home.recall_embedder(table)
    known = home.calibration(table, embedder)
    asked = [_asked(home, one, depth=depth, calibration=known) for one in queries]
    if asked:
        # The first question loads the model and opens the indices: that is no latency of a query.
        rank(replace(asked[0], query="warm"), table, embedder)
    answers = []
    for one, question in zip(queries, asked, strict=True):
        begin = time.perf_counter()
        items = rank(question, table, embedder)
        ms = (time.perf_counter() - begin) * 1000
        answers.append(_answer(one, question, items, golden=golden, ms=ms))
    return answers


def _asked(home: Home, query: GoldenQuery, *, depth: int, calibration: Calibration | None) -> _Asked:
    now = home.clock.now_ms() if query.now_ms is None else query.now_ms
    scope = query.scope or home.settings.memories.default_scope
    return _Asked(query.query, scope, depth, now, calibration, ranking_policy(home.settings))


def _answer(query: GoldenQuery, asked: _Asked, items: Sequence[_Item], *, golden: str, ms: float) -> Answer:
    texts = {name: _digest(name) for name in (*query.relevant, *query.forbidden) if _is_text(name)}
    # A golden line may name an answer by its text: where ids are made anew, texts stay.
    ranked = tuple(texts.get(item.text, item.ref) for item in items)
    relevant = tuple(texts.get(name, name) for name in query.relevant)
    forbidden = tuple(texts.get(name, name) for name in query.forbidden)
    return Answer(
        golden=golden,
        key=query.key,
        lang=query.lang or "unknown",
        category=query.category or "all",
        relevant=relevant,
        ranked=ranked,
        has_forbidden=bool(forbidden),
        stale_first=leads_with_forbidden(ranked, relevant, forbidden=forbidden),
        wrong_scope=is_wrong_scope([item.scope for item in items], asked=asked.scope),
        ms=round(ms, 3),
    )


def _is_text(name: str) -> bool:
    return not name.startswith("mem:")


def _digest(text: str) -> str:
    return f"text:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _by_recall(asked: _Asked, table: MemoryTable, embedder: Embedder) -> list[_Item]:
    request = RecallRequest(query=asked.query, scope=asked.scope, limit=asked.depth)
    result = recall(
        request,
        memories=table,
        embedder=embedder,
        clock=_At(asked.now_ms),
        calibration=asked.calibration,
        policy=asked.policy,
    )
    return [_Item(one.ref, one.text, one.scope) for one in result.items]


def _by_words(asked: _Asked, table: MemoryTable, embedder: Embedder) -> list[_Item]:  # noqa: ARG001  a ranker
    terms = " ".join(query_terms(asked.query))
    where = _visible(asked, table)
    return _items(table.search_terms(terms, columns=_COLUMNS, where=where, limit=asked.depth))


def _by_vectors(asked: _Asked, table: MemoryTable, embedder: Embedder) -> list[_Item]:
    space = searched(table.spaces(), embedder.model_id, embedder.dimension)
    if not isinstance(space, VectorSpace):
        raise DataError(f"there are no vectors to search: {space}", reason=space)
    of_model = filters.of_model(embedder.model_id) if space.is_legacy else None
    where = filters.both(_visible(asked, table), of_model)
    (vector,) = embedder.embed_query([asked.query])
    return _items(
        table.search_vector(vector, column=space.column, columns=_COLUMNS, where=where, limit=asked.depth)
    )


def _visible(asked: _Asked, table: MemoryTable) -> str | None:
    return filters.visible(scope=asked.scope, columns=table.schema().names)


def _items(found: pa.Table) -> list[_Item]:
    return [
        _Item(memory_ref(row["id"]), row["text"] or "", row.get("scope") or filters.DEFAULT_SCOPE)
        for row in found.to_pylist()
        if row["id"]
    ]


RANKERS: dict[str, Ranker] = {"recall": _by_recall, "bm25": _by_words, "dense": _by_vectors}
"""Recall as the agent asks it, and each of its legs alone, with nothing but the filter of what is visible."""
