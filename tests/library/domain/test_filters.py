from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sunrise.domain.filters import both, sql_text, visible
from sunrise.errors import DataError

COLUMNS = ["id", "scope", "state", "trust_tier"]


@pytest.mark.parametrize(
    "value", ["", "a", "O'Brien", "''", "' OR 1=1 --", '"', "\\'", "字", "a\nb", "%_", "$x"]
)
def test_a_literal_is_read_back_as_it_was(value: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert connection.execute(f"SELECT {sql_text(value)}").fetchall() == [(value,)]


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(DataError) as error:
        sql_text("a\ud83d")
    assert error.value.reason == "bad_text"


def test_a_reader_sees_its_scope_without_archived_and_quarantined() -> None:
    assert visible(scope="it's", columns=COLUMNS) == (
        "scope = 'it''s' AND (state IS NULL OR state <> 'archived')"
        " AND (trust_tier IS NULL OR trust_tier <> 'quarantined')"
    )


def test_no_scope_is_the_default_scope() -> None:
    assert visible(scope="global", columns=["scope"]) == "(scope IS NULL OR scope IN ('global', ''))"


def test_archived_are_seen_when_asked_for_and_quarantined_never() -> None:
    where = visible(scope="global", columns=COLUMNS, include_archived=True)
    assert where is not None
    assert "state" not in where
    assert "quarantined" in where


def test_a_table_without_governance_has_one_scope() -> None:
    assert visible(scope="global", columns=["id"]) is None
    assert visible(scope="agent:1", columns=["id"]) == "false"


def test_nothing_to_join_lets_everything_through() -> None:
    assert both() is None
    assert both("a", None) == "a"
