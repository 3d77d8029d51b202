from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.retention import DAY_MS
from sunrise.domain.snapshots import (
    MAX_NOTE,
    SnapshotFault,
    SnapshotRetention,
    checked_name,
    expired,
    name_at,
    new_name,
    note_of,
)
from sunrise.errors import DataError

NOW = 1_795_000_000_000


@dataclass(frozen=True)
class Taken:
    reason: str
    created_ms: int


@pytest.mark.parametrize("name", ["a", "9", "A-b_c.d", "x" * 64, "before-the-move.2", "ends-", "ends_"])
def test_ascii_names_are_names(name: str) -> None:
    assert checked_name(name) == name == new_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "x" * 65, "備份", "café", "-a", ".a", "_a", "a b", "a/b", "..", "a..b", "a.", "a.lock",
     "a\n", "a\0", "a+b"],
)  # fmt: skip
def test_what_would_poison_tags_or_leave_the_folder_is_none(name: str) -> None:
    with pytest.raises(DataError) as error:
        checked_name(name)
    assert error.value.reason == SnapshotFault.BAD_NAME


@given(st.text(max_size=80))
def test_a_name_that_passes_is_ascii_and_one_part_of_a_path(name: str) -> None:
    try:
        checked_name(name)
    except DataError:
        return
    assert name.isascii()
    assert not set(name) & set("/\\ \n\0%:")
    assert not name.startswith(".")


def test_the_names_of_flows_are_given_by_nobody_else() -> None:
    assert checked_name("sunrise-20261118T110640-000")
    with pytest.raises(DataError, match="belong to the snapshots that flows take"):
        new_name("sunrise-mine")


def test_names_by_the_time_are_names_and_sort_as_the_time_does() -> None:
    names = [name_at(NOW + step, "before-restore") for step in (0, 1, 999, 1000, DAY_MS)]
    assert names[0] == "sunrise-20261118T110640-000"
    assert [checked_name(name) for name in names] == sorted(names)
    assert new_name(name_at(NOW, "manual")) == "manual-20261118T110640-000"


def test_a_note_is_one_short_line_without_secrets() -> None:
    assert note_of("  two\r\n\tlines \x1b[31m ") == "two lines [31m"
    assert note_of("token ghp_" + "a" * 36) != "token ghp_" + "a" * 36
    assert len(note_of("word " * 100)) <= MAX_NOTE


def test_the_newest_and_the_young_stay() -> None:
    retention = SnapshotRetention(keep=2, keep_days=3, keep_manual_days=100)
    taken = [Taken("daily", NOW - days * DAY_MS) for days in (0, 3, 3, 4, 5)]
    assert expired(taken, retention, now_ms=NOW) == taken[3:]
    assert expired(taken, retention, now_ms=NOW + 1) == taken[2:]
    assert expired(taken[3:], retention, now_ms=NOW) == []


def test_one_taken_by_hand_stays_by_its_age_alone_and_takes_no_place() -> None:
    retention = SnapshotRetention(keep=1, keep_days=0, keep_manual_days=10)
    young, at_the_end, old = (Taken("manual", NOW - days * DAY_MS) for days in (1, 10, 11))
    newest, next_one = Taken("daily", NOW - 2 * DAY_MS), Taken("before-lifecycle", NOW - 3 * DAY_MS)
    found = expired([young, newest, next_one, at_the_end, old], retention, now_ms=NOW)
    assert found == [next_one, old]
