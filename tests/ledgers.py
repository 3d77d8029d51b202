"""Short ways to fill and to ask a ledger."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.domain.records import Change
from tests.homes import observations, position

GRADE_SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("score", pa.float64()),
        pa.field("label", pa.string()),
        pa.field("method", pa.string()),
        pa.field("version", pa.int64()),
        pa.field("rationale", pa.string()),
    ]
)
WHOLE = {"integrity": "ok", "foreign_keys": "ok", "full_text": "ok"}


def put(ledger: SqliteLedger, *rows: dict[str, Any], offset: int = 1) -> int:
    return ledger.commit_harvest(observations(*rows), rejected=(), position=position(offset)).observations


def grades(*rows: tuple[int, float, str]) -> pa.Table:
    return pa.Table.from_pylist(
        [
            {"id": i, "score": score, "label": label, "method": "m", "version": 1, "rationale": "why"}
            for i, score, label in rows
        ],
        schema=GRADE_SCHEMA,
    )


def raw(ledger: SqliteLedger, sql: str) -> list[tuple[Any, ...]]:
    with ledger.reading() as db:
        return list(db.execute(sql))


def labels(ledger: SqliteLedger) -> list[str | None]:
    return [row[0] for row in raw(ledger, "SELECT importance_label FROM observations ORDER BY id")]


def change(ref: str, field: str, before: object, after: object) -> Change:
    return Change(ref, field, json.dumps(before), json.dumps(after), "test")
