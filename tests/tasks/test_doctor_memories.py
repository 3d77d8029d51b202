"""The doctor at the memories table: each broken part gives its finding, and what its cure says cures."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import lancedb
import pyarrow as pa

from flows.index import index
from sunrise.adapters.clock import SystemClock
from sunrise.settings import Settings, load_settings
from tasks.doctor_memories import memories_findings
from tasks.run_frame import run_flow
from tests.patients import command_of, lance, look_at, obey, verdicts


def test_index_files_that_are_gone_are_found_and_the_cure_cures(healthy: Path) -> None:
    shutil.rmtree(healthy / "lance" / "memories.lance" / "_indices")
    found = look_at(healthy)
    assert {name for name, one in found.items() if one.verdict == "ill"} == {
        "memories by_id", "memories by_terms", "memories by_filter",
    }  # fmt: skip
    assert command_of(found["memories by_terms"])[:3] == ["sunrise", "run", "index"]
    run_flow("index", index, home=str(healthy))
    assert verdicts(healthy)["memories probes"] == "well"


def test_a_data_file_that_is_gone_is_found(healthy: Path) -> None:
    for path in (healthy / "lance" / "memories.lance" / "data").iterdir():
        path.unlink()
    finding = look_at(healthy)["memories"]
    assert finding.verdict == "ill"
    assert "restore('sunrise-" in command_of(finding)[2]


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
    old = lance(healthy).to_arrow()
    field = pa.field("forced", pa.string(), nullable=False)
    whole = old.append_column(field, pa.array(["x"] * old.num_rows))
    lancedb.connect(str(healthy / "lance")).create_table("memories", whole, mode="overwrite")
    finding = look_at(healthy)["memories schema"]
    assert (finding.verdict, "forced" in finding.message) == ("ill", True)
    obey(finding)
    assert lance(healthy).schema.field("forced").nullable
    assert "memories schema" not in look_at(healthy)


def test_a_column_of_the_plugin_that_is_gone_is_found_and_the_cure_cures(healthy: Path) -> None:
    lance(healthy).drop_columns(["category"])
    finding = look_at(healthy)["memories schema"]
    assert (finding.verdict, finding.message.endswith(": category")) == ("ill", True)
    obey(finding)
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


def test_tags_in_object_storage_are_not_looked_at(tmp_path: Path) -> None:
    from tasks.doctor_memories import _tag_findings

    settings = Settings(home=tmp_path, memories={"uri": "s3://bucket/memory"})
    (finding,) = _tag_findings(settings, SystemClock())
    assert finding.verdict == "well"
