"""Memories go: the ledger knows first that they are forgotten, then the table lets go of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.forget import Tombstone
from sunrise.domain.text.analysis import written_terms
from sunrise.domain.text.dated_terms import text_terms
from sunrise.ports import Ledger, MemoryTable

_READ: Final = ("id", "text", "terms", "scope")


def bury(
    tombstones: Sequence[Tombstone], *, memories: MemoryTable, ledger: Ledger, run_id: str
) -> tuple[int, int]:
    """
    Forget memories; return how many rows the table let go of, and how many observations were hidden.

    Killed in between, the rows are gone with the next burial, or the next flow.

    Raises:
        StoreError: A store could not be written.
    """
    hidden = ledger.bury(tombstones, run_id=run_id)
    ids = [one.memory_id for one in tombstones]
    deleted = memories.delete(ids)
    ledger.finish_burial(ids)
    return deleted, hidden


def finish_burials(*, memories: MemoryTable, ledger: Ledger) -> int:
    """
    Delete what killed burials left in the table; return how many rows.

    Raises:
        StoreError: A store could not be written.
    """
    left = ledger.unfinished_burials()
    if not left:
        return 0
    deleted = memories.delete(left)
    ledger.finish_burial(left)
    return deleted


def bury_returned(rows: Sequence[dict[str, Any]], *, memories: MemoryTable, ledger: Ledger) -> list[str]:
    """
    Delete rows that are forgotten, by their id or by their text; return their ids.

    Raises:
        StoreError: A store could not be written.
    """
    ids = ledger.buried([row["id"] for row in rows if row["id"]])
    others = [row for row in rows if row["id"] and row["id"] not in ids and row["text"]]
    may_be = ledger.may_be_forgotten(
        [written_terms(row["text"], text_terms(row.get("terms") or "") or None) for row in others]
    )
    alike = [row for row, may in zip(others, may_be, strict=True) if may]
    said = ledger.forgotten_texts([(row["text"].strip(), row.get("scope") or DEFAULT_SCOPE) for row in alike])
    gone = [*ids, *(row["id"] for row, is_gone in zip(alike, said, strict=True) if is_gone)]
    if gone:
        memories.delete(gone)
    return sorted(gone)


def bury_all_returned(*, memories: MemoryTable, ledger: Ledger) -> list[str]:
    """
    Look at every row of the table, as after a restore, and delete those that are forgotten.

    Raises:
        StoreError: A store could not be read or written.
    """
    if not ledger.buried():
        return []
    return [
        name
        for batch in memories.batches(_READ)
        for name in bury_returned(batch.to_pylist(), memories=memories, ledger=ledger)
    ]
