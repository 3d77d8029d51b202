"""Secrets in the memories table: what the port promises, and what LanceDB's files must not hold after."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters import lance_sweep
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.ports import MemoryTable
from tests.fakes import FakeEmbedder, FakeMemoryTable

DIMENSION = 8
TOKEN = "gh" + "p_" + "a1B2" * 9
SAID = f"use {TOKEN} there"
MARKED = "use [redacted:github-token] there"
EMBEDDER = FakeEmbedder(DIMENSION)
Maker = Callable[[], MemoryTable]


def memory(name: str | None, text: str, **values: object) -> dict[str, object]:
    vector = np.zeros(DIMENSION)
    vector[0] = 1
    return {"id": name, "text": text, "terms": terms(text), "vector": vector.tolist(), **values}


def add(table: MemoryTable, *rows: dict[str, object]) -> None:
    schema = table.schema()
    names = [name for name in schema.names if any(name in row for row in rows)]
    table.add(pa.Table.from_pylist(list(rows), schema=pa.schema([schema.field(name) for name in names])))


def swept(table: MemoryTable) -> int:
    found = table.find_secrets()
    if found.rows:
        table.redact_rows(found, embedder=EMBEDDER, now_ms=5)
        again = table.find_secrets()
        assert again.rows == ()
        return table.forget_secrets(again)
    return table.forget_secrets(found)


def rows_of(table: MemoryTable, *columns: str) -> list[tuple[object, ...]]:
    rows = table.scan(["id", *columns]).to_pylist()
    return sorted((tuple(row.values()) for row in rows), key=str)


def files_with(home: Path, *values: str) -> list[str]:
    found = []
    for path in sorted(path for path in home.rglob("*") if path.is_file()):
        data = path.read_bytes()
        found += [path.name for value in values if value.encode() in data]
    return found


@pytest.fixture(params=["fake", "lance"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> MemoryTable:
    if request.param == "fake":
        return FakeMemoryTable(dimension=DIMENSION)
    return LanceMemories.create(tmp_path / "lance", dimension=DIMENSION)


@pytest.fixture
def lance(tmp_path: Path) -> LanceMemories:
    return LanceMemories.create(tmp_path / "lance", dimension=DIMENSION)


def test_a_clean_table_is_seen_and_there_is_nothing_to_do(table: MemoryTable) -> None:
    add(table, memory("a", "tea"), memory("b", "coffee"))
    found = table.find_secrets()
    assert (found.seen, found.rows, found.values, found.is_clean) == (2, (), frozenset(), True)


def test_our_vector_of_a_text_that_changed_is_emptied_and_the_others_stay(lance: LanceMemories) -> None:
    add(lance, memory("a", SAID), memory("b", "tea"))
    column = lance.prepare_space(EMBEDDER.model_id, DIMENSION)
    lance.write_vectors(column, ["a", "b"], EMBEDDER.embed([SAID, "tea"]))
    lance.activate(column)
    swept(lance)
    held = {row["id"]: row for row in lance.scan(["id", "text", column]).to_pylist()}
    assert (held["a"]["text"], held["a"][column]) == (MARKED, None)
    assert np.allclose(held["b"][column], EMBEDDER.embed(["tea"])[0])


def test_every_text_but_the_id_is_redacted_and_terms_follow(table: MemoryTable) -> None:
    add(table, memory("a", SAID, source_ref=SAID, category="fact"), memory("b", "tea", source_ref=SAID))
    found = table.find_secrets()
    assert {(one.record_ref, one.field, one.kind) for row in found.rows for one in row.fields} >= {
        ("mem:a", "text", "github-token"),
        ("mem:a", "source_ref", "github-token"),
        ("mem:b", "source_ref", "github-token"),
    }
    # Analysed terms are in lower case.
    assert found.values == {TOKEN, TOKEN.lower()}
    assert not found.is_clean
    swept(table)
    assert rows_of(table, "text", "source_ref", "terms", "category", "updated_at_ms") == [
        ("a", MARKED, MARKED, terms(MARKED), "fact", 5),
        ("b", "tea", MARKED, terms("tea"), None, 5),
    ]
    assert table.find_secrets().is_clean


def test_terms_that_follow_a_text_keep_their_day(table: MemoryTable) -> None:
    add(table, memory("a", SAID, terms=dated_terms(SAID, 0, UTC)))
    swept(table)
    assert rows_of(table, "terms") == [("a", dated_terms(MARKED, 0, UTC))]


def test_a_secret_behind_the_day_goes_too(table: MemoryTable) -> None:
    add(table, memory("a", "tea", terms=f"tea @day {TOKEN}"))
    swept(table)
    assert rows_of(table, "terms") == [("a", "tea")]


def test_a_row_without_an_id_of_its_own_is_found_by_its_place(table: MemoryTable) -> None:
    add(table, memory("twin", SAID), memory("twin", "tea"), memory(None, SAID), memory("a", SAID))
    swept(table)
    assert rows_of(table, "text") == [("a", MARKED), ("twin", "tea"), ("twin", MARKED), (None, MARKED)]


def test_only_a_vector_that_this_embedder_made_is_made_anew(lance: LanceMemories) -> None:
    add(
        lance,
        memory("own", SAID, embedding_model=EMBEDDER.model_id),
        memory("plugin", SAID),
        memory("ref", "tea", source_ref=SAID, embedding_model=EMBEDDER.model_id),
    )
    before = dict(rows_of(lance, "vector"))
    swept(lance)
    after = dict(rows_of(lance, "vector"))
    assert after["own"] == pytest.approx(EMBEDDER.embed([MARKED])[0].tolist())
    assert (after["plugin"], after["ref"]) == (before["plugin"], before["ref"])


def test_no_file_of_the_table_holds_the_secret_or_its_words(lance: LanceMemories, tmp_path: Path) -> None:
    add(lance, *(memory(f"p{number}", f"plain {number}") for number in range(20)))
    add(lance, memory("a", f"{SAID} zanzibar-{TOKEN[4:12].lower()}"))
    lance.build_missing_indices()
    token = next(word for word in terms(SAID).split() if "a1b2" in word)
    assert files_with(tmp_path, TOKEN, token)
    swept(lance)
    assert files_with(tmp_path, TOKEN, token) == []
    assert lance.search_terms(token, columns=["id"], where=None, limit=3).num_rows == 0
    assert not any(index.unindexed_rows for index in lance.state().indices)
    assert lance.scan(["id"]).num_rows == 21


def test_what_is_gone_from_the_newest_version_goes_from_the_older_ones(
    lance: LanceMemories, tmp_path: Path
) -> None:
    add(lance, memory("a", SAID), memory("b", "tea"))
    lance._table.delete("id = 'a'")
    add(lance, memory("c", "coffee"))
    found = lance.find_secrets()
    assert (found.rows, found.is_clean) == ((), False)
    # Of the fragment with a and b the newest version still reads the file, for b.
    assert found.stained_fragments == {0}
    assert swept(lance) > 0
    assert files_with(tmp_path, TOKEN) == []
    assert rows_of(lance, "text") == [("b", "tea"), ("c", "coffee")]


def test_of_three_tags_the_dirty_one_is_given_up_and_the_clean_ones_stay(
    lance: LanceMemories, tmp_path: Path
) -> None:
    add(lance, memory("a", "tea"))
    lance.tag("clean-1")
    add(lance, memory("s", SAID))
    lance.tag("dirty")
    lance._table.delete("id = 's'")
    add(lance, memory("b", "coffee"))
    lance.tag("clean-2")
    add(lance, memory("t", SAID), memory("c", "milk"))
    clean = {name: version for name, version in lance.state().tags.items() if name != "dirty"}
    assert lance.find_secrets().stained_tags == ("dirty",)
    swept(lance)
    assert lance.state().tags == clean
    assert files_with(tmp_path, TOKEN) == []
    assert rows_of(lance, "text") == [("a", "tea"), ("b", "coffee"), ("c", "milk"), ("t", MARKED)]
    for name, ids in {"clean-1": ["a"], "clean-2": ["a", "b"]}.items():
        lance._table.checkout(name)
        assert sorted(lance._table.to_arrow().column("id").to_pylist()) == ids
    lance._table.checkout_latest()
    assert lance._table.branches.list() == {}
    # What a snapshot relies on still works: the tag is restored, and the way back is too.
    lance._table.checkout("clean-2")
    lance._table.restore()
    assert rows_of(lance, "text") == [("a", "tea"), ("b", "coffee")]


def test_a_tag_on_the_newest_version_is_given_up_when_that_is_dirty(lance: LanceMemories) -> None:
    add(lance, memory("s", SAID))
    lance.tag("newest")
    assert lance.find_secrets().stained_tags == ("newest",)
    swept(lance)
    assert lance.state().tags == {}


def test_tags_that_a_killed_sweep_took_off_come_back(
    lance: LanceMemories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(lance, memory("a", "tea"))
    lance.tag("clean")
    add(lance, memory("s", SAID))
    monkeypatch.setattr(lance_sweep, "_clean_up", _killed)
    with pytest.raises(KeyboardInterrupt):
        swept(lance)
    monkeypatch.undo()
    assert lance.state().tags == {}
    assert lance.find_secrets().unfinished is True
    swept(lance)
    assert lance.state().tags.keys() == {"clean"}
    assert lance._table.branches.list() == {}
    assert files_with(tmp_path, TOKEN) == []


def test_a_secret_that_a_merge_wrote_into_a_fragment_of_the_same_number_is_found(
    lance: LanceMemories, tmp_path: Path
) -> None:
    names = [f"p{number}" for number in range(20)]
    lance.add(pa.table({"id": names, "text": names, "terms": names}))
    lance.build_missing_indices()
    for text in (SAID, "nothing to see"):
        lance.merge(pa.table({"id": ["p3"], "text": [text], "terms": [terms(text)]}))
    found = lance.find_secrets()
    assert (found.rows, found.values) == ((), {TOKEN, TOKEN.lower()})
    assert len(found.stained_versions) > 0
    lance.forget_secrets(found)
    assert files_with(tmp_path, TOKEN) == []
    assert lance.find_secrets().is_clean


def test_a_second_sweep_finds_nothing_to_do(lance: LanceMemories) -> None:
    add(lance, memory("a", SAID))
    lance.build_missing_indices()
    swept(lance)
    version = lance.state().version
    assert lance.find_secrets().is_clean
    assert lance.state().version == version


def test_a_plugin_table_without_governance_columns_is_swept_as_it_is(tmp_path: Path) -> None:
    from sunrise.adapters.plugin_table import PluginMemory, write_plugin_table

    write_plugin_table(tmp_path / "p", [PluginMemory("m", SAID, 0.5, "fact", 1)], dimension=DIMENSION)
    table = LanceMemories.open(tmp_path / "p")
    names = table.schema().names
    swept(table)
    assert table.schema().names == names
    assert rows_of(table, "text", "category") == [("m", MARKED, "fact")]
    assert files_with(tmp_path, TOKEN) == []


def _killed(_table: object) -> None:
    raise KeyboardInterrupt
