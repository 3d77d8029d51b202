"""Recall with a calibration: fused by score, gated by trust, with a floor, told in the receipt."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC
from threading import current_thread
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.cached_embedder import CachedEmbedder
from sunrise.adapters.calibration_figures import TermCounts, other_matters
from sunrise.adapters.embedders import NoEmbedder
from sunrise.adapters.memory_schema import memories_schema
from sunrise.domain.calibration import Calibration, LanguageMeans
from sunrise.domain.priors import RankingPolicy
from sunrise.domain.recall import RecallRequest, RecallResult
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.analysis import terms
from sunrise.domain.text.dated_terms import dated_terms
from sunrise.errors import StoreError
from sunrise.online.recall import recall
from sunrise.ports import Embedder
from tests.fakes import FakeEmbedder, FakeMemoryTable, FrozenClock

DIMENSION = 64
EMBEDDER = FakeEmbedder(DIMENSION)
ELSEWHERE = other_matters(EMBEDDER)
THE_FIFTH = 1_709_629_200_000
"""Of March 2024, nine o'clock in UTC."""

STRANGE = "Why do zebras have stripes?"
"""A question that is one of those elsewhere, with the words of no memory."""

FILLER = {f"f{number:02}": {"text": f"filler sentence about subject {number * 7919}"} for number in range(40)}


def table_of(texts: dict[str, dict[str, Any]], *, model: str = "fake/1") -> FakeMemoryTable:
    table = FakeMemoryTable(dimension=DIMENSION)
    said = {**FILLER, **texts}
    vectors = EMBEDDER.embed([row["text"] for row in said.values()])
    table.add(
        pa.Table.from_pylist(
            [
                {"id": name, "terms": terms(row["text"]), "vector": vector, "embedding_model": model, **row}
                for (name, row), vector in zip(said.items(), vectors, strict=True)
            ],
            schema=memories_schema(DIMENSION),
        )
    )
    table.build_missing_indices()
    return table


@pytest.mark.parametrize(
    "query", ["what about 5 March 2024", "2024年3月5日", "五日前", "in March", "三月", "yesterday"]
)
def test_a_day_finds_the_memories_of_it_by_words(query: str) -> None:
    # A week after, or the day after, the fifth of March.
    now = THE_FIFTH + (DAY_MS if query == "yesterday" else 5 * DAY_MS)
    said = "Tea was ordered"
    table = table_of(
        {
            name: {"text": said, "createdAt": float(at), "terms": dated_terms(said, at, UTC)}
            for name, at in {"then": THE_FIFTH, "long ago": THE_FIFTH - 90 * DAY_MS}.items()
        }
    )
    result = ask(table, query, embedder=NoEmbedder(), now_ms=now)
    assert [item.ref for item in result.items] == ["mem:then"]


def calibration_of(table: FakeMemoryTable, *, column: str = "vector") -> Calibration:
    counts = TermCounts()
    counts.add(table.rows.column("terms").combine_chunks())
    nothing = LanguageMeans((0.0,) * DIMENSION, (0.0,) * DIMENSION)
    return Calibration(
        model_id="fake/1",
        column=column,
        created_ms=0,
        rows=table.rows.num_rows,
        sampled=40,
        documents=nothing,
        questions=None,
        cosine_mean=0.0,
        cosine_deviation=0.2,
        terms=counts.frequencies(),
        elsewhere=ELSEWHERE,
    )


def ask(table: FakeMemoryTable, query: str, *, embedder: Embedder = EMBEDDER, **more: Any) -> RecallResult:
    policy = more.pop("policy", RankingPolicy())
    calibration = more.pop("calibration", calibration_of(table))
    clock = FrozenClock(more.pop("now_ms", 77))
    return recall(
        RecallRequest(query, **more),
        memories=table,
        embedder=embedder,
        clock=clock,
        calibration=calibration,
        policy=policy,
    )


def refs(result: RecallResult) -> list[str]:
    return [item.ref for item in result.items]


TEA = {"tea": {"text": "green tea in the morning"}, "cup": {"text": "a cup of tea"}}


def test_scores_are_fused_and_the_receipt_names_the_calibration() -> None:
    table = table_of(TEA)
    result = ask(table, "green tea", verbosity="high")
    assert refs(result)[:2] == ["mem:tea", "mem:cup"]
    told = result.receipt.to_dict()
    assert (told["fusion"], told["calibrationId"]) == ("calibrated", calibration_of(table).id)
    first = told["whyTheseIds"][0]
    assert (first["ref"], first["tier"], first["why"]) == ("mem:tea", "unknown", ["words", "meaning"])
    parts = first["components"]
    # Both words stand there: meaning counts half of 0.35.
    assert parts["lexical"] == pytest.approx(1.0, abs=0.01)
    assert parts["relevance"] == pytest.approx(0.175 * parts["dense"] + 0.825 * parts["lexical"], abs=0.005)
    assert first["score"] == pytest.approx(parts["relevance"] * 0.85, abs=1e-5)
    assert "calibrated" in told["whySummary"]


