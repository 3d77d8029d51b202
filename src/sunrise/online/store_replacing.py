"""The memories that a store replaces: looked at before it is noted, noted with it, marked after it."""

from __future__ import annotations

import json
from typing import Any, Final

import pyarrow as pa

from sunrise.domain.records import Change, RecordState, memory_ref, split_ref
from sunrise.domain.replacing import REPLACED_BY, NotReplaced, Successor, WhyNot, why_not
from sunrise.domain.store import StoreRequest
from sunrise.domain.trust import check_not_trusted
from sunrise.ports import Ledger, MemoryTable

_READ: Final = ("id", "scope", "trust_tier", "state")
_MARK: Final = ("id", "state")


class Replacing:
    """
    What one store says of the memories that its caller names.

    Before anything was looked at none of them is replaced, since nothing stands yet.
    """

    def __init__(self, request: StoreRequest, *, memories: MemoryTable, ledger: Ledger, run_id: str) -> None:
        self._ids = request.replaced_ids
        self._may_change_trusted = request.may_change_trusted
        self._memories, self._ledger, self._run_id = memories, ledger, run_id
        self._changes: tuple[Change, ...] = ()
        self.has_noted = False
        self.replaced: tuple[str, ...] = ()
        self.left: tuple[NotReplaced, ...] = ()
        self.leave()

    def look(self, successor: Successor) -> None:
        """
        Find out which of them the memory that holds the text replaces; nothing is written.

        Raises:
            DataError: One is trusted, and whoever stores may not change that; reason ``trusted_more``.
        """
        if not self._ids:
            return
        rows = self._look(successor)
        if not self._may_change_trusted:
            kept = {one.ref for one in self.left if one.reason is WhyNot.TRUSTED_MORE}
            check_not_trusted(row for name in rows if memory_ref(name) in kept for row in rows[name])

    def _look(self, successor: Successor) -> dict[str, list[dict[str, Any]]]:
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in self._memories.by_ids(self._ids, _READ).to_pylist():
            rows.setdefault(row["id"], []).append(row)
        reasons = {name: why_not(name, rows.get(name, ()), successor) for name in self._ids}
        found = [rows[name][0] for name, reason in reasons.items() if reason is None]
        self._changes = tuple(
            _change(row, successor) for row in found if row.get("state") != RecordState.SUPERSEDED
        )
        self.replaced = tuple(memory_ref(row["id"]) for row in found)
        self.left = tuple(NotReplaced(memory_ref(name), reason) for name, reason in reasons.items() if reason)
        return rows

    def leave(self) -> None:
        """Replace none of them."""
        self._changes, self.replaced = (), ()
        self.left = tuple(NotReplaced(memory_ref(name), WhyNot.NOTHING_STANDS) for name in self._ids)

    def note(self) -> None:
        """Put what was found into audit trail and outbox: in the transaction of a store, both or none is."""
        if self._changes:
            self._ledger.record_changes(self._changes, run_id=self._run_id)
            self.has_noted = True

    def tell_again(self, successor: Successor, *, run_id: str) -> None:
        """Say what a store did that is told again. Nothing is replaced anew: it may have been taken back."""
        if not self._ids:
            return
        self._look(successor)
        changes = self._ledger.changes(run_id=run_id)
        then = {one.record_ref for one in changes if one.reason.startswith(REPLACED_BY)}
        then |= {*self.replaced} - {one.record_ref for one in self._changes}
        why = {one.ref: one.reason for one in self.left}
        refs = tuple(map(memory_ref, self._ids))
        self.replaced = tuple(ref for ref in refs if ref in then)
        self.left = tuple(NotReplaced(ref, why.get(ref, WhyNot.NOT_THEN)) for ref in refs if ref not in then)


def finish_replacing(*, memories: MemoryTable, ledger: Ledger) -> int:
    """
    Mark in the table what noted stores replace, those of killed ones too; return how many memories.

    A memory whose state another writer changed since keeps what that writer put there.

    Raises:
        StoreError: A store could not be read or written.
    """
    pending = [(number, one) for number, one in ledger.outbox() if one.reason.startswith(REPLACED_BY)]
    if not pending:
        return 0
    memories.adopt()
    before = {split_ref(one.record_ref)[1]: json.loads(one.before) for _, one in pending}
    version = memories.newest_version()
    held = memories.by_ids([*before], _MARK).to_pylist()
    # Of an id that stands there twice nobody knows which is meant, and no merge takes it.
    read = [
        row
        for row in held
        if (row["state"] or None) == (before[row["id"]] or None)
        and sum(one["id"] == row["id"] for one in held) == 1
    ]
    if read:
        schema = pa.schema([memories.schema().field(name) for name in _MARK])
        marked = [{**row, "state": str(RecordState.SUPERSEDED)} for row in read]
        memories.overwrite(
            pa.Table.from_pylist(marked, schema=schema),
            read=pa.Table.from_pylist(read, schema=schema),
            version=version,
        )
    ledger.clear_outbox([number for number, _ in pending])
    return len(read)


def _change(row: dict[str, Any], successor: Successor) -> Change:
    return Change(
        memory_ref(row["id"]),
        "state",
        json.dumps(row.get("state")),
        json.dumps(RecordState.SUPERSEDED),
        f"{REPLACED_BY}{memory_ref(successor.id)}",
    )
