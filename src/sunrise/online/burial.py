"""Memories go: the ledger knows first that they are forgotten, then the table lets go of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.domain.forget import Tombstone
from sunrise.domain.row_names import ROW_COLUMNS, id_in, row_name
from sunrise.domain.text.analysis import written_terms
from sunrise.domain.text.dated_terms import text_terms
from sunrise.online.named_memory import own_names, rows_named
from sunrise.ports import Ledger, MemoryTable

RETURNING: Final = (*ROW_COLUMNS, "terms")
"""What is read of rows to know whether they were forgotten."""


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
    names = [one.memory_id for one in tombstones]
    deleted = delete_named(names, memories=memories)
    ledger.finish_burial(names)
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
    deleted = delete_named(left, memories=memories)
    ledger.finish_burial(left)
    return deleted


def delete_named(names: Sequence[str], *, memories: MemoryTable) -> int:
    """
    Delete the memories with these ids, and the rows with these names of rows; return how many there were.

    Raises:
        StoreError: The table could not be written.
    """
    deleted = memories.delete(names)
    called = [name for name in names if id_in(name) is not None]
    if called:
        deleted += memories.delete_placed(rows_named(called, ("text",), memories=memories))
    return deleted


def bury_returned(rows: Sequence[dict[str, Any]], *, memories: MemoryTable, ledger: Ledger) -> list[str]:
    """
    Delete rows that are forgotten, by their name or by their text; return what they were called.

    The rows are read with :data:`RETURNING`.

    Raises:
        StoreError: A store could not be written.
    """
    buried = ledger.buried([name for row in rows for name in (row["id"], row_name(row)) if name])
    gone = [name for row in rows for name in (row["id"], row_name(row)) if name in buried]
    others = [row for row in rows if buried.isdisjoint((row["id"], row_name(row))) and row["text"]]
    may_be = ledger.may_be_forgotten(
        [written_terms(row["text"], text_terms(row.get("terms") or "") or None) for row in others]
    )
    alike = [row for row, may in zip(others, may_be, strict=True) if may]
    said = ledger.forgotten_texts([(row["text"].strip(), row.get("scope") or DEFAULT_SCOPE) for row in alike])
    gone += own_names([row for row, is_gone in zip(alike, said, strict=True) if is_gone], memories=memories)
    if gone:
        delete_named(gone, memories=memories)
    return sorted({*gone})


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
        for batch in memories.batches(RETURNING)
        for name in bury_returned(batch.to_pylist(), memories=memories, ledger=ledger)
    ]
