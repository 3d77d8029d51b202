from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.adapters.row_hashes import EMPTY_CELL, RowSum, cell_hashes, row_hashes, schema_hash

VECTOR = pa.list_(pa.float32(), 3)
SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("at", pa.int64()),
        pa.field("vector", VECTOR),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("flag", pa.bool_()),
        pa.field("when", pa.timestamp("ms")),
        pa.field("raw", pa.binary()),
    ]
)
ROW: dict[str, Any] = {
    "id": "a", "score": 0.5, "at": 7, "vector": [1.0, 2.0, 3.0], "tags": ["x", "y"], "flag": True,
    "when": 1000, "raw": b"\0\xff",
}  # fmt: skip


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def total(*batches: pa.Table | pa.RecordBatch) -> str:
    rows = RowSum()
    for batch in batches:
        rows.add(batch)
    return rows.hexdigest()


def test_the_hash_of_known_rows_never_changes() -> None:
    # Manifests hold it for years: another value here means that no older snapshot can be checked.
    other = {**ROW, "id": "b", "score": None, "vector": None, "tags": None, "flag": None}
    assert total(table(ROW, other)) == "6bf466a371bf6edcff1984870e7229957c86967b8b8efb0387da9ec4e4949492"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "A"), ("id", ""), ("id", None), ("score", 0.5000000000000001), ("score", math.nan), ("at", -7),
        ("vector", [1.0, 3.0, 2.0]), ("vector", [1.0, 2.0, None]), ("vector", None), ("tags", ["y", "x"]),
        ("tags", ["xy"]), ("tags", []), ("tags", None), ("flag", False), ("flag", None), ("when", 1001),
        ("raw", b"\0"), ("raw", b""), ("raw", None),
    ],
)  # fmt: skip
def test_one_cell_makes_another_hash_of_itself_and_of_all(name: str, value: Any) -> None:
    changed = {**ROW, name: value}
    one, other = cell_hashes(table(ROW), SCHEMA.names), cell_hashes(table(changed), SCHEMA.names)
    assert [column for column in SCHEMA.names if one[column] != other[column]] == [name]
    assert total(table(ROW)) != total(table(changed))


def test_bits_are_told_apart_where_values_are_equal() -> None:
    zeros = pa.table({"score": pa.array([0.0, -0.0])})
    first, second = row_hashes(zeros)
    assert first != second


def test_an_empty_cell_has_one_hash_whatever_its_column() -> None:
    nothing = table(dict.fromkeys(SCHEMA.names))
    assert {int(cells[0]) for cells in cell_hashes(nothing, SCHEMA.names).values()} == {int(EMPTY_CELL)}


def test_the_same_value_in_another_column_is_another_row() -> None:
    kinds = {"a": pa.string(), "b": pa.string()}
    one = pa.table({"a": ["x"], "b": ["y"]}, schema=pa.schema(kinds))
    other = pa.table({"a": ["y"], "b": ["x"]}, schema=pa.schema(kinds))
    assert row_hashes(one)[0] != row_hashes(other)[0]


def test_a_row_that_is_there_twice_counts_twice() -> None:
    assert len({total(table(*[ROW] * count)) for count in range(4)}) == 4


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text(max_size=5),
            "score": st.none() | st.floats(),
            "at": st.none() | st.integers(-(2**63), 2**63 - 1),
            "vector": st.none() | st.lists(st.none() | st.floats(width=32), min_size=3, max_size=3),
            "tags": st.none() | st.lists(st.text(max_size=3), max_size=3),
            "flag": st.none() | st.booleans(),
            "when": st.none() | st.integers(0, 2**50),
            "raw": st.none() | st.binary(max_size=4),
        }
    ),
    max_size=8,
)


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False), st.integers(1, 4))
def test_neither_order_nor_batches_nor_where_a_batch_was_cut_make_a_difference(
    rows: list[dict[str, Any]], random: Any, size: int
) -> None:
    whole = table(*rows)
    shuffled = rows[:]
    random.shuffle(shuffled)
    apart = table(ROW, *shuffled, ROW).slice(1, len(rows))
    assert total(whole) == total(*apart.to_batches(max_chunksize=size))
    by_rows = [int(hashed) for row in rows for hashed in row_hashes(table(row))]
    assert [int(hashed) for hashed in row_hashes(whole)] == by_rows


def test_long_vectors_are_hashed_in_parts() -> None:
    values = np.arange(3000 * 3, dtype=np.float32)
    many = pa.table({"vector": pa.FixedSizeListArray.from_arrays(pa.array(values), 3)})
    one_by_one = [int(row_hashes(many.slice(at, 1))[0]) for at in (0, 1023, 1024, 2999)]
    assert [int(row_hashes(many)[at]) for at in (0, 1023, 1024, 2999)] == one_by_one


def test_a_schema_is_its_columns_in_order_and_what_is_noted_at_them() -> None:
    text = pa.field("id", pa.string())
    noted = text.with_metadata({"state": "active"})
    kinds = [
        [text], [text, text.with_name("b")], [text.with_name("b"), text], [text.with_nullable(False)],
        [pa.field("id", pa.binary())], [noted], [text.with_metadata({"state": "old"})],
    ]  # fmt: skip
    assert len({schema_hash(pa.schema(fields)) for fields in kinds}) == len(kinds)
    assert schema_hash(pa.schema([text], metadata={"of": "the whole"})) == schema_hash(pa.schema([text]))
