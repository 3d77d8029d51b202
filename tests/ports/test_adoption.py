"""A table of OpenClaw's memory-lancedb plugin, adopted: ours is added, theirs stays, they can still write."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters import lance_border
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.adapters.memory_schema import GOVERNANCE_COLUMNS, memories_schema
from sunrise.domain.text.analysis import terms

SAMPLES = Path(__file__).parents[3] / "shared" / "openclaw"
PLUGIN_SIX = ("id", "text", "vector", "importance", "category", "createdAt")
DIMENSION = 1536

# What the plugin does: one plain row, no schema, then the newest rows by filter and by vector.
JAVASCRIPT = """
import { createRequire } from "node:module";
const [directory, uri] = process.argv.slice(1);
const require = createRequire(directory + "/package.json");
const lancedb = require("@lancedb/lancedb");
const table = await (await lancedb.connect(uri)).openTable("memories");
const before = await table.countRows();
const vector = Array.from({ length: 1536 }, (_, i) => (i === 7 ? 1 : 0));
await table.add([{ id: "from-js", text: "written by JavaScript 茶", vector, importance: 0.7,
                   category: "fact", createdAt: Date.now() }]);
const near = await table.vectorSearch(vector).limit(1).toArray();
const found = await table.query().where("id = 'from-js'").limit(5).toArray();
console.log(JSON.stringify({ before, after: await table.countRows(), near: near.map((r) => r.id),
                             text: found.map((r) => r.text), state: found.map((r) => r.state) }));
"""


@pytest.fixture(params=["made-here", "memory-lancedb-sample", "memory-lancedb-real-plugin-2026.4.27"])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    place = tmp_path / "lancedb"
    if request.param == "made-here":
        _make_plugin_table(place)
        return place
    if not (SAMPLES / request.param).is_dir():
        pytest.skip(f"no sample table at {SAMPLES / request.param}")
    shutil.copytree(SAMPLES / request.param, place, copy_function=shutil.copyfile)
    for path in (place, *place.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    return place


def test_only_nullable_columns_are_added_and_theirs_stay(uri: Path) -> None:
    table = LanceMemories.open(uri)
    before, rows = table.schema(), _theirs(table)
    missing = [field.name for field in GOVERNANCE_COLUMNS if field.name not in before.names]
    assert table.adopt() == tuple(missing)
    assert table.adopt() == ()
    _govern(table)
    after = table.schema()
    assert [after.field(name) for name in before.names] == list(before)
    assert after.names == [*before.names, *missing]
    assert all(after.field(name).nullable for name in missing)
    assert _theirs(table) == rows
    assert _theirs(LanceMemories.open(uri)) == rows


def test_every_row_is_governed_and_found_by_its_words(uri: Path) -> None:
    table = LanceMemories.open(uri)
    table.adopt()
    rows = _govern(table)
    assert table.scan(["id"], where="state = 'active'").num_rows == rows
    texts = dict(
        zip(*(table.scan(["id", "text"]).column(n).to_pylist() for n in ("id", "text")), strict=True)
    )
    for memory_id, text in texts.items():
        words = terms(text)
        if words:
            found = table.search_terms(words, columns=["id"], where=None, limit=rows)
            assert memory_id in found.column("id").to_pylist()


def test_the_plugin_can_still_append_its_own_columns(uri: Path) -> None:
    table = LanceMemories.open(uri)
    table.adopt()
    rows = _govern(table)
    theirs = lance_border.connect(uri).open_table("memories")
    theirs.add(_plugin_rows(1, first=900))
    assert table.scan(["id"]).num_rows == rows + 1
    assert table.by_ids(["id-900"], ["text", "state", "terms"]).to_pylist() == [
        {"text": "note 900", "state": None, "terms": None}
    ]


@pytest.mark.node
def test_javascript_adds_and_reads_a_row_after_adoption(uri: Path) -> None:
    node, directory = shutil.which("node"), os.environ.get("SUNRISE_LANCEDB_JS")
    if node is None or directory is None:
        pytest.skip("needs Node.js, and SUNRISE_LANCEDB_JS naming a directory with @lancedb/lancedb")
    table = LanceMemories.open(uri)
    table.adopt()
    rows = _govern(table)
    command = [node, "--input-type=module", "-e", JAVASCRIPT, directory, str(uri)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said == {
        "before": rows,
        "after": rows + 1,
        "near": ["from-js"],
        "text": ["written by JavaScript 茶"],
        "state": [None],
    }
    assert table.by_ids(["from-js"], ["text"]).to_pylist() == [{"text": "written by JavaScript 茶"}]
    table.merge(pa.table({"id": ["from-js"], "terms": [terms("written by JavaScript 茶")]}))
    table.optimize(keep=timedelta(days=7))
    assert table.search_terms("茶", columns=["id"], where="id = 'from-js'", limit=3).num_rows == 1


def _govern(table: LanceMemories) -> int:
    """What the flows do to an adopted table; returns its rows."""
    known: list[dict[str, Any]] = table.scan(["id", "text"]).to_pylist()
    labels = [
        {"id": row["id"], "terms": terms(row["text"]), "state": "active", "importance_label": "must"}
        for row in known
    ]
    assert table.merge(pa.Table.from_pylist(labels)) == len(known)
    assert "terms" in table.build_missing_indices()
    table.optimize(keep=timedelta(days=7))
    assert not any(index.unindexed_rows for index in table.state().indices)
    return len(known)


def _theirs(table: LanceMemories) -> pa.Table:
    return table.scan(PLUGIN_SIX).sort_by("id").combine_chunks()


def _make_plugin_table(uri: Path) -> None:
    theirs = lance_border.connect(uri).create_table("memories", _plugin_rows(1))
    for first in range(1, 6):
        theirs.add(_plugin_rows(1, first=first))


def _plugin_rows(count: int, *, first: int = 0) -> pa.Table:
    schema = pa.schema([memories_schema(DIMENSION).field(name) for name in PLUGIN_SIX])
    rows = [
        {
            "id": f"id-{number}",
            "text": f"note {number}",
            "vector": np.eye(1, DIMENSION, number).ravel().tolist(),
            "importance": 0.7,
            "category": "other",
            "createdAt": 1.7e12 + number,
        }
        for number in range(first, first + count)
    ]
    return pa.Table.from_pylist(rows, schema=schema)
