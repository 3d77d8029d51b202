"""Puts rows in which a text looks like an instruction to the model into quarantine, before they enter."""

from __future__ import annotations

import pyarrow as pa

from sunrise.adapters.payload_gate import suspects
from sunrise.domain.payloads import screen
from sunrise.domain.trust import QUARANTINED, Origin

_FEW = 200

REASON = pa.field("trust_reason", pa.string())
"""Why a row is not trusted; a table that has this column was screened."""


def screened(rows: pa.Table, *columns: str) -> pa.Table:
    """
    Return the rows with ``trust_reason``, and those in quarantine of which a text looks like a payload.

    The owner's own words are held to fewer rules. A table that was screened before comes back as it is.
    """
    if REASON.name in rows.column_names:
        return rows
    found: dict[int, tuple[str, ...]] = {}
    for column in columns:
        texts = rows.column(column)
        for place in _places(texts):
            owner = rows.column("source_kind")[place].as_py() == Origin.OWNER
            if reasons := screen(texts[place].as_py(), owner=owner):
                found[place] = tuple(sorted({*found.get(place, ()), *reasons}))
    if not found:
        return rows.append_column(REASON, pa.nulls(rows.num_rows, REASON.type))
    return _marked(rows, found)


def _places(texts: pa.ChunkedArray) -> list[int]:
    # To make the gate takes as long as to look at so many texts one by one.
    if len(texts) <= _FEW:
        return [place for place, text in enumerate(texts) if text.is_valid]
    return suspects(texts)


def _marked(rows: pa.Table, found: dict[int, tuple[str, ...]]) -> pa.Table:
    tiers = rows.column("trust_tier").to_pylist()
    for place in found:
        tiers[place] = QUARANTINED
    said = [f"payload:{','.join(found[place])}" if place in found else None for place in range(rows.num_rows)]
    at = rows.schema.get_field_index("trust_tier")
    marked = rows.set_column(at, rows.schema.field(at), pa.array(tiers, pa.string()))
    return marked.append_column(REASON, pa.array(said, REASON.type))
