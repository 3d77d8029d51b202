"""Changes of rows that no id tells apart, brought from the outbox to the table."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from sunrise.domain.records import Change
from sunrise.domain.row_names import id_in, of_ids, row_name
from sunrise.online.named_memory import rows_named
from sunrise.ports import MemoryTable

ID: Final = "id"
"""
The field of a change that gives a row another id. One image of it is the new id. The other one, of the row as
it was, is an object: ``id`` is what it had, which may be none, and ``row`` its name.
"""


def write_ids(table: MemoryTable, changes: Sequence[Change]) -> int:
    """
    Give rows the ids that changes say; return how many got theirs.

    What was done already is not done again, and a row that is not there any more is left out.
    """
    images = [(json.loads(one.before), json.loads(one.after)) for one in changes]
    given = [(was, new) for was, new in images if isinstance(new, str)]
    back = {was: new[ID] for was, new in images if isinstance(new, dict)}
    return _give(table, given) + _take_back(table, back)


def _give(table: MemoryTable, given: Sequence[tuple[dict[str, Any], str]]) -> int:
    done = set(table.by_ids([new for _, new in given], [ID]).column(ID).to_pylist())
    left = [(was, new) for was, new in given if new not in done]
    rows = rows_named({was["row"] for was, _ in left}, (), memories=table)
    places: dict[tuple[str | None, str], list[int]] = defaultdict(list)
    for place, row in enumerate(rows.to_pylist()):
        places[row[ID], row_name(row)].append(place)
    # Of rows that nothing tells apart each takes one of the ids.
    met = [(places[key].pop(), new) for was, new in left if places[key := (was[ID], was["row"])]]
    taken = rows.take(pa.array([place for place, _ in met], pa.int64()))
    return table.write_placed(taken, ID, [new for _, new in met])


def _take_back(table: MemoryTable, back: Mapping[str, str | None]) -> int:
    rows = table.placed([ID, "text"], where=of_ids(back))
    return table.write_placed(rows, ID, [back[name] for name in rows.column(ID).to_pylist()])


def put_named(table: MemoryTable, wanted: Mapping[str, Mapping[str, tuple[Any, Any]]]) -> int:
    """Set texts of rows that are called by their names, where they hold what is expected; return how many."""
    names = [name for name in wanted if id_in(name) is not None]
    if not names:
        return 0
    fields = sorted({field for name in names for field in wanted[name]})
    rows, written = rows_named(names, fields, memories=table), 0
    for place, row in enumerate(rows.to_pylist()):
        for field, (before, after) in wanted[row_name(row)].items():
            if (row[field] or None) == (before or None):
                written += table.write_placed(rows.slice(place, 1), field, [after])
    return written
