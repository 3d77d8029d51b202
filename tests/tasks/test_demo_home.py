from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

import sunrise
from sunrise.adapters.capture_jsonl import CaptureBatch
from sunrise.adapters.plugin_table import PluginMemory, placeholder_vector, plugin_schema, write_plugin_table
from sunrise.adapters.sources import readers
from sunrise.domain.text.analysis import analyze, query_terms
from sunrise.errors import ConfigurationError
from sunrise.settings import load_settings
from tasks.demo.home import DemoHome, write_demo_home

NOW = 1_790_000_000_000
DAY_MS = 86_400_000


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoHome:
    return write_demo_home(tmp_path_factory.mktemp("home"), now_ms=NOW)


@pytest.fixture(scope="module")
def batch(demo: DemoHome) -> CaptureBatch:
    (whole,) = readers(load_settings(demo.home))[0].batches(None, now_ms=NOW, batch_lines=20_000)
    return whole


@pytest.fixture(scope="module")
def memories(demo: DemoHome) -> pa.Table:
    return lancedb.connect(str(demo.table_uri)).open_table("memories").to_arrow()


def test_the_counts_promised_are_the_counts_read(demo: DemoHome, batch: CaptureBatch) -> None:
    keys = batch.rows["key"].to_pylist()
    assert (demo.lines, demo.inserted, demo.duplicates, demo.quarantined) == (240, 235, 2, 1)
    assert batch.seen == demo.lines == len(demo.spool.read_text("utf-8").splitlines())
    assert len(set(keys)) == demo.inserted + demo.collapsed
    assert len(keys) - len(set(keys)) == demo.duplicates
    assert len(batch.rejected) == demo.quarantined
    assert batch.redacted == demo.redacted == 1


def test_the_torn_line_is_in_the_middle(batch: CaptureBatch) -> None:
    (torn,) = batch.rejected
    assert torn.reason == "malformed_json"
    assert 100 < (torn.line or 0) < 140


def test_the_capture_spans_months_languages_and_kinds(batch: CaptureBatch) -> None:
    times = batch.rows["ts_ms"].to_pylist()
    assert times == sorted(times)
    assert NOW - 120 * DAY_MS <= times[0] < NOW - 119 * DAY_MS
    assert NOW - DAY_MS < times[-1] < NOW
    languages = Counter(batch.rows["lang"].to_pylist())
    assert languages["zh"] > 40
    assert languages["en"] > 100
    assert set(batch.rows["kind"].to_pylist()) == {"tool", "note", "decision", "preference", "event"}
    assert set(batch.rows["scope"].to_pylist()) == {"billing", "gateway", "homelab", "personal", "global"}
    assert {"trusted", "untrusted"} <= set(batch.rows["trust_tier"].to_pylist())
    assert batch.rows["ts_flag"].to_pylist().count("missing") == 1
    assert batch.rows["source_kind"].to_pylist().count("operator") == 1


def test_every_memory_is_named_by_one_observation(batch: CaptureBatch, memories: pa.Table) -> None:
    named = Counter(name for name in batch.rows["memory_id"].to_pylist() if name)
    stored = memories["id"].to_pylist()
    assert sorted(set(named)) == sorted(stored)
    rows = [row for row in batch.rows.to_pylist() if row["memory_id"]]
    assert {row["tool_name"] for row in rows} == {"memory_store"}
    assert all(row["summary"].startswith("Stored: ") for row in rows)


def test_the_operators_grade_comes_through(batch: CaptureBatch) -> None:
    (row,) = [row for row in batch.rows.to_pylist() if row["source_kind"] == "operator"]
    assert (row["importance_score"], row["importance_label"]) == (0.95, "must_remember")


