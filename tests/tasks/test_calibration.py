"""When the index flow calibrates, what it keeps, and what it does without a model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.bootstrap import open_home
from sunrise.domain.calibration import Calibration, note_of
from sunrise.domain.elsewhere import OTHER_MATTERS
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.vector_space import SpaceState, VectorSpace
from sunrise.settings import load_settings
from tasks.calibration import calibrate, stored_calibration
from tests.embedder_homes import (
    NEW,
    OLD,
    OLD_COLUMN,
    Configure,
    FussyEmbedder,
    embedders_to_choose,
    run_embed,
    run_index,
    table_of,
)
from tests.fakes import FakeEmbedder, FakeMemoryTable, FrozenClock
from tests.homes import NOW

SPACE = VectorSpace(OLD_COLUMN, OLD, 4, SpaceState.ACTIVE)
SIX = 6
"""What the plugin's table of the tests holds."""


@pytest.fixture
def use(home_path: Path) -> Iterator[Configure]:
    with embedders_to_choose(home_path) as configure:
        yield configure


def add(path: Path, count: int, *, start: int = 0) -> None:
    numbers = range(start, start + count)
    texts = [f"note {number} about tea" if number % 3 else f"第{number}則筆記" for number in numbers]
    table_of(path).add(pa.table({"id": [f"n{number}" for number in numbers], "text": texts}))


def kept(path: Path, *, space: VectorSpace = SPACE) -> Calibration | None:
    with open_home(load_settings(path)) as home:
        return stored_calibration(home, space, space.model_id)


def go(path: Path, *, later_ms: int = 0, dry_run: bool = False) -> RunReceipt:
    return run_index(path, clock=FrozenClock(NOW + later_ms), dry_run=dry_run)


def test_the_first_run_calibrates_and_the_second_keeps_it(home_path: Path, use: Configure) -> None:
    model = FussyEmbedder(4, model_id=OLD)
    use(model)
    add(home_path, 40)
    receipt = go(home_path)
    found = kept(home_path)
    assert found is not None
    assert (receipt.status, receipt.counts["calibrated"]) == (RunStatus.OK, 1)
    assert receipt.facts["calibration"] == found.id
    assert receipt.figures["cosine_deviation"] == found.cosine_deviation > 0
    assert (found.rows, found.sampled, found.created_ms) == (40 + SIX, 40 + SIX, NOW)
    assert found.questions is not None
    # Both kinds of notes hold a number each; "tea" stands in one of the plugin's memories too.
    assert (found.terms.documents, found.terms.of("note")) == (46, 26)
    assert found.terms.of("tea") == 27
    assert math.hypot(*found.documents.cjk) > 0
    asked = len(model.asked)
    again = go(home_path)
    assert "calibrated" not in again.counts
    assert again.facts["calibration"] == found.id
    assert len(model.asked) == asked


def test_growth_and_time_ask_for_another_without_asking_the_model_again(
    home_path: Path, use: Configure
) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    add(home_path, 44)
    go(home_path)
    first = kept(home_path)
    add(home_path, 4, start=44)
    assert "calibrated" not in go(home_path).counts
    model = FussyEmbedder(4, model_id=OLD)
    use(model)
    add(home_path, 1, start=48)
    assert go(home_path).counts["calibrated"] == 1
    # One list with the new memory, none with questions.
    assert model.asked == [1]
    second = kept(home_path)
    assert first is not None
    assert second is not None
    assert (first.rows, second.rows) == (50, 55)
    assert (second.questions, second.id == first.id) == (first.questions, False)
    week = 7 * DAY_MS
    assert "calibrated" not in go(home_path, later_ms=week - 1).counts
    assert go(home_path, later_ms=week).counts["calibrated"] == 1
    third = kept(home_path)
    assert third is not None
    # Of the same memories it is the same one, only newer.
    assert (third.id, third.created_ms) == (second.id, NOW + week)


