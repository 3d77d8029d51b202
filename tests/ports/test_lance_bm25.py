"""What a score of the real full-text index is made of: the calibration's idf must be that of the index."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from sunrise.adapters.calibration_figures import TermCounts
from sunrise.adapters.lance_memories import LanceMemories
from sunrise.domain.calibration import idf

K1, B = 1.2, 0.75


@pytest.fixture(scope="module")
def rows() -> list[str | None]:
    random = np.random.default_rng(1)
    texts: list[str | None] = [
        " ".join(f"w{word}" for word in random.zipf(1.5, length) if word < 40)
        for length in random.integers(1, 20, 200)
    ]
    return ["alone", "twice twice other", *texts, None, ""]


@pytest.fixture(scope="module")
def table(rows: list[str | None], tmp_path_factory: pytest.TempPathFactory) -> LanceMemories:
    made = LanceMemories.create(tmp_path_factory.mktemp("bm25"), dimension=2)
    made.add(pa.table({"id": [str(number) for number in range(len(rows))], "terms": rows}))
    made.build_missing_indices()
    return made


@pytest.mark.parametrize("term", ["alone", "twice", "w1", "w2", "w5", "w17"])
def test_a_score_is_the_idf_by_how_often_and_in_how_long_a_text(
    table: LanceMemories, rows: list[str | None], term: str
) -> None:
    documents = [Counter(row.split()) for row in rows if row]
    documents = [one for one in documents if one]
    mean_length = sum(one.total() for one in documents) / len(documents)
    telling = idf(sum(term in one for one in documents), len(documents))
    hits = table.search_terms(term, columns=["id"], where=None, limit=300).to_pylist()
    assert len(hits) == sum(term in one for one in documents)
    for hit in hits:
        found = Counter((rows[int(hit["id"])] or "").split())
        often, length = found[term], found.total() / mean_length
        expected = telling * often * (K1 + 1) / (often + K1 * (1 - B + B * length))
        assert hit["_score"] == pytest.approx(expected, rel=1e-4)


def test_the_counts_of_a_calibration_are_those_of_the_index(
    table: LanceMemories, rows: list[str | None]
) -> None:
    counts = TermCounts()
    for batch in table.batches(["terms", "no such column"]):
        counts.add(batch.column("terms"))
    found = counts.frequencies()
    assert found.documents == sum(bool((row or "").split()) for row in rows)
    for term in ("alone", "w1", "w2", "w5"):
        hits = table.search_terms(term, columns=["id"], where=None, limit=300)
        assert found.of(term) == hits.num_rows
