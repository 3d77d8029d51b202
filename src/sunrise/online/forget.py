"""Forget: a memory goes, and does not come back by any door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sunrise.domain import filters
from sunrise.domain.calibration import Calibration
from sunrise.domain.forget import (
    ForgetCandidate,
    ForgetReceipt,
    ForgetRequest,
    ForgetResult,
    ForgetStatus,
    Tombstone,
)
from sunrise.domain.priors import RankingPolicy
from sunrise.domain.recall import RecallRequest
from sunrise.domain.records import memory_ref
from sunrise.domain.row_names import ROW_COLUMNS, id_in, row_name
from sunrise.domain.secrets import redact
from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.trust import check_not_trusted
from sunrise.errors import DataError
from sunrise.online.admin_rows import moment
from sunrise.online.burial import bury, finish_burials
from sunrise.online.derived import records_made_of
from sunrise.online.likeness import rows_saying
from sunrise.online.named_memory import named_memories, own_names
from sunrise.online.recall import recall
from sunrise.online.recall_trail import Trail
from sunrise.online.store_call import new_run_id
from sunrise.ports import Clock, Embedder, Ledger, MemoryTable

_SHOWN_CHARS: Final = 120

Rows = list[dict[str, Any]]


def forget(
    request: ForgetRequest,
    *,
    memories: MemoryTable,
    ledger: Ledger,
    embedder: Embedder,
    clock: Clock,
    calibration: Calibration | None = None,
) -> ForgetResult:
    """
    Forget one memory, with those of its scope that say the same.

    A query forgets only where exactly one thing says what it says, and an id only where it means one
    memory; else the candidates are returned and nothing is forgotten. What is forgotten is gone from the
    newest version of the table, its observations are hidden, and a tombstone keeps id and text from coming
    back. Older versions, copies and the ledger hold the text until it is erased.

    Raises:
        DataError: The beginning of an id is too short, reason ``bad_prefix``; or one of the memories is
            trusted and may not be taken, reason ``trusted_more``: none is forgotten then.
        StoreError: A store could not be read or written. What the ledger took is finished later.
    """
    call = _Call(request, memories, ledger, embedder, clock, calibration, Trail())
    with call.trail.stage("total"):
        finish_burials(memories=memories, ledger=ledger)
        with call.trail.stage("find"):
            found = _found(call)
        if found.status is ForgetStatus.ALREADY and not request.may_take_trusted:
            # A deletion record does not say how far the memory was trusted.
            raise DataError("how far this was trusted is not known any more", reason="trusted_more")
        if found.status is not ForgetStatus.FORGOTTEN:
            return _result(call, found)
        return _buried(call, found)


@dataclass(frozen=True, slots=True)
class _Call:
    request: ForgetRequest
    memories: MemoryTable
    ledger: Ledger
    embedder: Embedder
    clock: Clock
    calibration: Calibration | None
    trail: Trail


@dataclass(frozen=True, slots=True)
class _Found:
    """What a request means: one row and its twins, or why that is not clear."""

    status: ForgetStatus
    rows: tuple[dict[str, Any], ...] = ()
    refs: tuple[str, ...] = ()
    candidates: tuple[ForgetCandidate, ...] = ()
    has_more: bool = False
    is_copy: bool = False
    """Whether another row of the same id says the same, and stays."""


def _found(call: _Call) -> _Found:
    return _by_id(call) if call.request.query is None else _by_query(call, call.request.query)


def _by_id(call: _Call) -> _Found:
    request, name = call.request, call.request.name
    scopes = None if request.scope is None else (request.scope,)
    meant = named_memories(name, (), memories=call.memories, scopes=scopes, limit=request.limit)
    rows: Rows = meant.rows.to_pylist()
    if name not in {row["id"] for row in rows}:
        gone = call.ledger.buried_named(name, scopes=scopes, with_unscoped=request.everywhere)
        # The id that was forgotten itself goes before another one that begins so.
        if name in gone or (not rows and len(gone) == 1):
            return _Found(ForgetStatus.ALREADY, refs=(memory_ref(gone[0]),))
    if len(rows) > 1:
        candidates = tuple(map(_candidate, rows, meant.refs))
        return _Found(ForgetStatus.AMBIGUOUS, candidates=candidates, has_more=meant.has_more)
    return _one(call, rows[0], chosen=id_in(name)) if rows else _Found(ForgetStatus.NOT_FOUND)


def _by_query(call: _Call, query: str) -> _Found:
    request, said = call.request, clean(query).strip()
    # Without a scope the default one is meant: a query has to be answered from somewhere.
    scope = request.scope or filters.DEFAULT_SCOPE
    same = rows_saying(said, scope, memories=call.memories) if said else []
    if same:
        return _one(call, same[0])
    if buried := call.ledger.buried_saying(said, scope=scope):
        return _Found(ForgetStatus.ALREADY, refs=tuple(map(memory_ref, buried)))
    answer = recall(
        RecallRequest(said, scope=scope, limit=request.limit, include_archived=True),
        memories=call.memories,
        embedder=call.embedder,
        clock=call.clock,
        calibration=call.calibration,
        # Whoever wants something gone is shown what is nearest, however far that is.
        policy=RankingPolicy(has_floor=False),
    )
    found = tuple(
        ForgetCandidate(item.ref, _beginning(item.text), item.scope, item.score, item.created_at_ms)
        for item in answer.items
    )
    return _Found(ForgetStatus.CANDIDATES if found else ForgetStatus.NOT_FOUND, candidates=found)


def _read(call: _Call, ids: Sequence[str]) -> Rows:
    """Return the rows of ids as far as the request's scope has them."""
    rows: Rows = call.memories.by_ids(ids, ROW_COLUMNS).to_pylist()
    wanted = call.request.scope
    return [row for row in rows if wanted is None or _scope(row) == wanted]


