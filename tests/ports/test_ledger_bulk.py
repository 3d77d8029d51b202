"""Many rows in one statement are the rows one by one, and the index is in step with them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.errors import StoreError
from tests.homes import observation, observations, position
from tests.ledgers import WHOLE, put, raw

COLUMNS = "key, summary, tool_name, scope, importance_score, memory_id, ts_flag"


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    size=st.sampled_from([1, 31, 32, 33, 64, 100]),
    repeated=st.integers(0, 40),
    filled=st.sets(st.sampled_from(["tool_name", "scope", "memory_id"])),
    every=st.integers(1, 40),
    offset=st.integers(1, 1_000_000),
)
def test_all_rows_come_as_they_are(
    ledger: SqliteLedger, size: int, repeated: int, filled: set[str], every: int, offset: int
) -> None:
    before = ledger.count("observations")
    keys = [f"{before}-{number}" for number in range(size)]
    rows = [
        observation(
            key,
            importance_score=0.5 if number % every == 0 else None,
            **{name: f"{name} {number}" for name in filled if number % every == 0},
        )
        for number, key in enumerate(keys)
    ]
    again = [observation(key, summary="another") for key in keys[:repeated]]
    assert put(ledger, *rows, *again, offset=offset) == size
    kept = raw(ledger, f"SELECT {COLUMNS} FROM observations ORDER BY id LIMIT -1 OFFSET {before}")
    assert kept == [tuple(row[name] for name in COLUMNS.split(", ")) for row in rows]
    assert ledger.check() == WHOLE


def test_rows_that_come_singly_are_indexed_after_a_batch(ledger: SqliteLedger) -> None:
    put(ledger, *(observation(f"k{number}") for number in range(40)))
    with ledger.writing() as db:
        db.execute(
            "INSERT INTO observations (key, ts_ms, kind, summary, lang, source_kind, terms, created_at_ms)"
            " VALUES ('single', 1, 'note', 's', 'en', 'tool', 'lonely', 1)"
        )
    found = raw(ledger, "SELECT count(*) FROM observations_fts WHERE observations_fts MATCH 'lonely'")
    assert found == [(1,)]
    assert ledger.check() == WHOLE


def test_a_batch_that_fails_in_an_outer_transaction_leaves_the_index_in_step(ledger: SqliteLedger) -> None:
    bad = observations(*(observation(f"k{n}", trust_tier="none" if n == 39 else None) for n in range(40)))
    with ledger.transaction():
        with pytest.raises(StoreError):
            _commit(ledger, bad)
        put(ledger, observation("after"))
    triggers = raw(ledger, "SELECT name FROM sqlite_schema WHERE name = 'observations_fts_insert'")
    assert triggers == [("observations_fts_insert",)]


def _commit(ledger: SqliteLedger, rows: pa.Table) -> None:
    try:
        ledger.commit_harvest(rows, rejected=(), position=position(3))
    except Exception as error:
        raise StoreError(str(error)) from error
