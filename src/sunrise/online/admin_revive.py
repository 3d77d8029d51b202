"""An archived or replaced record back to active, by hand: seen in the audit trail, and undoable."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sunrise.domain.admin import Backend
from sunrise.domain.receipts import Balance, RunReceipt, RunStatus
from sunrise.domain.record_requests import ReviveResult, ReviveStatus, asked_ref, is_within
from sunrise.domain.record_views import ObservationView
from sunrise.domain.records import Change, RecordState, split_ref
from sunrise.domain.schedule import REVIVE
from sunrise.online.admin_trail import NO_TABLE, AdminTrail
from sunrise.online.memory_changes import MemoryChange, apply_change, record_change
from sunrise.online.named_memory import named_memories
from sunrise.online.store_call import new_run_id
from sunrise.ports import Clock, Ledger, MemoryTable

BY_HAND: Final = "revived_by_hand"
"""The reason in the audit trail."""

_NEW: Final[Mapping[str, Any]] = {"state": str(RecordState.ACTIVE), "archived_at_ms": None}


def revive(
    ref: str,
    *,
    memories: MemoryTable | None,
    ledger: Ledger,
    clock: Clock,
    backend: Backend,
    dry_run: bool = False,
    scopes: Collection[str] | None = None,
) -> ReviveResult:
    """
    Bring an archived or replaced memory, or an archived observation, back to active.

    The changes stand in the audit trail and, of a memory, in the outbox before the table takes them; the run
    that made them can be undone. To be asked for counts as a use: the lifecycle leaves it alone for as long.
    Where *scopes* are named, there is no record outside of them.

    Raises:
        DataError: The ref names no kind of record; reason ``bad_ref``.
        StoreError: A store cannot be written. What the outbox holds by then is brought to the table later.
    """
    asked = asked_ref(ref)
    trail = AdminTrail("revive", clock.now_ms(), backend, {"ref": f"{asked.kind}:{asked.key}"})
    if asked.kind == "obs":
        found = _observation(asked.row_id, ledger, scopes)
    else:
        found = _memory(asked.key, trail, memories, scopes)
    if isinstance(found, _Missing):
        trail.reason = trail.reason or str(found.status)
        return ReviveResult(
            status=found.status,
            ref=None,
            receipt=trail.receipt(),
            candidates=found.candidates,
            has_more=found.has_more,
        )
    if found.state not in (RecordState.ARCHIVED, RecordState.SUPERSEDED):
        return ReviveResult(status=ReviveStatus.NOT_ARCHIVED, ref=found.ref, receipt=trail.receipt())
    run = None
    if not dry_run:
        with trail.stage("write"):
            run = _written(found, trail.at_ms, memories, ledger, clock)
    trail.counts.update(revived=1)
    return ReviveResult(status=ReviveStatus.REVIVED, ref=found.ref, receipt=trail.receipt(), run=run)


def forgotten(rows: Sequence[ObservationView], ledger: Ledger) -> frozenset[str]:
    """
    Return the refs of rows that must stay away: they were forgotten, or say what was forgotten.

    A row that was in the archive already when its memory was forgotten holds no mark of that itself.
    """
    texts = ledger.forgotten_texts([((one.text or "").strip(), one.scope or None) for one in rows])
    buried = ledger.buried([split_ref(one.memory_ref)[1] for one in rows if one.memory_ref])
    return frozenset(
        one.ref
        for one, is_text in zip(rows, texts, strict=True)
        if one.is_forgotten or is_text or (one.memory_ref and split_ref(one.memory_ref)[1] in buried)
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """A record as it stands; of a memory also its row, as it was read at a version."""

    ref: str
    state: str | None
    archived_at_ms: int | None
    version: int | None = None

    @property
    def read(self) -> dict[str, Any]:
        """The fields that change, and the id."""
        return {"id": split_ref(self.ref)[1], "state": self.state, "archived_at_ms": self.archived_at_ms}


@dataclass(frozen=True, slots=True)
class _Missing:
    status: ReviveStatus
    candidates: tuple[str, ...] = ()
    has_more: bool = False


def _observation(row_id: int, ledger: Ledger, scopes: Collection[str] | None) -> _Held | _Missing:
    rows = [one for one in ledger.observations_by_ids([row_id]) if is_within(one.scope, scopes)]
    if not rows:
        return _Missing(ReviveStatus.NOT_FOUND)
    one = rows[0]
    if forgotten(rows, ledger):
        return _Missing(ReviveStatus.FORGOTTEN)
    return _Held(one.ref, one.state, one.archived_at_ms)


def _memory(
    key: str, trail: AdminTrail, memories: MemoryTable | None, scopes: Collection[str] | None
) -> _Held | _Missing:
    if memories is None:
        trail.reason = NO_TABLE
        return _Missing(ReviveStatus.NOT_FOUND)
    # The version first: a reading sees what was committed since.
    version = memories.newest_version()
    meant = named_memories(key, [*_NEW], memories=memories, scopes=scopes)
    refs = meant.refs
    # A change is written to the rows of an id: of one that stands twice, in any scope, none is changed.
    if len(refs) != 1 or memories.by_ids(meant.names, ["id"]).num_rows != 1:
        status = ReviveStatus.AMBIGUOUS if refs else ReviveStatus.NOT_FOUND
        return _Missing(status, refs, meant.has_more)
    row = meant.rows.to_pylist()[0]
    return _Held(refs[0], row.get("state"), row.get("archived_at_ms"), version)


def _written(
    found: _Held, now_ms: int, memories: MemoryTable | None, ledger: Ledger, clock: Clock
) -> RunReceipt:
    run_id = new_run_id(now_ms, REVIVE)
    if found.version is None or memories is None:
        with ledger.transaction():
            ledger.apply_to_observations(_fields(found), run_id=run_id)
            ledger.note_used(found.ref, at_ms=now_ms)
    else:
        change = MemoryChange(found.read, _NEW, found.version)
        with ledger.transaction():
            pending = record_change(change, ledger=ledger, run_id=run_id, reason=BY_HAND)
            ledger.note_used(found.ref, at_ms=now_ms)
        apply_change(change, pending, memories=memories, ledger=ledger)
    receipt = RunReceipt(
        run_id=run_id,
        flow=REVIVE,
        status=RunStatus.OK,
        started_ms=now_ms,
        finished_ms=clock.now_ms(),
        counts={"asked": 1, "revived": 1},
        refs={"revived": (found.ref,)},
        balances=(Balance("asked", ("revived",)),),
    )
    ledger.save_run(receipt)
    return receipt


def _fields(found: _Held) -> list[Change]:
    return [
        Change(found.ref, name, json.dumps(found.read[name]), json.dumps(new), BY_HAND)
        for name, new in _NEW.items()
        if found.read[name] != new
    ]