def _one(call: _Call, row: dict[str, Any], *, chosen: str | None = None) -> _Found:
    """
    Return a memory with those of its scope that say the same.

    Of rows that share an id one may be *chosen*: where another one says the same, only a copy goes.
    """
    said, name = row["text"] or "", row_name(row)
    same = rows_saying(said, _scope(row), memories=call.memories) if said.strip() else []
    twins = [twin for twin in same if row_name(twin) != name]
    is_copy = bool(chosen) and any(twin["id"] == chosen for twin in twins)
    return _Found(ForgetStatus.FORGOTTEN, rows=(row, *([] if is_copy else twins)), is_copy=is_copy)


def _buried(call: _Call, found: _Found) -> ForgetResult:
    request = call.request
    run_id = new_run_id(call.clock.now_ms(), "forget")
    # Whatever shares its id goes by its own name: nothing else of that id goes with it.
    names = own_names(found.rows, memories=call.memories)
    with call.trail.stage("lineage"):
        records, made = records_made_of(names, ledger=call.ledger)
    rows = list(found.rows)
    if request.with_derived and made:
        derived = _read(call, made)
        for row, name in zip(derived, own_names(derived, memories=call.memories), strict=True):
            # Of rows that share an id nobody knows which was made of it.
            if name == row["id"]:
                rows.append(row)
                names.append(name)
    if not request.may_take_trusted:
        check_not_trusted(rows)
    tombstones = [
        Tombstone(
            memory_id=name,
            # What a copy says is still there.
            text="" if found.is_copy else row["text"] or "",
            scope=None if request.everywhere else _scope(row),
            reason=request.reason.strip(),
            state=row.get("state"),
        )
        for name, row in zip(names, rows, strict=True)
    ]
    with call.trail.stage("write"):
        deleted, hidden = bury(tombstones, memories=call.memories, ledger=call.ledger, run_id=run_id)
    refs = tuple(dict.fromkeys(map(memory_ref, names)))
    return _result(
        call,
        _Found(ForgetStatus.FORGOTTEN, refs=refs),
        twins=tuple(map(memory_ref, names[1 : len(found.rows)])),
        derived=records, archived=hidden, deleted=deleted, run_id=run_id,
    )  # fmt: skip


def _result(call: _Call, found: _Found, **more: Any) -> ForgetResult:
    receipt = ForgetReceipt(
        at_ms=call.clock.now_ms(),
        status=found.status,
        scope=call.request.scope,
        refs=found.refs,
        candidates=len(found.candidates),
        has_more=found.has_more,
        latency_ms=call.trail.latency_ms,
        **more,
    )
    return ForgetResult(found.status, found.refs, found.candidates, receipt)


def _candidate(row: dict[str, Any], ref: str) -> ForgetCandidate:
    created = moment(row.get("createdAt"))
    return ForgetCandidate(ref, _beginning(row["text"] or ""), _scope(row), created_at_ms=created)


def _scope(row: dict[str, Any]) -> str:
    return row.get("scope") or filters.DEFAULT_SCOPE


def _beginning(text: str) -> str:
    return clip(redact(text).text, _SHOWN_CHARS)
