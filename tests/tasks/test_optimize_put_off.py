"""An optimize that another writer never lets through is put off, and the run goes on."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from sunrise.bootstrap import Home
from sunrise.domain.receipts import RunStatus
from sunrise.errors import ConflictError
from tasks.index import cover_written, optimize_if_due
from tests.fakes import FakeMemoryTable
from tests.homes import run_body


class Overtaken(FakeMemoryTable):
    """A table whose other writer is always quicker than what reads many rows to write them anew."""

    tries = 0

    def optimize(self, *, keep: timedelta) -> None:
        self.tries += 1
        raise ConflictError("another writer was quicker")


def overtaken(*, covered: int) -> Overtaken:
    table = Overtaken(pa.table({"id": [f"m{number}" for number in range(2_000)]}))
    table.indexed = {"id": covered}
    return table


def test_the_receipt_counts_what_was_put_off_and_the_run_is_well(home_path: Path) -> None:
    table = overtaken(covered=0)
    receipt = run_body(home_path, lambda run: optimize_if_due(run, table), flow="index")
    assert receipt.status is RunStatus.OK
    assert (receipt.counts["optimize_put_off"], "optimized" in receipt.counts) == (1, False)
    assert receipt.facts["optimized_because"] == "uncovered_rows"
    assert table.tries == 1


def test_what_was_written_back_waits_for_the_next_run(home: Home) -> None:
    table = overtaken(covered=1_999)
    cover_written(table, home)
    assert table.tries == 1
    assert table.indexed == {"id": 1_999}


@pytest.mark.parametrize(("scope", "terms", "left"), [(1_999, 1_999, 1_999), (1_000, 1_999, 2_000)])
def test_columns_are_indexed_anew_where_they_lack_more_than_rows_that_wait(
    home: Home, scope: int, terms: int, left: int
) -> None:
    table = overtaken(covered=2_000)
    table.indexed |= {"scope": scope, "terms": terms}
    cover_written(table, home)
    assert table.tries == 0
    assert table.indexed == {"id": 2_000, "scope": left, "terms": 1_999}
