"""Tagged versions of a memories table, on lancedb."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table
from sunrise.errors import DataError
from tests.homes import MEMORIES


@pytest.fixture
def table(tmp_path: Path) -> LanceMemories:
    write_plugin_table(tmp_path / "lance", [PluginMemory(*row) for row in MEMORIES], dimension=8)
    made = LanceMemories.open(tmp_path / "lance")
    made.adopt()
    made.build_missing_indices()
    made.tag("first")
    return made


def test_the_hash_of_a_version_knows_no_order_of_rows_and_no_files(table: LanceMemories) -> None:
    first = table.content()
    assert (first.rows, first) == (len(MEMORIES), table.content("first"))
    table.merge(pa.table({"id": ["m-tea"], "scope": ["x"]}))
    assert table.content().content_hash != first.content_hash
    table.merge(pa.table({"id": ["m-tea"], "scope": pa.array([None], pa.string())}))
    after = table.content()
    assert after.version != first.version
    assert (after.schema_hash, after.content_hash) == (first.schema_hash, first.content_hash)
    assert table.content("first") == first


def test_a_restored_version_is_new_and_holds_what_the_tag_names(table: LanceMemories) -> None:
    first = table.content("first")
    table.merge(pa.table({"id": ["m-tea", "m-zh"], "scope": ["x", "y"]}))
    version = table.restore("first")
    restored = table.content(version)
    assert (restored.version, table.newest_version()) == (version, version)
    assert version > first.version
    assert (restored.rows, restored.content_hash) == (first.rows, first.content_hash)
    table.merge(pa.table({"id": ["m-tea"], "scope": ["writes go on"]}))


def test_another_handle_that_was_open_sees_the_restored_rows(table: LanceMemories, tmp_path: Path) -> None:
    other = LanceMemories.open(tmp_path / "lance")
    table.merge(pa.table({"id": ["m-tea"], "scope": ["x"]}))
    assert other.scan(["id"], where="scope = 'x'").num_rows == 1
    table.restore("first")
    assert other.scan(["id"], where="scope = 'x'").num_rows == 0


def test_cells_are_hashed_one_by_one(table: LanceMemories) -> None:
    table.merge(pa.table({"id": ["m-tea"], "scope": ["x"]}))
    before, after = (pa.Table.from_batches(table.cell_hashes(at)) for at in ("first", None))
    rows = {row["id"]: row for row in before.to_pylist()}
    unlike = {(r["id"], name) for r in after.to_pylist() for name in r if r[name] != rows[r["id"]][name]}
    assert unlike == {("m-tea", "scope")}


def test_a_copy_holds_the_tagged_rows_and_nothing_of_the_live_table(
    table: LanceMemories, tmp_path: Path
) -> None:
    first = table.content("first")
    table.merge(pa.table({"id": ["m-tea"], "scope": ["x"]}))
    assert table.copy_to(tmp_path / "looked at", tag="first") == len(MEMORIES)
    copied = LanceMemories.open(tmp_path / "looked at").content()
    assert (copied.schema_hash, copied.content_hash) == (first.schema_hash, first.content_hash)
    assert table.scan(["id"], where="scope = 'x'").num_rows == 1


def test_a_tag_that_is_not_there_is_refused_and_the_table_can_be_written_on(table: LanceMemories) -> None:
    for read in (table.content, table.restore, lambda tag: list(table.cell_hashes(tag))):
        with pytest.raises(DataError):
            read("nope")
    assert table.merge(pa.table({"id": ["m-tea"], "scope": ["x"]})) == 1
