"""Names of rows that their id does not tell apart: rows without an id, and rows that share one."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sunrise.domain.filters import DEFAULT_SCOPE, sql_text

IDENTIFYING: Final = ("text", "scope", "createdAt", "category", "trust_tier", "state")
"""What tells rows of one id apart. Rows that agree in all of it are one memory that was written twice."""

ROW_COLUMNS: Final = ("id", *IDENTIFYING)

WITHOUT_ID: Final = "(id IS NULL OR id = '')"
"""The filter of rows that have none."""

_NAME: Final = re.compile(r"(?P<id>.*)~[0-9a-f]{12}", re.DOTALL)


def row_name(row: Mapping[str, Any]) -> str:
    """
    Return the name of a row: its id, if it has one, and a mark of what it holds.

    It stays the same for as long as the row stays as it is.

    >>> row_name({"id": "k1", "text": "tea"}), row_name({"id": None, "text": "tea"})
    ('k1~e498ec84483e', '~e498ec84483e')
    """
    held = json.dumps([row.get(name) for name in IDENTIFYING], default=str)
    return f"{row['id'] or ''}~{hashlib.sha256(held.encode()).hexdigest()[:12]}"


def id_in(name: str) -> str | None:
    """
    Return the id, or the empty text, that a row's name begins with; None for what is no such name.

    >>> id_in("k1~e498ec84483e"), id_in("~e498ec84483e"), id_in("k1")
    ('k1', '', None)
    """
    found = _NAME.fullmatch(name)
    return None if found is None else found["id"]


def names_among(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """
    Return what each of some rows is called among them: by its id where that is its alone.

    >>> names_among([{"id": "a"}, {"id": ""}])
    ['a', '~bab8e165016b']
    """
    times = Counter(row["id"] for row in rows)
    return [str(row["id"]) if row["id"] and times[row["id"]] == 1 else row_name(row) for row in rows]


def keeps_id(rows: Sequence[Mapping[str, Any]], told: Sequence[tuple[str, str]]) -> int:
    """
    Return which of the rows that share an id keeps it.

    That is the one of which the newest observation speaks that is linked to the id and is of its scope;
    *told* are their texts and scopes, the newest first. Where none speaks of any, it is the oldest row, of
    equals the first by name.

    >>> rows = [{"id": "k", "text": "tea", "createdAt": 2}, {"id": "k", "text": "milk", "createdAt": 1}]
    >>> keeps_id(rows, []), keeps_id(rows, [("Stored: tea", "global")]), keeps_id(rows, [("tea", "work")])
    (1, 0, 1)
    """

    def order(place: int) -> tuple[int, float, str]:
        row = rows[place]
        said, scope = (row.get("text") or "").strip(), row.get("scope") or DEFAULT_SCOPE
        speaks = (at for at, (text, where) in enumerate(told) if said and said in text and where == scope)
        created: Any = row.get("createdAt")
        is_time = isinstance(created, int | float) and math.isfinite(created)
        return next(speaks, len(told)), float(created) if is_time else math.inf, row_name(row)

    return min(range(len(rows)), key=order)


def of_ids(ids: Collection[str]) -> str:
    """
    Return the filter of rows with these ids; the empty text stands for rows without one.

    >>> of_ids(["a"]), of_ids(["a", ""]), of_ids([])
    ("id IN ('a')", "(id IN ('a') OR (id IS NULL OR id = ''))", 'false')
    """
    listed = f"id IN ({', '.join(map(sql_text, filter(None, ids)))})" if any(ids) else "false"
    return f"({listed} OR {WITHOUT_ID})" if "" in ids else listed
