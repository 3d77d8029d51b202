"""Changes of rows that no id tells apart, brought from the outbox to the table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from sunrise.domain.records import Change
from sunrise.domain.row_names import ROW_COLUMNS, id_in, of_ids, row_name
from sunrise.online.named_memory import rows_called
from sunrise.ports import MemoryTable

ID: Final = "id"
"""
The field of a change that gives a row another id. One image of it is the new id, the other one, for the row as
it was, an object: ``id`` is what it had, which may be none, and ``row`` its name.
"""


def write_ids(table: MemoryTable, changes: Sequence[Change]) -> int:
    """
    Give rows the ids that changes say; return how many got theirs.

    What was done already is not done again, and a row that is not there any more is left out.
    """
    wanted = [(json.loads(one.before), json.loads(one.after)) for one in changes]
    given = [row for row, new in wanted if isinstance(new, dict)]
    anew = {new for _, new in wanted if not isinstance(new, dict)}
    done = set(table.by_ids(sorted(anew), [ID]).column(ID).to_pylist())
    named = {row["row"] for row, new in wanted if isinstance(row, dict) and new not in done}
    found = [rows_called(named, (), memories=table), table.placed(ROW_COLUMNS, where=of_ids(given))]
    rows = pa.concat_tables(found)
    places: dict[tuple[Any, str], list[int]] = {}
    for place, row in enumerate(rows.to_pylist()):
        places.setdefault((row[ID], row_name(row) if place < found[0].num_rows else ""), []).append(place)
    met, values = list[int](), list[str | None]()
    for was, new in wanted:
        same = places.get((was[ID], was["row"]) if isinstance(was, dict) else (was, ""))
        if same and new not in done:
            met.append(same.pop())
            values.append(new[ID] if isinstance(new, dict) else new)
    return table.write_placed(rows.take(pa.array(met, pa.int64())), ID, values)


def put_called(table: MemoryTable, wanted: Mapping[str, Mapping[str, tuple[Any, Any]]]) -> int:
    """Set texts of rows that are called by their names, where they hold what is expected; return how many."""
    names = [name for name in wanted if id_in(name) is not None]
    if not names:
        return 0
    fields = sorted({field for name in names for field in wanted[name]})
    rows, written = rows_called(names, fields, memories=table), 0
    for place, row in enumerate(rows.to_pylist()):
        for field, (before, after) in wanted[row_name(row)].items():
            if (row[field] or None) == (before or None):
                written += table.write_placed(rows.slice(place, 1), field, [after])
    return written
