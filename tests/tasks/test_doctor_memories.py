"""The doctor at the memories table: each broken part gives its finding, and what its cure says cures."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from flows.index import index
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.lance_files import manifests
from sunrise.adapters.lance_indices import config_of
from sunrise.settings import Settings, load_settings
from tasks.doctor_memories import memories_findings
from tasks.doctor_table_files import file_findings, tag_findings
from tasks.run_frame import run_flow
from tests.patients import command_of, lance, look_at, obey, verdicts

INDEXED = ("category", "createdAt", "id", "importance_label", "scope", "state", "terms", "trust_tier")


def ill_of(path: Path) -> set[str]:
    return {name for name, one in look_at(path).items() if one.verdict == "ill"}


def folder_of(path: Path) -> Path:
    return path / "lance" / "memories.lance"


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_broken_index_files_are_found_and_the_cure_cures(healthy: Path, damage: str) -> None:
    for file in [one for one in (folder_of(healthy) / "_indices").rglob("*") if one.is_file()]:
        if damage == "gone":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    found = look_at(healthy)
    assert ill_of(healthy) == {f"memories index {column}" for column in INDEXED}
    assert command_of(found["memories index terms"])[:3] == ["sunrise", "run", "index"]
    run_flow("index", index, home=str(healthy))
    assert verdicts(healthy)["memories probes"] == "well"


def test_an_index_of_terms_that_was_built_on_nothing_is_found_and_the_cure_cures(home_path: Path) -> None:
    run_flow("index", index, home=str(home_path))
    table = lance(home_path)
    rows = table.to_arrow()
    table.delete("true")
    table.create_index("terms", config=config_of("terms"), replace=True)
    table.add(rows)
    finding = look_at(home_path)["memories indices"]
    assert (finding.verdict, "terms" in finding.message) == ("look", True)
    assert "cover no row" in finding.message
    assert command_of(finding)[:3] == ["sunrise", "run", "index"]
    run_flow("index", index, home=str(home_path))
    found = look_at(home_path)
    assert (found["memories indices"].verdict, found["memories probes"].verdict) == ("well", "well")


def test_a_data_file_that_is_gone_is_found(healthy: Path) -> None:
    newest = max((folder_of(healthy) / "data").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    newest.unlink()
    finding = look_at(healthy)["memories files"]
    assert (finding.verdict, newest.name in finding.message) == ("ill", True)
    assert command_of(finding)[:3] == ["sunrise", "snapshot", "restore"]


def test_a_newest_manifest_that_is_cut_short_is_found_and_the_cure_cures(healthy: Path) -> None:
    table = lance(healthy)
    before = table.to_arrow()
    table.add(pa.table({"id": ["last"], "text": ["violins"]}))
    newest = manifests(folder_of(healthy))[0]
    newest.path.write_bytes(newest.path.read_bytes()[:-20])
    finding = look_at(healthy)["memories files"]
    assert (finding.verdict, f"version {newest.version}" in finding.message) == ("ill", True)
    subprocess.run(command_of(finding), check=True)
    assert lance(healthy).to_arrow() == before
    assert verdicts(healthy)["memories files"] == "well"


def test_files_that_no_version_needs_are_found_and_the_cure_cures(healthy: Path) -> None:
    before = lance(healthy).to_arrow()
    data = folder_of(healthy) / "data"
    orphan = data / f"{'0' * 24}{'ab' * 13}.lance"
    shutil.copy(next(data.iterdir()), orphan)
    # A file of this moment may be another writer's, who has yet to commit.
    assert look_at(healthy)["memories files"].verdict == "well"
    os.utime(orphan, (orphan.stat().st_mtime - 7200,) * 2)
    finding = look_at(healthy)["memories files"]
    assert (finding.verdict, finding.message.startswith("1 files")) == ("look", True)
    obey(finding)
    assert not orphan.exists()
    assert lance(healthy).to_arrow() == before
    assert verdicts(healthy)["memories files"] == "well"


def test_a_table_that_cannot_be_opened_is_found(healthy: Path) -> None:
    shutil.rmtree(healthy / "lance" / "memories.lance" / "_versions")
    found = look_at(healthy)
    assert found["memories"].verdict == "ill"
    assert found["ledger"].verdict == "well"


def test_without_a_snapshot_a_damaged_table_is_put_aside(home_path: Path) -> None:
    shutil.rmtree(home_path / "lance" / "memories.lance" / "_versions")
    finding = look_at(home_path)["memories"]
    assert command_of(finding) == ["mv", str(home_path / "lance"), "memories-damaged"]


def test_an_added_column_that_may_not_be_empty_is_found_and_the_cure_cures(healthy: Path) -> None:
    lance(healthy).add_columns({"forced": "'x'"})
    assert not lance(healthy).schema.field("forced").nullable
    finding = look_at(healthy)["memories schema"]
    assert (finding.verdict, "forced" in finding.message) == ("ill", True)
    obey(finding)
    assert lance(healthy).schema.field("forced").nullable
    assert "memories schema" not in look_at(healthy)


def test_a_column_of_the_plugin_that_is_gone_is_found_and_the_cure_cures(healthy: Path) -> None:
    lance(healthy).drop_columns(["category"])
    finding = look_at(healthy)["memories schema"]
    assert (finding.verdict, finding.message.endswith(": category")) == ("ill", True)
    program, *words, name, _, _, _ = command_of(finding)
    assert (program, words) == ("sunrise", ["snapshot", "restore"])
    lance(healthy).restore(name)
    assert "memories schema" not in look_at(healthy)


def test_a_column_of_another_type_is_found(home_path: Path) -> None:
    shutil.rmtree(home_path / "lance")
    rows = pa.table({"id": [1], "text": ["x"], "importance": [1], "category": ["x"], "createdAt": ["now"]})
    lancedb.connect(str(home_path / "lance")).create_table("memories", rows)
    message = look_at(home_path)["memories schema"].message
    # Whole numbers are numbers; the later finding says that it was never adopted.
    assert "not been adopted" in message
    (finding,) = [
        one
        for one in memories_findings(load_settings(home_path), SystemClock())
        if one.check == "memories schema" and one.verdict == "ill"
    ]
    assert finding.message.endswith(": id, vector, createdAt")


def test_rows_that_no_index_covers_and_none_analysed(healthy: Path) -> None:
    lance(healthy).add(pa.table({"id": ["new"], "text": ["violins"]}))
    found = look_at(healthy)
    assert found["memories indices"].verdict == found["memories terms"].verdict == "look"
    assert "id 1" in found["memories indices"].message


def test_a_tag_beyond_ascii_is_found_and_the_cure_cures(healthy: Path) -> None:
    lance(healthy).tags.create("備份", 1)
    finding = look_at(healthy)["tags"]
    assert (finding.verdict, "'備份'" in finding.message) == ("ill", True)
    program, path = command_of(finding)
    assert program == "rm"
    Path(path).unlink()
    assert verdicts(healthy)["tags"] == "well"


def test_old_tags_that_nobody_keeps_are_found(healthy: Path) -> None:
    table = lance(healthy)
    table.tags.create("mine", 1)
    table.tags.create("sunrise-lone", 1)
    tags = healthy / "lance" / "memories.lance" / "_refs" / "tags"
    for path in tags.iterdir():
        age = 10 if path.stem == "mine" else 20
        os.utime(path, (path.stat().st_mtime - age * 86_400,) * 2)
    stale = [one for one in memories_findings(load_settings(healthy), SystemClock()) if one.check == "tags"]
    # The tag of the snapshot that is kept is as old, and wanted.
    assert [(one.verdict, one.message.split()[2]) for one in stale] == [
        ("look", "mine"), ("look", "sunrise-lone"),
    ]  # fmt: skip
    assert command_of(stale[1])[:3] == ["sunrise", "run", "snapshot"]
    obey(stale[0])
    assert "mine" not in lance(healthy).tags.list()


def test_that_files_and_tags_in_object_storage_are_not_looked_at_is_said(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, memories={"uri": "s3://bucket/memory"})
    (finding,) = file_findings(settings)
    assert finding.verdict == "look"
    assert "not looked at" in finding.message
    assert list(tag_findings(settings, SystemClock())) == []