def test_what_was_said_beside_an_answer_comes_along_and_the_receipt_says_so() -> None:
    said = {
        "asked": {"text": "which tea is the green one", "createdAt": 1000.0},
        "told": {"text": "the tin on the left", "createdAt": 2000.0},
    }
    apart, beside = (
        table_of({name: {**row, "source_ref": source} for name, row in said.items()})
        for source in (None, "session:1")
    )
    assert "mem:told" not in refs(ask(apart, "green tea", limit=2))
    found = ask(beside, "green tea", limit=2, verbosity="high")
    assert refs(found) == ["mem:asked", "mem:told"]
    first, second = (one["components"] for one in found.receipt.to_dict()["whyTheseIds"])
    own = first["relevance"] - first["beside"]
    assert second["beside"] == pytest.approx(0.4 * own, abs=1e-5)


def test_a_low_receipt_leaves_the_components_out_and_neither_holds_a_text() -> None:
    table = table_of(TEA)
    low, high = (ask(table, "green tea", verbosity=one).receipt.to_dict() for one in ("low", "high"))
    assert "components" not in low["whyTheseIds"][0]
    assert not any(word in json.dumps([low, high]) for word in ("green", "morning", "filler"))


def test_without_a_calibration_of_these_vectors_ranks_are_added() -> None:
    table = table_of(TEA)
    other = calibration_of(table, column="vector_of_another_model")
    for calibration in (None, other):
        receipt = ask(table, "green tea", calibration=calibration).receipt
        assert (receipt.fusion, receipt.calibration_id) == ("rrf", None)


def test_the_same_question_has_the_same_receipt_apart_from_its_times_whatever_came_first() -> None:
    one = ask(table_of(TEA), "green tea").receipt.to_dict()
    other = ask(table_of(dict(reversed(TEA.items()))), "green tea").receipt.to_dict()
    assert one.pop("latencyMs").keys() == other.pop("latencyMs").keys()
    assert one == other


def test_untrusted_memories_come_only_where_there_would_be_no_answer_without_them() -> None:
    web = {"web": {"text": "green tea is drunk in Kyoto", "trust_tier": "untrusted"}}
    without = ask(table_of(TEA | web), "green tea Kyoto")
    assert "mem:web" not in refs(without)
    assert not without.receipt.with_untrusted
    only = table_of(web)
    only.merge(pa.table({"id": list(FILLER), "scope": ["elsewhere"] * len(FILLER)}))
    result = ask(only, "green tea Kyoto")
    assert (refs(result), result.receipt.with_untrusted) == (["mem:web"], True)


def test_where_nothing_fits_nothing_is_returned_and_the_receipt_says_so() -> None:
    table = table_of(TEA)
    result = ask(table, STRANGE)
    assert (result.items, result.receipt.reason) == ((), "below_floor")
    assert set(result.receipt.rejected_by_reason) == {"below_floor"}
    assert ask(table, STRANGE, policy=RankingPolicy(has_floor=False)).items


def test_a_calibration_from_before_other_matters_has_no_floor() -> None:
    table = table_of(TEA)
    before = replace(calibration_of(table), elsewhere=None)
    result = ask(table, STRANGE, calibration=before)
    assert result.items
    assert result.receipt.reason is None


def test_the_weight_of_meaning_is_that_of_the_policy_else_that_of_the_model() -> None:
    table = table_of(TEA)

    def weight(policy: RankingPolicy) -> float:
        result = ask(table, "green tea", verbosity="high", policy=policy)
        parts = result.receipt.scores[0].components
        beside = (parts["relevance"] - parts["lexical"]) / (parts["dense"] - parts["lexical"])
        return beside / (1 - parts["lexical"] ** 4 / 2)

    assert weight(RankingPolicy()) == pytest.approx(0.35, abs=1e-4)
    assert weight(RankingPolicy(dense_weight=0.6)) == pytest.approx(0.6, abs=1e-4)


def test_words_alone_are_scored_by_words_and_have_no_floor() -> None:
    table = table_of(TEA)
    result = ask(table, "green anything at all", embedder=NoEmbedder())
    assert refs(result) == ["mem:tea"]
    assert result.receipt.fusion == "calibrated"
    assert result.receipt.warnings == ()


def test_a_hit_by_words_whose_vector_is_of_another_model_has_no_dense_score() -> None:
    table = table_of(TEA)
    table.merge(pa.table({"id": ["tea"], "embedding_model": ["fake/2"]}))
    result = ask(table, "green tea", verbosity="high")
    found = {one.ref: one.components for one in result.receipt.scores}
    assert "dense" not in found["mem:tea"]
    assert "dense" in found["mem:cup"]


class Sleeping(FakeEmbedder):
    """Never answers in the time of a test."""

    def embed(self, texts: Any) -> np.ndarray:
        import time

        time.sleep(0.3)
        return super().embed(texts)


def test_nobody_waits_for_a_slow_embedder() -> None:
    result = ask(
        table_of(TEA), "green tea", embedder=Sleeping(DIMENSION), policy=RankingPolicy(embed_timeout_s=0.02)
    )
    assert result.receipt.dense_skipped == "embedder_slow"
    assert result.receipt.warnings == ("dense_skipped:embedder_slow",)
    assert refs(result)[0] == "mem:tea"