def test_the_table_is_the_plugins(demo: DemoHome, memories: pa.Table) -> None:
    assert memories.schema.equals(plugin_schema(1536, with_scope=True))
    # The six of the gateway's plugin, and the scope that an engine with scopes writes beside them.
    assert plugin_schema(1536).names == ["id", "text", "vector", "importance", "category", "createdAt"]
    assert memories.schema.names == [*plugin_schema(1536).names, "scope"]
    assert set(memories["scope"].to_pylist()) == {"billing", "personal", "homelab", "gateway", "global"}
    assert all(field.nullable for field in memories.schema)
    assert memories.num_rows == demo.memories == 40
    assert "__schema__" not in memories["id"].to_pylist()
    assert max(memories["createdAt"].to_pylist()) < NOW


def test_the_table_has_the_fragments_of_several_adds(demo: DemoHome) -> None:
    table = lancedb.connect(str(demo.table_uri)).open_table("memories")
    assert table.stats()["fragment_stats"]["num_fragments"] == 3


def test_vectors_are_unit_vectors_that_depend_on_the_text(memories: pa.Table) -> None:
    row = memories.slice(0, 1).to_pylist()[0]
    assert sum(value * value for value in row["vector"]) == pytest.approx(1.0, abs=1e-5)
    assert placeholder_vector(row["text"], 1536).tolist() == row["vector"]
    assert placeholder_vector("a", 5).shape == (5,)
    assert placeholder_vector("a", 5).tolist() != placeholder_vector("b", 5).tolist()


def test_each_question_is_answered_best_by_a_memory_that_it_shares_words_with(
    demo: DemoHome, memories: pa.Table
) -> None:
    questions = [json.loads(line) for line in demo.golden.read_text("utf-8").splitlines()]
    assert len(questions) == demo.questions == 24
    assert {question["category"] for question in questions} == {
        "keyword", "paraphrase", "identifier", "cross-script",
    }  # fmt: skip
    assert {question["lang"] for question in questions} == {"en", "zh", "mixed"}
    texts = {f"mem:{row['id']}": set(analyze(row["text"])) for row in memories.to_pylist()}
    frequency = Counter(term for found in texts.values() for term in found)
    for question in questions:
        wanted = query_terms(question["query"])
        score = {
            ref: sum(1 / frequency[term] for term in wanted if term in found) for ref, found in texts.items()
        }
        assert [max(score, key=score.__getitem__)] == question["expected"], question["query"]


def test_its_questions_are_answered_before_the_first_day(demo: DemoHome) -> None:
    questions = [json.loads(line) for line in demo.golden.read_text("utf-8").splitlines()]
    (demo.home / "sunrise.toml").write_text('timezone = "UTC"\n', encoding="utf-8")
    with sunrise.open(demo.home, read_only=True) as memories:
        found = {
            one["id"]: [item.ref for item in memories.recall(one["query"], scope=one["scope"], limit=3).items]
            for one in questions
        }
    assert [one["id"] for one in questions if found[one["id"]][:1] != one["expected"]] == []


def test_the_same_time_gives_the_same_home(demo: DemoHome, memories: pa.Table, tmp_path: Path) -> None:
    again = write_demo_home(tmp_path, now_ms=NOW)
    assert again.spool.read_bytes() == demo.spool.read_bytes()
    assert again.golden.read_bytes() == demo.golden.read_bytes()
    assert lancedb.connect(str(again.table_uri)).open_table("memories").to_arrow() == memories


def test_memories_that_are_there_are_left_alone(tmp_path: Path) -> None:
    row = PluginMemory("a", "text", 0.5, "fact", NOW)
    write_plugin_table(tmp_path, [row], dimension=8)
    with pytest.raises(ConfigurationError, match="already holds"):
        write_plugin_table(tmp_path, [], dimension=8)
    assert lancedb.connect(str(tmp_path)).open_table("memories").count_rows() == 1


def test_a_table_may_have_no_memories(tmp_path: Path) -> None:
    write_plugin_table(tmp_path, [], dimension=8)
    assert lancedb.connect(str(tmp_path)).open_table("memories").count_rows() == 0
