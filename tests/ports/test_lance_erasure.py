"""Memories that are erased: found in every version, and gone from every file of the table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.adapters import lance_sweep
from sunrise.adapters.lance_files import fragment_parts
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.erasure import MemoriesHolding
from sunrise.domain.sought_texts import sought_texts
from sunrise.domain.text.analysis import terms

TEXT = "The key is under the third stone"
EARLIER = "The key was in the kitchen drawer"
BOTH = sought_texts([TEXT, EARLIER])
GONE = frozenset({"x"})


@pytest.fixture
def lance(tmp_path: Path) -> LanceMemories:
    table = LanceMemories.create(tmp_path / "lance", dimension=8)
    put(table, ("p0", "plain"), ("x", EARLIER), ("p1", "also plain"), ("p2", "plain too"))
    table.build_missing_indices()
    table.merge(pa.table({"id": ["x"], "text": [TEXT], "terms": [terms(TEXT)]}))
    return table


def put(table: LanceMemories, *rows: tuple[str | None, str]) -> None:
    ids, texts = zip(*rows, strict=True)
    columns = {"id": pa.array(ids, pa.string()), "text": texts, "terms": [terms(text) for text in texts]}
    table.add(pa.table(columns))


def files_with(home: Path, *texts: str) -> list[str]:
    return [
        path.name
        for path in sorted(home.rglob("*"))
        if path.is_file() and any(text.encode() in path.read_bytes() for text in texts)
    ]


def test_what_a_memory_ever_said_is_told_from_all_versions(lance: LanceMemories) -> None:
    assert lance.texts_of(GONE) == {TEXT, EARLIER}
    lance.delete(["x"])
    assert lance.texts_of(GONE) == {TEXT, EARLIER}
    assert lance.texts_of(frozenset({"nobody"})) == frozenset()


def test_no_version_and_no_file_holds_it_afterwards(lance: LanceMemories, tmp_path: Path) -> None:
    lance.delete(["x"])
    found = lance.find_erased(GONE, BOTH)
    assert (found.holders, found.stained_tags, found.unfinished) == ((), (), False)
    assert files_with(tmp_path, TEXT, EARLIER)
    assert lance.erase(found, tags=False) > 0
    assert lance.find_erased(GONE, BOTH) == MemoriesHolding()
    assert files_with(tmp_path, TEXT, EARLIER) == []
    assert sorted(lance.scan(["id"]).column("id").to_pylist()) == ["p0", "p1", "p2"]
    hits = lance.search_terms("also", columns=["id"], where=None, limit=3)
    assert hits.column("id").to_pylist() == ["p1"]


def test_tags_stay_until_they_are_to_go(lance: LanceMemories, tmp_path: Path) -> None:
    lance.tag("with-it")
    lance.delete(["x"])
    lance.tag("reads-its-file")
    lance.erase(lance.find_erased(GONE, BOTH), tags=False)
    found = lance.find_erased(GONE, BOTH)
    assert found.stained_tags == ("reads-its-file", "with-it")
    assert found.stained_fragments == frozenset()
    assert files_with(tmp_path, TEXT)
    lance.erase(found, tags=True)
    assert lance.state().tags == {}
    assert files_with(tmp_path, TEXT, EARLIER) == []


def test_a_memory_that_says_it_too_is_named_and_no_reason_to_drop_versions(lance: LanceMemories) -> None:
    put(lance, ("other", f"{TEXT}, I think"), (None, TEXT))
    lance.delete(["x"])
    lance.erase(lance.find_erased(GONE, BOTH), tags=False)
    lance.tag("clean")
    put(lance, ("later", "nothing"))
    found = lance.find_erased(GONE, BOTH)
    assert found == MemoriesHolding(holders=("", "other"))
    lance.delete(["other"])
    found = lance.find_erased(GONE | {"other"}, BOTH)
    assert (found.holders, found.stained_tags) == (("",), ("clean",))


@pytest.mark.parametrize("gone", ["n7", "n400"])
def test_a_row_of_which_no_version_tells_any_more_goes_from_its_file(gone: str, tmp_path: Path) -> None:
    # The last row of a fragment leaves no gap between those that are there.
    lance = LanceMemories.create(tmp_path / "lance", dimension=8)
    put(lance, *((f"n{number}", f"note number {number} of many") for number in range(401)))
    text = f"note number {gone[1:]} of many"
    lance.delete([gone])
    lance_sweep._clean_up(lance._table)
    found = lance.find_erased(frozenset({gone}), sought_texts([text]))
    assert (found.stained_fragments, found.stained_versions) == (frozenset(), ())
    assert files_with(tmp_path, text)
    lance.erase(found, tags=False)
    assert files_with(tmp_path, text) == []
    assert lance.scan(["id"]).num_rows == 400


def test_fragments_are_the_same_where_they_consist_of_the_same(lance: LanceMemories, tmp_path: Path) -> None:
    parts = fragment_parts(tmp_path / "lance" / "memories.lance")
    newest = max(parts)
    assert (parts[1], set(parts[2]), set(parts[newest])) == ({}, {0}, {0})
    # Indices change no fragment; the merge wrote the rows anew under the number that they had.
    assert parts[2] == parts[newest - 1] != parts[newest]
    lance.delete(["x"])
    assert fragment_parts(tmp_path / "lance" / "memories.lance")[newest + 1] != parts[newest]
    put(lance, ("p4", "more"))
    assert set(fragment_parts(tmp_path / "lance" / "memories.lance")[newest + 2]) == {0, 1}


def test_a_manifest_that_reads_otherwise_is_left_out(lance: LanceMemories, tmp_path: Path) -> None:
    folder = tmp_path / "lance" / "memories.lance"
    (folder / "_versions" / "99.manifest").write_bytes(b"\xff" * 64)
    (folder / "_versions" / "98.manifest").write_bytes(b"short")
    assert max(fragment_parts(folder)) < 98
