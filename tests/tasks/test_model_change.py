"""A change of the model never mixes two, answers throughout, and loses nothing to a text or an embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sunrise import bootstrap
from sunrise.adapters import embedders
from sunrise.bootstrap import recall_embedder
from sunrise.domain.recall import RecallResult
from sunrise.domain.receipts import RunStatus
from sunrise.domain.vector_space import VectorSpace, active_space
from sunrise.errors import ConfigurationError, StoreError
from sunrise.ports import Embedder
from sunrise.settings import load_settings
from tasks import embedding
from tasks.run_frame import Run
from tasks.vectors import change_model
from tests.embedder_homes import (
    NAMES,
    NEW,
    NEW_COLUMN,
    OLD,
    OLD_COLUMN,
    Configure,
    FussyEmbedder,
    ask,
    codes,
    embedded,
    embedders_to_choose,
    made_by,
    parts,
    run_embed,
    run_index,
    table_of,
)
from tests.fakes import FakeEmbedder, FakeMemoryTable
from tests.homes import MEMORIES


@pytest.fixture
def use(home_path: Path) -> Iterator[Configure]:
    with embedders_to_choose(home_path) as configure:
        yield configure


def test_one_run_embeds_the_oldest_and_counts_the_rest(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    (home_path / "sunrise.toml").write_text("[index]\nembed_rows = 2\n", encoding="utf-8")
    receipt = run_index(home_path)
    assert (receipt.counts["embedded"], receipt.counts["unembedded"]) == (2, 4)
    assert sorted(embedded(home_path, OLD_COLUMN)) == ["m-backup", "m-tea"]
    assert ask(home_path, "green tea").receipt.vec_top[0] == "mem:m-tea"
    assert run_index(home_path).counts["unembedded"] == 2
    assert sorted(embedded(home_path, OLD_COLUMN)) == ["m-backup", "m-noise", "m-tea", "m-zh"]


def test_without_an_embedder_nothing_is_embedded(home_path: Path, use: Configure) -> None:
    use(embedders.NoEmbedder())
    receipt = run_index(home_path)
    assert (receipt.counts["embedded"], receipt.counts["unembedded"]) == (0, 0)
    skipped = run_embed(home_path)
    assert (skipped.status, skipped.reason) == (RunStatus.SKIPPED, "embedder_none")


def test_what_has_no_text_or_no_id_of_its_own_gets_no_vector(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    ids = ["twin", "twin", None, "blank", "null"]
    texts = ["one", "other", "no id", " \n", None]
    table_of(home_path).add(pa.table({"id": pa.array(ids, pa.string()), "text": texts}))
    receipt = run_embed(home_path)
    assert receipt.status is RunStatus.OK
    assert parts(receipt) == [11, 6, 0, 2, 3, 0]
    assert sorted(embedded(home_path, OLD_COLUMN)) == NAMES


def test_a_text_that_the_embedder_refuses_costs_no_other(home_path: Path, use: Configure) -> None:
    use(FussyEmbedder(4, model_id=OLD, refuses=[MEMORIES[1][1], MEMORIES[4][1]]))
    receipt = run_embed(home_path)
    assert receipt.status is RunStatus.ANOMALY
    assert codes(receipt) == ["texts_not_embedded"]
    assert parts(receipt) == [6, 4, 0, 0, 2, 0]
    assert sorted(receipt.refs["not_embedded"]) == ["mem:m-tea", "mem:m-zh"]
    assert sorted(embedded(home_path, OLD_COLUMN)) == ["m-backup", "m-fresh", "m-noise", "m-plain"]
    assert active_space(table_of(home_path).spaces()) is not None


def test_an_embedder_that_is_down_is_not_asked_for_each_text_and_changes_nothing(
    home_path: Path, use: Configure
) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    run_index(home_path)
    down = FussyEmbedder(6, model_id=NEW)
    down.is_down = True
    use(down, FakeEmbedder(4, model_id=OLD))
    receipt = run_embed(home_path)
    assert (receipt.status, codes(receipt)) == (RunStatus.ANOMALY, ["embedder_failed"])
    assert parts(receipt) == [6, 0, 0, 0, 6, 0]
    assert len(down.asked) < 6
    assert ask(home_path, "green tea").receipt.model_id == OLD
    down.is_down = False
    assert parts(run_embed(home_path)) == [6, 6, 0, 0, 0, 0]
    assert ask(home_path, "green tea").receipt.model_id == NEW


def test_an_embedder_that_cannot_be_built_stops_neither_index_nor_the_search_for_another(
    home_path: Path, use: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent() -> Embedder:
        raise ConfigurationError("the package is not installed")

    old = FakeEmbedder(4, model_id=OLD)
    use(old)
    run_embed(home_path)
    monkeypatch.setattr(embedders, "_BUILT_IN", {"use": absent, "other": lambda: old})
    bootstrap._embedder.cache_clear()
    receipt = run_index(home_path)
    assert (codes(receipt), receipt.counts["indices_built"]) == (["embedder_failed"], 1)
    assert bootstrap.embedder_of_model(OLD) is old
    assert bootstrap.embedder_of_model(NEW) is None


def test_where_the_table_cannot_be_read_recall_gets_the_embedder_of_the_settings(
    home_path: Path, use: Configure
) -> None:
    class Broken(FakeMemoryTable):
        def spaces(self) -> tuple[VectorSpace, ...]:
            raise StoreError("the disk is gone")

    wanted = FakeEmbedder(4, model_id=NEW)
    use(wanted)
    assert recall_embedder(load_settings(home_path), Broken()).model_id == wanted.model_id


def test_vectors_of_the_wrong_shape_or_not_finite_are_not_kept(home_path: Path, use: Configure) -> None:
    class Broken(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            vectors = super().embed(texts)
            vectors[[text == MEMORIES[0][1] for text in texts]] = np.nan
            vectors[[text == MEMORIES[1][1] for text in texts]] = 0
            return vectors if MEMORIES[2][1] not in texts else vectors[:, 1:]

    use(Broken(4, model_id=OLD))
    receipt = run_embed(home_path)
    assert parts(receipt) == [6, 3, 0, 0, 3, 0]
    assert sorted(receipt.refs["not_embedded"]) == ["mem:m-backup", "mem:m-noise", "mem:m-tea"]


def test_on_demand_the_vectors_are_looked_at_at_once(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    run_index(home_path)
    kind = pa.list_(pa.float32(), 4)
    table_of(home_path).merge(pa.table({"id": ["m-tea"], OLD_COLUMN: pa.array([[0, 0, 0, 0]], kind)}))
    receipt = run_embed(home_path)
    assert (parts(receipt), receipt.counts["vectors_bad"]) == ([6, 1, 5, 0, 0, 0], 1)
    assert embedded(home_path, OLD_COLUMN) == made_by(FakeEmbedder(4))


def test_a_change_of_the_model_never_mixes_two_and_answers_throughout(
    home_path: Path, use: Configure
) -> None:
    old, new = FakeEmbedder(4, model_id=OLD), FussyEmbedder(6, model_id=NEW)
    use(old)
    run_index(home_path)
    use(new, old)
    assert ask(home_path, "green tea").receipt.model_id == OLD

    pending = run_index(home_path)
    assert codes(pending) == ["model_change_pending"]
    table_of(home_path).add(pa.table({"id": ["late"], "text": ["black tea"]}))
    assert run_index(home_path).counts["embedded"] == 1
    assert new.asked == []

    answers: list[RecallResult] = []

    def asked_meanwhile(run: Run) -> None:
        real = run.step

        def step(do: Callable[..., object], *args: object, **kwargs: object) -> object:
            answers.append(ask(home_path, "green tea"))
            result = real(do, *args, **kwargs)
            answers.append(ask(home_path, "green tea"))
            return result

        run.step = step  # type: ignore[method-assign, assignment]
        change_model(run)

    receipt = run_embed(home_path, body=asked_meanwhile)
    assert (receipt.status, parts(receipt)) == (RunStatus.OK, [7, 7, 0, 0, 0, 0])
    assert (receipt.facts["model_before"], receipt.facts["model"]) == (OLD, NEW)
    assert receipt.counts["switched"] == 1
    models = [one.receipt.model_id for one in answers]
    assert models == sorted(models, key=[OLD, NEW].index)
    assert {OLD, NEW} == set(models)
    assert all(one.receipt.dense_skipped is None for one in answers)
    assert all(one.receipt.vec_top[0] == "mem:m-tea" for one in answers)
    assert not (home_path / "embedding").exists()
    assert set(embedded(home_path, NEW_COLUMN)) == {*NAMES, "late"}
    assert set(embedded(home_path, OLD_COLUMN)) == {*NAMES, "late"}


def test_embedding_again_changes_nothing(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    run_embed(home_path)
    version = table_of(home_path).newest_version()
    receipt = run_embed(home_path)
    assert (receipt.status, parts(receipt)) == (RunStatus.OK, [6, 0, 6, 0, 0, 0])
    assert receipt.counts["switched"] == 0
    assert table_of(home_path).newest_version() == version


def test_a_preview_estimates_and_writes_nothing(home_path: Path, use: Configure) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    version = table_of(home_path).newest_version()
    receipt = run_embed(home_path, dry_run=True)
    assert parts(receipt) == [6, 6, 0, 0, 0, 0]
    assert receipt.figures["texts_per_second"] > 0
    assert receipt.figures["estimated_seconds"] >= 0
    assert table_of(home_path).newest_version() == version
    run_embed(home_path)
    assert "estimated_seconds" not in run_embed(home_path, dry_run=True).figures


def test_a_preview_with_an_embedder_that_fails_says_so(home_path: Path, use: Configure) -> None:
    fussy = FussyEmbedder(4, model_id=OLD, refuses=[MEMORIES[0][1]])
    use(fussy)
    assert codes(run_embed(home_path, dry_run=True)) == []
    fussy.is_down = True
    assert codes(run_embed(home_path, dry_run=True)) == ["embedder_failed"]


def test_columns_that_no_longer_answer_are_dropped_on_demand(home_path: Path, use: Configure) -> None:
    old, new = FakeEmbedder(4, model_id=OLD), FakeEmbedder(6, model_id=NEW)
    use(old)
    run_embed(home_path)
    use(new, old)
    run_embed(home_path)
    receipt = run_embed(home_path, body=lambda run: change_model(run, drop_old=True))
    assert receipt.refs["columns_dropped"] == (OLD_COLUMN,)
    assert [one.column for one in table_of(home_path).spaces()] == ["vector", NEW_COLUMN]
    assert ask(home_path, "green tea").receipt.vec_top[0] == "mem:m-tea"


def test_where_no_embedder_makes_the_old_vectors_words_answer_until_the_switch(
    home_path: Path, use: Configure
) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    run_index(home_path)
    use(FakeEmbedder(4, model_id=NEW))
    result = ask(home_path, "green tea")
    assert result.receipt.dense_skipped == "no_vectors_of_model"
    assert result.items[0].ref == "mem:m-tea"
    receipt = run_index(home_path)
    assert (codes(receipt), receipt.counts["embedded"]) == (["model_change_pending"], 0)
    run_embed(home_path)
    assert ask(home_path, "green tea").receipt.dense_skipped is None


def test_a_text_that_changes_or_goes_meanwhile_is_no_error(
    home_path: Path, use: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(FakeEmbedder(4, model_id=OLD))
    real = embedding.merge_staged
    table = table_of(home_path)

    def changed_before(*args: object, **kwargs: object) -> int:
        table.merge(pa.table({"id": ["m-tea"], "text": ["The user likes coffee"]}))
        table._table.delete("id = 'm-zh'")  # type: ignore[attr-defined]
        return real(*args, **kwargs)  # type: ignore[arg-type]

    changed_before.__name__ = "merge_staged"
    monkeypatch.setattr("tasks.vectors.merge_staged", changed_before)
    receipt = run_embed(home_path)
    assert (receipt.status, parts(receipt)) == (RunStatus.OK, [6, 4, 0, 0, 0, 2])
    monkeypatch.undo()
    use(FakeEmbedder(4, model_id=OLD))
    assert run_index(home_path).counts["embedded"] == 1
    coffee = FakeEmbedder(4).embed(["The user likes coffee"])[0].tolist()
    assert embedded(home_path, OLD_COLUMN)["m-tea"] == pytest.approx(coffee, abs=1e-6)
