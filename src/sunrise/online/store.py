"""Store: one text becomes a memory, or is told which memory says it already."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from sunrise.domain.replacing import Successor
from sunrise.domain.store import (
    DEFAULT_POLICY,
    StorePolicy,
    StoreRequest,
    StoreResult,
    StoreStatus,
)
from sunrise.domain.stored import Stored
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.domain.trust import QUARANTINED
from sunrise.errors import StoreError
from sunrise.online.burial import finish_burials
from sunrise.online.likeness import Alike, NewText, find_alike, rows_near
from sunrise.online.recall_trail import Trail
from sunrise.online.store_admission import admitted
from sunrise.online.store_call import Outcome, StoreCall, new_run_id, receipt_of
from sunrise.online.store_known import read_by_id, rewritten, told
from sunrise.online.store_replacing import Replacing, finish_replacing
from sunrise.online.store_vectors import Embedded
from sunrise.ports import Clock, Embedder, Ledger, MemoryTable


def store(
    request: StoreRequest,
    *,
    memories: MemoryTable,
    ledger: Ledger,
    embedder: Embedder,
    clock: Clock,
    policy: StorePolicy = DEFAULT_POLICY,
) -> StoreResult:
    """
    Store one text as a memory, and say what became of it.

    The ledger knows of it before the table does: a store that was killed in between is finished by the next
    one, or by the next flow, and is there once. Secrets are taken out, what looks like an order to the model
    is kept in quarantine, and what a memory of the scope says already is told and not stored again. A text
    without a vector is stored, and the receipt says why it has none. The memories that it replaces are noted
    with it and marked after it.

    Raises:
        DataError: It would change what is trusted, and may not; reason ``trusted_more``.
        StoreError: A store could not be written. What the ledger took is finished later.
    """
    trail, now = Trail(), clock.now_ms()
    with trail.stage("total"):
        with trail.stage("admit"):
            said = admitted(request, policy, now_ms=now)
        run_id = new_run_id(now, "store")
        replacing = Replacing(request, memories=memories, ledger=ledger, run_id=run_id)
        call = StoreCall(request, said, memories, ledger, embedder, policy, now, trail, run_id, replacing)
        if said.refused:
            outcome, finished = Outcome(status=StoreStatus.REFUSED, reason=said.refused), 0
        else:
            with trail.stage("finish"):
                finish_burials(memories=memories, ledger=ledger)
                finished = finish_stores(memories=memories, ledger=ledger)
                finish_replacing(memories=memories, ledger=ledger)
            outcome = _outcome(call)
            if replacing.has_noted:
                with trail.stage("mark"):
                    finish_replacing(memories=memories, ledger=ledger)
    return StoreResult(outcome.ref, outcome.status, receipt_of(call, outcome, finished=finished))


def finish_stores(*, memories: MemoryTable, ledger: Ledger) -> int:
    """
    Bring to the table what killed stores left in the ledger; return how many memories.

    Raises:
        StoreError: A store could not be written.
    """
    left = ledger.take_pending_stores()
    if not left:
        return 0
    memories.adopt()
    ids = [one.memory_id for one in left]
    there = set(memories.by_ids(ids, ["id"]).column("id").to_pylist())
    missing = {one.memory_id: one.row for one in left if one.memory_id not in there}
    for row in missing.values():
        _add(memories, row, Embedded())
    ledger.finish_stores(ids)
    return len(missing)


def _outcome(call: StoreCall) -> Outcome:
    key, wanted = call.request.idempotency_key, call.request.id
    known = None if key is None else call.ledger.stored_under(key, request=call.asked)
    if known is not None:
        return _replayed(call, known)
    if _is_forgotten(call):
        return Outcome(status=StoreStatus.REFUSED, reason="forgotten")
    call.memories.adopt()
    version = call.memories.newest_version()
    said = call.said
    alike = call.ledger.stored_alike(said.text, scope=said.scope)
    with call.trail.stage("compare"):
        near = rows_near(said.text, said.terms, said.scope, memories=call.memories, known=alike)
    call.inherit(near)
    if wanted is None:
        return _kept(call, near, known=alike, version=version)
    rows = read_by_id(call, wanted)
    if len(rows) > 1:
        return Outcome(status=StoreStatus.REFUSED, reason="ambiguous_id", memory_id=wanted)
    if rows:
        return rewritten(call, rows[0], version=version)
    # Whoever names an id means that memory, and no other that says the same.
    return _created(call, wanted, Alike(), gone=alike)


def _is_forgotten(call: StoreCall) -> bool:
    """Return whether the text, or the memory that is named, was forgotten; who asks again lets it in."""
    ledger, said, wanted = call.ledger, call.said, call.request.id
    if call.request.again:
        ledger.lift_tombstones(said.text, scope=said.scope, memory_id=wanted)
        return False
    return ledger.forgotten_texts([(said.text, said.scope)])[0] or bool(wanted and ledger.buried([wanted]))


def _replayed(call: StoreCall, known: Stored) -> Outcome:
    if not known.is_same_request:
        return Outcome(status=StoreStatus.REFUSED, reason="key_of_another_request", replayed=True)
    if known.is_pending:
        raise StoreError("the store of this idempotency key is at work: ask again in a moment")
    call.replacing.tell_again(_standing(call, known), run_id=known.run_id)
    return Outcome(
        status=StoreStatus(known.status),
        memory_id=known.memory_id,
        observation_id=known.observation_id,
        run_id=known.run_id,
        replayed=True,
    )


def _kept(
    call: StoreCall, near: Sequence[dict[str, Any]], *, known: tuple[str, ...], version: int
) -> Outcome:
    said = call.said
    new = NewText(
        text=said.text,
        terms=said.terms,
        scope=said.scope,
        tier=said.tier,
        source_kind=call.request.source_kind,
        agent_id=call.request.agent_id,
        now_ms=call.now_ms,
        replaces=call.request.replaced_ids,
    )
    with call.trail.stage("compare"):
        alike = find_alike(new, near)
    if alike.same is not None:
        return told(call, alike.same, version=version)
    return _created(call, str(uuid.uuid4()), alike, gone=known)


def _created(call: StoreCall, memory_id: str, alike: Alike, *, gone: tuple[str, ...]) -> Outcome:
    said, made = call.said, call.embed()
    row = {
        "id": memory_id,
        "text": said.text,
        "createdAt": float(call.said_at_ms),
        "terms": dated_terms(said.text, call.said_at_ms, call.policy.zone),
        **said.governance(call.request, now_ms=call.now_ms),
    }
    status = StoreStatus.QUARANTINED if said.tier == QUARANTINED else StoreStatus.CREATED
    call.replacing.look(call.successor(row))
    with call.trail.stage("note"):
        noted = call.note(memory_id, status, with_text=True, row=row, gone=gone)
    if not noted.is_new:
        # Another caller stored the same while we looked.
        same = Alike({"id": noted.memory_id})
        call.replacing.look(_standing(call, noted))
        call.replacing.note()
        return Outcome(status=StoreStatus.DUPLICATE, memory_id=noted.memory_id, alike=same)
    with call.trail.stage("write"):
        try:
            _add(call.memories, row, made)
        except StoreError:
            call.ledger.leave_store(memory_id)
            raise
        call.ledger.finish_stores([memory_id])
    return Outcome(
        status=status,
        memory_id=memory_id,
        alike=alike,
        embedded=made,
        observation_id=noted.observation_id,
        run_id=call.run_id,
    )


def _standing(call: StoreCall, noted: Stored) -> Successor:
    """Return the memory of a store that was noted before, as one that others are replaced by."""
    return Successor(
        id=noted.memory_id,
        scope=call.said.scope,
        tier=call.said.tier,
        is_current=noted.status != StoreStatus.QUARANTINED,
    )


def _add(memories: MemoryTable, row: Mapping[str, Any], made: Embedded) -> None:
    values = {**row, **({} if made.column is None else {made.column: made.vector})}
    schema = memories.schema()
    fields = pa.schema([schema.field(name) for name in values if name in schema.names])
    memories.add(pa.Table.from_pylist([values], schema=fields))
