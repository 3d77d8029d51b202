"""What the index flow does for vectors: what is missing is made, what is of no use is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.vector_space import active_space
from sunrise.settings import load_settings
from tasks.vectors import is_check_due
from tests.embedder_homes import (
    OLD,
    OLD_COLUMN,
    Configure,
    FussyEmbedder,
    ask,
    codes,
    embedded,
    embedders_to_choose,
    made_by,
    run_index,
    table_of,
)
from tests.fakes import FakeEmbedder, FrozenClock
from tests.homes import MEMORIES, NOW


@pytest.fixture
def use(home_path: Path) -> Iterator[Configure]:
    with embedders_to_choose(home_path) as configure:
        yield configure


def test_the_index_flow_gives_a_plugins_memories_vectors_beside_its_own(
    home_path: Path, use: Configure
) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    before = table_of(home_path).scan(["id", "text", "vector"]).sort_by("id")
    receipt = run_index(home_path)
    assert receipt.status is RunStatus.OK
    assert (receipt.counts["embedded"], receipt.counts["unembedded"]) == (6, 0)
    assert (receipt.counts["vectors_bad"], receipt.counts["foreign_vectors"]) == (0, 6)
    assert embedded(home_path, OLD_COLUMN) == made_by(FakeEmbedder(4))
    assert table_of(home_path).scan(["id", "text", "vector"]).sort_by("id").equals(before)
    result = ask(home_path, "green tea")
    assert (result.receipt.model_id, result.receipt.dense_skipped) == (OLD, None)
    assert result.receipt.vec_top[0] == "mem:m-tea"


def test_a_table_in_good_order_is_embedded_once(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    run_index(home_path)
    version = table_of(home_path).newest_version()
    receipt = run_index(home_path)
    assert (receipt.counts["embedded"], receipt.counts["unembedded"]) == (0, 0)
    assert table_of(home_path).newest_version() == version


def test_a_dry_run_says_what_it_would_embed(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    version = table_of(home_path).newest_version()
    receipt = run_index(home_path, dry_run=True)
    assert (receipt.counts["embedded"], receipt.counts["unembedded"]) == (6, 0)
    assert table_of(home_path).newest_version() == version


def test_the_index_flow_goes_on_without_the_embedder(home_path: Path, use: Configure) -> None:
    down = FussyEmbedder(4, model_id=OLD)
    down.is_down = True
    use(down)
    receipt = run_index(home_path)
    assert codes(receipt) == ["embedder_failed"]
    assert (receipt.counts["embedded"], receipt.counts["unembedded"]) == (0, 6)
    assert receipt.counts["indices_built"] == 8
    assert ask(home_path, "green tea").receipt.dense_skipped is not None


def test_bad_vectors_are_found_after_some_days_and_made_anew(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    run_index(home_path)
    kind = pa.list_(pa.float32(), 4)
    bad = pa.array([[0, 0, 0, 0], [1, np.nan, 0, 0], [1, 0, None, 0]], kind)
    table_of(home_path).merge(pa.table({"id": ["m-tea", "m-zh", "m-fresh"], OLD_COLUMN: bad}))
    assert run_index(home_path).counts["vectors_bad"] == 0
    receipt = run_index(home_path, clock=FrozenClock(NOW + 7 * DAY_MS))
    assert (receipt.counts["vectors_bad"], receipt.counts["embedded"]) == (3, 3)
    assert receipt.groups["vectors_bad_by_fault"] == {"gap": 1, "not_finite": 1, "zero": 1}
    assert embedded(home_path, OLD_COLUMN) == made_by(FakeEmbedder(4))
    with open_home(load_settings(home_path), clock=FrozenClock(NOW + 8 * DAY_MS)) as home:
        assert not is_check_due(home)


def test_vectors_that_stand_in_the_column_of_others_answer_until_ours_are_whole(
    home_path: Path, use: Configure
) -> None:
    same = FakeEmbedder(8, model_id=OLD)
    use(same)
    table = table_of(home_path)
    table.adopt()
    signed = {"id": [row[0] for row in MEMORIES], "embedding_model": [OLD] * len(MEMORIES)}
    table.merge(pa.table(signed))
    (home_path / "sunrise.toml").write_text("[index]\nembed_rows = 4\n", encoding="utf-8")
    assert run_index(home_path).counts["unembedded"] == 2
    assert active_space(table.spaces()) is None
    assert ask(home_path, "green tea").receipt.dense_skipped is None
    assert run_index(home_path).counts["unembedded"] == 0
    assert active_space(table.spaces()) is not None


def test_two_runs_do_not_stage_at_once(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        home.ledger.acquire_lease("embed", run_id="the-other")
        receipt = run_index(home_path)
    assert (receipt.facts["embedding_left_to"], receipt.counts["embedded"]) == ("the-other", 0)
    assert receipt.status is RunStatus.OK