def test_a_calibration_from_before_other_matters_is_made_anew_once(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    add(home_path, 40)
    go(home_path)
    whole = kept(home_path)
    assert whole is not None
    assert whole.elsewhere is not None
    yesterday = replace(whole, elsewhere=replace(whole.elsewhere, version="000000000000"))
    for before in (replace(whole, elsewhere=None), yesterday):
        with open_home(load_settings(home_path)) as home:
            home.ledger.put_note(note_of(OLD_COLUMN), json.dumps(before.to_dict()))
        assert go(home_path).counts["calibrated"] == 1
        assert kept(home_path) == whole
        assert "calibrated" not in go(home_path).counts


def test_too_few_texts_are_ranked_by_reference_texts(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    assert go(home_path).counts["calibrated"] == 1
    found = kept(home_path)
    assert found is not None
    assert (found.rows, found.sampled, found.model_id) == (0, len(OTHER_MATTERS), OLD)
    assert found.elsewhere is not None
    add(home_path, 10)
    # Asked once: a model may be a service that costs money.
    again = go(home_path)
    assert ("calibrated" in again.counts, again.facts["calibration"]) == (False, found.id)
    add(home_path, 40, start=10)
    # The home's own figures follow as soon as there are texts enough.
    assert go(home_path).counts["calibrated"] == 1
    own = kept(home_path)
    assert own is not None
    assert own.rows == 56


def test_without_a_model_there_is_no_calibration(home_path: Path) -> None:
    (home_path / "sunrise.toml").write_text('[embedder]\nname = "none"\n', encoding="utf-8")
    receipt = go(home_path)
    assert (receipt.status, receipt.facts["calibration"]) == (RunStatus.OK, "embedder_none")


def test_a_dry_run_measures_and_keeps_nothing(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    add(home_path, 40)
    go(home_path)
    before = kept(home_path)
    add(home_path, 20, start=40)
    assert go(home_path, dry_run=True).counts["calibrated"] == 1
    assert kept(home_path) == before


def test_a_model_that_is_down_leaves_the_memories_own_means(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    add(home_path, 40)
    go(home_path)
    with open_home(load_settings(home_path)) as home:
        home.ledger.put_note(note_of(OLD_COLUMN), "damaged")
    down = FussyEmbedder(4, model_id=OLD)
    down.is_down = True
    use(down)
    receipt = go(home_path)
    found = kept(home_path)
    assert found is not None
    assert (receipt.status, receipt.counts["calibrated"]) == (RunStatus.OK, 1)
    assert receipt.facts["calibration_questions"] == "embedder_failed"
    assert found.queries == found.documents
    assert found.elsewhere is None
    assert "calibrated" not in go(home_path).counts


def test_after_a_change_of_the_model_the_next_run_calibrates_its_column(
    home_path: Path, use: Configure
) -> None:
    old, new = FakeEmbedder(4, model_id=OLD), FakeEmbedder(8, model_id=NEW)
    use(old, new)
    add(home_path, 40)
    go(home_path)
    use(new, old)
    run_embed(home_path)
    assert go(home_path).counts["calibrated"] == 1
    active = next(one for one in table_of(home_path).spaces() if one.state is SpaceState.ACTIVE)
    found = kept(home_path, space=active)
    assert found is not None
    assert (found.model_id, len(found.documents.other)) == (NEW, 8)


def test_the_figures_do_not_depend_on_the_order_of_the_rows() -> None:
    model = FakeEmbedder(4, model_id=OLD)
    texts = [f"note {number} of {number % 7} things" for number in range(60)]
    tables = []
    for order in (range(60), reversed(range(60))):
        table = FakeMemoryTable(dimension=2)
        column = table.prepare_space(OLD, 4)
        numbers = list(order)
        chosen = [texts[number] for number in numbers]
        ids = [f"n{number}" for number in numbers]
        table.add(pa.table({"id": ids, "text": chosen, "terms": chosen}))
        table.write_vectors(column, ids, model.embed(chosen))
        tables.append(table)
    one, two = (calibrate(table, SPACE, OLD, rows=60, now_ms=0) for table in tables)
    assert one is not None
    assert one == two


def test_in_a_column_of_several_models_only_the_rows_of_one_are_measured() -> None:
    model = FakeEmbedder(8, model_id=OLD)
    texts = [f"note {number}" for number in range(70)]
    rows = pa.table(
        {
            "id": texts,
            "text": texts,
            "vector": pa.array(model.embed(texts).tolist(), pa.list_(pa.float32(), 8)),
            "embedding_model": [OLD if number % 2 else None for number in range(70)],
        }
    )
    table = FakeMemoryTable(dimension=8)
    table.add(rows)
    space = VectorSpace("vector", "", 8, SpaceState.LEGACY)
    found = calibrate(table, space, OLD, rows=70, now_ms=0)
    assert found is not None
    assert (found.sampled, found.model_id, found.terms.documents) == (35, OLD, 0)
    assert calibrate(table, space, NEW, rows=70, now_ms=0) is None


def test_what_is_kept_holds_no_text_of_a_memory(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    add(home_path, 40)
    go(home_path)
    with open_home(load_settings(home_path)) as home:
        text = home.ledger.get_note(note_of(OLD_COLUMN)) or ""
    assert json.loads(text)["sampled"] == 46
    assert not any(word in text for word in ("note 1", "about tea", "筆記", "green tea"))