def test_a_question_is_embedded_once() -> None:
    class Counting(FakeEmbedder):
        asked = 0

        def embed(self, texts: Any) -> np.ndarray:
            self.asked += 1
            return super().embed(texts)

    table, counting = table_of(TEA), Counting(DIMENSION)
    embedder = CachedEmbedder(counting)
    assert refs(ask(table, "green tea", embedder=embedder)) == refs(
        ask(table, "green tea", embedder=embedder)
    )
    assert counting.asked == 1
    for number in range(300):
        ask(table, f"tea {number}", embedder=embedder)
    ask(table, "green tea", embedder=embedder)
    assert counting.asked == 302


def test_of_hundreds_of_words_the_rarest_are_asked() -> None:
    table = table_of(TEA)
    query = "green " + " ".join(f"filler sentence subject word{number}" for number in range(100)) + " morning"
    result = ask(table, query)
    assert result.receipt.query_terms == 64
    assert ask(table, query, calibration=None).receipt.query_terms == 64


def test_a_memory_of_the_day_that_is_asked_for_is_lifted() -> None:
    same = {"a": {"text": "tea with Ann", "createdAt": 0.0}, "b": {"text": "tea with Bob", "createdAt": -2e8}}
    result = ask(table_of(same), "tea today", verbosity="high")
    why = {one.ref: one.why for one in result.receipt.scores}
    assert "in_asked_time" in why["mem:a"]
    assert "in_asked_time" not in why["mem:b"]


def test_a_leg_that_breaks_in_an_unforeseen_way_is_not_swallowed() -> None:
    class Odd(FakeMemoryTable):
        def search_terms(self, *_: Any, **__: Any) -> pa.Table:
            raise ZeroDivisionError

    odd = Odd(table_of(TEA).rows)
    odd.build_missing_indices()
    with pytest.raises(ZeroDivisionError):
        ask(odd, "green tea")


def test_a_store_that_is_gone_is_told() -> None:
    class Gone(FakeMemoryTable):
        def schema(self) -> pa.Schema:
            raise StoreError("disk gone")

    receipt = ask(Gone(table_of(TEA).rows), "green tea").receipt
    assert (receipt.reason, receipt.fusion) == ("store_failed", None)


def test_what_a_newer_memory_replaces_comes_behind_it_and_is_said_to_be() -> None:
    table = table_of(
        {
            "old": {"text": "The harbour office listens on port 5432", "createdAt": float(THE_FIFTH)},
            "new": {
                "text": "As of today the harbour office of the town listens on port 6543 and on no other",
                "createdAt": float(THE_FIFTH + DAY_MS),
            },
        }
    )
    result = ask(table, "harbour office port 5432", limit=2)
    assert refs(result) == ["mem:new", "mem:old"]
    assert [[code for code in one.why if "replaced" in code] for one in result.receipt.scores] == [
        [],
        ["replaced_by mem:new"],
    ]


class Near(FakeEmbedder):
    """A model that is at hand; it knows in which threads it was asked."""

    is_at_hand = True

    def __init__(self) -> None:
        super().__init__(DIMENSION)
        self.threads: set[str] = set()

    def embed(self, texts: Any) -> np.ndarray:
        self.threads.add(current_thread().name)
        return super().embed(texts)


@pytest.mark.parametrize("query", ["harbour office port", "filler sentence about subject 7919", "museum", ""])
def test_whoever_searches_and_asks_the_model_the_answer_is_the_same(query: str) -> None:
    table = table_of(
        {"a": {"text": "The harbour office listens on port 5432", "createdAt": float(THE_FIFTH)}}
    )
    at_once = ask(table, query)
    table.in_memory = True
    for embedder in (FakeEmbedder(DIMENSION), Near()):
        in_turn = ask(table, query, embedder=embedder)
        assert in_turn.items == at_once.items
        assert replace(in_turn.receipt, latency_ms={}) == replace(at_once.receipt, latency_ms={})


@pytest.mark.parametrize(("in_memory", "asked_in"), [(True, {"MainThread"}), (False, {"sunrise-meaning"})])
def test_a_model_at_hand_is_asked_by_the_caller_where_rows_are_in_memory(
    in_memory: bool, asked_in: set[str]
) -> None:
    table, embedder = table_of(TEA), Near()
    table.in_memory = in_memory
    assert refs(ask(table, "green tea", embedder=embedder))[0] == "mem:tea"
    assert embedder.threads == asked_in


def test_a_model_at_hand_that_breaks_leaves_the_words() -> None:
    class Breaking(Near):
        def embed(self, texts: Any) -> np.ndarray:
            raise RuntimeError("no")

    table = table_of(TEA)
    table.in_memory = True
    result = ask(table, "green tea", embedder=Breaking())
    assert (refs(result)[0], result.receipt.dense_skipped) == ("mem:tea", "embedder_failed")
