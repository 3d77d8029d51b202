"""What the doctor says of search by meaning is what recall does, at each stage of a home."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from sunrise import bootstrap
from sunrise.adapters import embedders
from sunrise.adapters.memory_schema import memories_schema
from sunrise.domain.vector_space import LEGACY_COLUMN
from sunrise.errors import ConfigurationError
from sunrise.settings import load_settings
from tasks.doctor import examine
from tasks.doctor_findings import Finding
from tests.embedder_homes import (
    NEW,
    OLD,
    OLD_COLUMN,
    Configure,
    ask,
    embedders_to_choose,
    run_embed,
    run_index,
    table_of,
)
from tests.fakes import BrokenEmbedder, FakeEmbedder
from tests.homes import MEMORIES
from tests.patients import command_of, lance, look_at


@pytest.fixture
def configure(home_path: Path) -> Iterator[Configure]:
    with embedders_to_choose(home_path) as chosen:
        yield chosen


def vectors(path: Path) -> Finding:
    found = look_at(path)
    assert found["embedder"].verdict == "well"
    return found["memories vectors"]


def is_by_words(path: Path) -> bool:
    return ask(path, "green tea").receipt.dense_skipped is not None


def test_a_plugins_table_is_searched_by_words_until_the_index_flow_has_made_vectors(
    home_path: Path, configure: Configure
) -> None:
    configure(FakeEmbedder(8, model_id=NEW))
    before = vectors(home_path)
    assert (before.verdict, before.message) == (
        "look", f"6 of 6 memories have no vector of {NEW} yet: recall finds them by their words only",
    )  # fmt: skip
    assert command_of(before)[:3] == ["sunrise", "run", "index"]
    run_index(home_path)
    after = vectors(home_path)
    assert (after.verdict, after.message) == (
        "well",
        f"recall searches by meaning too, with vectors of {NEW}",
    )
    assert not is_by_words(home_path)


def test_vectors_of_the_plugin_that_have_another_length_do_no_harm_beside_ours(
    home_path: Path, configure: Configure
) -> None:
    configure(FakeEmbedder(16, model_id=NEW))
    run_index(home_path)
    assert {space.dimension for space in table_of(home_path).spaces()} == {8, 16}
    assert vectors(home_path).verdict == "well"
    assert not is_by_words(home_path)


def test_a_memory_that_came_after_the_index_flow_is_counted(home_path: Path, configure: Configure) -> None:
    configure(FakeEmbedder(8, model_id=NEW))
    run_index(home_path)
    lance(home_path).add(pa.table({"id": ["new", "empty"], "text": ["a new one", " "]}))
    finding = vectors(home_path)
    assert finding.message.startswith(f"1 of 8 memories have no vector of {NEW} yet")
    run_index(home_path)
    assert vectors(home_path).verdict == "well"


def test_the_model_of_the_settings_is_another_than_the_one_that_answers(
    home_path: Path, configure: Configure
) -> None:
    configure(FakeEmbedder(8, model_id=OLD))
    run_index(home_path)
    configure(FakeEmbedder(8, model_id=NEW), FakeEmbedder(8, model_id=OLD))
    finding = vectors(home_path)
    assert (finding.verdict, finding.message) == (
        "look", f"the settings name {NEW}, but recall still searches vectors of {OLD}",
    )  # fmt: skip
    assert not is_by_words(home_path)
    assert command_of(finding)[:2] == ["sunrise", "embed"]
    configure(FakeEmbedder(8, model_id=NEW))
    finding = vectors(home_path)
    assert "no embedder here can make" in finding.message
    assert is_by_words(home_path)
    run_embed(home_path)
    assert vectors(home_path).verdict == "well"


def test_without_an_embedder_vectors_are_nobodys_matter(home_path: Path, configure: Configure) -> None:
    configure(FakeEmbedder(8, model_id=NEW))
    run_index(home_path)
    (home_path / "sunrise.toml").write_text('[embedder]\nname = "none"\n')
    found = look_at(home_path)
    assert found["embedder"].message == "none, by choice: recall searches by words"
    assert not [name for name in found if "vector" in name]


def test_an_embedder_that_is_down_is_not_mended_by_a_snapshot(
    home_path: Path, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(FakeEmbedder(8, model_id=NEW))
    run_index(home_path)
    configure(BrokenEmbedder(8, model_id=NEW))
    found = look_at(home_path)
    assert found["embedder"].verdict == "ill"
    assert command_of(found["embedder"])[:3] == ["sunrise", "embedder", "list"]

    # An embedder whose package is missing: the table is not to blame, and no snapshot brings it.
    def missing() -> Any:
        raise ConfigurationError("the embedder e5 needs the extra e5")

    monkeypatch.setitem(embedders._BUILT_IN, "use", missing)
    bootstrap._embedder.cache_clear()
    found = look_at(home_path)
    assert found["embedder"].verdict == "ill"
    assert not [name for name in found if "vector" in name]


def plugin_table(path: Path, dimension: int, *rows: list[float], model: str | None) -> None:
    shutil.rmtree(path / "lance")
    table = lancedb.connect(str(path / "lance")).create_table("memories", schema=memories_schema(dimension))
    columns = {
        "id": [f"v{number}" for number in range(len(rows))],
        "text": [f"text {number}" for number in range(len(rows))],
        "embedding_model": pa.array([model] * len(rows), pa.string()),
        LEGACY_COLUMN: pa.array(rows, pa.list_(pa.float32(), dimension)),
    }
    table.add(pa.table(columns))


DAMAGED = ([0.25] * 16, [0.0] * 16, [0.5] * 4 + [0.0] * 12, [0.0] * 15 + [1.0])


def test_vectors_of_no_use_are_found_where_they_are_searched(home_path: Path, configure: Configure) -> None:
    configure(FakeEmbedder(16, model_id=NEW))
    plugin_table(home_path, 16, *DAMAGED, model=NEW)
    found = [one for one in _findings(home_path) if one.check == "memories vector"]
    assert [one.message for one in found] == [
        "vectors that no search can use: 1 zero",
        "1 vectors are shorter ones, filled up with zeros: they are of another model",
    ]
    assert command_of(found[0])[:2] == ["sunrise", "embed"]
    assert vectors(home_path).message == f"recall searches by meaning too, with the agent's vectors of {NEW}"
    run_embed(home_path)
    assert vectors(home_path).verdict == "well"
    assert not [one for one in _findings(home_path) if one.check == "memories vector"]


def test_vectors_of_an_unknown_model_are_not_searched_so_their_faults_do_not_count(
    home_path: Path, configure: Configure
) -> None:
    configure(FakeEmbedder(16, model_id=NEW))
    plugin_table(home_path, 16, *DAMAGED, model=None)
    assert vectors(home_path).message.startswith("4 of 4 memories have no vector")
    assert not [one for one in _findings(home_path) if one.check == "memories vector"]


def test_a_zero_vector_in_our_column_is_found_and_the_cure_cures(
    home_path: Path, configure: Configure
) -> None:
    configure(FakeEmbedder(8, model_id=OLD))
    run_index(home_path)
    name = MEMORIES[0][0]
    lance(home_path).update(where=f"id = '{name}'", values={OLD_COLUMN: [0.0] * 8})
    finding = look_at(home_path)[f"memories {OLD_COLUMN}"]
    assert (finding.verdict, finding.message) == ("look", "vectors that no search can use: 1 zero")
    assert command_of(finding)[:2] == ["sunrise", "embed"]
    run_embed(home_path)
    assert f"memories {OLD_COLUMN}" not in look_at(home_path)


def test_vectors_of_any_length_are_found_until_ours_answer(home_path: Path, configure: Configure) -> None:
    configure(FakeEmbedder(8, model_id=NEW))
    shutil.rmtree(home_path / "lance")
    fields = [one for one in memories_schema(0) if one.name != "vector"]
    schema = pa.schema([*fields, pa.field("vector", pa.list_(pa.float32()))])
    table = lancedb.connect(str(home_path / "lance")).create_table("memories", schema=schema)
    table.add(pa.table({"id": ["a"], "text": ["a text"], "vector": [[0.6, 0.8]]}))
    assert any("two dimensions" in one.message for one in _findings(home_path))
    run_embed(home_path)
    assert not any("two dimensions" in one.message for one in _findings(home_path))


def _findings(path: Path) -> list[Finding]:
    return examine(load_settings(path))
