from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.lifecycle import lifecycle
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.use import Served
from sunrise.settings import load_settings
from tasks.lifecycle import memory_standings
from tests.fakes import FakeMemoryTable, FrozenClock
from tests.homes import NOW, observation, observations, position, run_body

OLD = NOW - 100 * DAY_MS
RECENT = NOW - 5 * DAY_MS

# key, values, last use, verdict: the ledger's half of a table worked by hand
OBSERVED: list[tuple[str, dict[str, Any], int | None, str]] = [
    ("p2-old", {"ts_ms": OLD, "importance_label": "ignore"}, None, "archived"),
    (
        "p1-old",
        {
            "ts_ms": OLD,
            "created_at_ms": OLD,
            "kind": "decision",
            "importance_label": "nice_to_have",
            "memory_id": "m-gone",
        },
        None,
        "archived",
    ),
    ("p2-used", {"ts_ms": OLD, "importance_label": "ignore"}, RECENT, "recent_use"),
    ("p2-young", {"ts_ms": RECENT, "importance_label": "ignore"}, None, "young"),
    (
        "p1-young",
        {"ts_ms": NOW - 60 * DAY_MS, "kind": "fact", "importance_label": "ignore"},
        None,
        "young",
    ),
    (
        "p0",
        {
            "ts_ms": OLD,
            "importance_label": "ignore",
            "detail_json": '{"lifecycle": {"priority": "P0"}}',
        },
        None,
        "p0",
    ),
    ("must", {"ts_ms": OLD, "importance_label": "must_remember"}, None, "must_remember"),
    ("ungraded", {"ts_ms": OLD}, None, "ungraded"),
]
# The memories' half, with the labels that follow from the plugin's scores: m-backup 0.9 must_remember;
# m-noise 0.2, other, 40 days: archived; m-fresh young; m-tea 0.6, preference, 100 days: archived;
# m-zh and m-plain are facts of 10 and 5 days: young.


@pytest.fixture
def filled(home_path: Path, clock: FrozenClock) -> Path:
    with open_home(load_settings(home_path), clock=clock) as home:
        rows = [observation(key, **values) for key, values, _, _ in OBSERVED]
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())
        home.ledger.note_served(Served(OLD))
        for row_id, (_, _, used, _) in enumerate(OBSERVED, start=1):
            if used is not None:
                use(home, f"obs:{row_id}", used)
    return home_path


def use(home: Home, ref: str, at_ms: int) -> None:
    home.ledger.note_served(Served(at_ms, (ref,)))


def test_a_memory_whose_time_is_over_is_archived_once(filled: Path) -> None:
    with open_home(load_settings(filled), clock=FrozenClock(NOW)) as home:
        table = home.memories()
        assert table is not None
        table.adopt()
        table.merge(pa.table({"id": ["m-fresh", "m-zh", "m-noise"], "expires_at_ms": [NOW, NOW + 1, NOW]}))
        receipt = go(filled)
        # m-noise goes for its age; m-zh has a moment left.
        assert (receipt.status, receipt.counts["expired"]) == (RunStatus.OK, 1)
        (row,) = table.by_ids(["m-fresh"], ["state", "archived_at_ms"]).to_pylist()
        assert row == {"state": "archived", "archived_at_ms": NOW}
        assert {one.reason for one in home.ledger.changes(run_id=receipt.run_id)} >= {"expired"}
        assert go(filled).counts["expired"] == 0


def go(path: Path, *, dry_run: bool = False, at: int = NOW) -> RunReceipt:
    return run_body(path, lifecycle, flow="lifecycle", dry_run=dry_run, clock=FrozenClock(at))


def states(path: Path) -> dict[str, str | None]:
    with open_home(load_settings(path)) as home:
        table = home.memories()
        assert table is not None
        found = {
            row["record_ref"]: row["state"]
            for row in home.ledger.lifecycle_rows().select(["record_ref", "state"]).to_pylist()
        }
        return found | {row["id"]: row.get("state") for row in table.scan(["id", "state"]).to_pylist()}


def test_the_table_worked_by_hand(filled: Path) -> None:
    receipt = go(filled)
    assert receipt.status is RunStatus.OK
    assert {name: receipt.counts[name] for name in ("seen", "archived", "revived", "protected")} == {
        "seen": 14, "archived": 4, "revived": 0, "protected": 10,
    }  # fmt: skip
    assert receipt.groups["archived_by_tier"] == {"P2": 2, "P1": 2}
    assert receipt.groups["archived_by_importance"] == {"ignore": 2, "nice_to_have": 2}
    assert receipt.groups["archived_by_reason"] == {"ignored_P2": 2, "unused_P1": 2}
    assert receipt.groups["protected_by_reason"] == {
        "recent_use": 1, "young": 5, "p0": 1, "must_remember": 2, "ungraded": 1,
    }  # fmt: skip
    now = states(filled)
    for row_id, (key, _, _, verdict) in enumerate(OBSERVED, start=1):
        assert now[f"obs:{row_id}"] == ("archived" if verdict == "archived" else "captured"), key
    assert {name for name in ("m-noise", "m-tea") if now[name] == "archived"} == {"m-noise", "m-tea"}
    assert [now[name] for name in ("m-backup", "m-fresh", "m-zh", "m-plain")] == [None] * 4
    assert receipt.facts["snapshot"].startswith("sunrise-20261118T110640")


def test_again_changes_nothing_and_takes_no_snapshot(filled: Path) -> None:
    first = go(filled)
    again = go(filled)
    assert (again.counts["archived"], again.counts["already_archived"]) == (0, 4)
    assert "snapshot" not in again.facts
    with open_home(load_settings(filled)) as home:
        # Two fields each of four records.
        assert len(home.ledger.changes(run_id=first.run_id)) == 8
        assert home.ledger.changes(run_id=again.run_id) == ()
        assert home.ledger.outbox() == ()


def test_a_dry_run_counts_the_same_and_hides_nothing(filled: Path) -> None:
    before = states(filled)
    receipt = go(filled, dry_run=True)
    assert receipt.counts["archived"] == 4
    assert states(filled) == before
    assert not (filled / "backups").exists()


def test_what_is_used_after_it_was_archived_comes_back(filled: Path) -> None:
    go(filled)
    with open_home(load_settings(filled)) as home:
        use(home, "obs:1", NOW + 1)
        use(home, "mem:m-tea", NOW + 1)
        use(home, "mem:m-noise", NOW)
    receipt = go(filled, at=NOW + DAY_MS)
    assert (receipt.counts["revived"], receipt.counts["already_archived"]) == (2, 2)
    now = states(filled)
    assert (now["obs:1"], now["m-tea"], now["m-noise"]) == ("active", "active", "archived")
    assert go(filled, at=NOW + DAY_MS).counts["revived"] == 0


def test_without_a_table_the_ledger_is_judged_alone(filled: Path, tmp_path: Path) -> None:
    with (filled / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{tmp_path / "nowhere"}"\n')
    receipt = go(filled)
    assert (receipt.counts["seen"], receipt.counts["archived"]) == (8, 2)


def test_a_memory_without_a_time_is_refused_not_archived(home: Home) -> None:
    table = FakeMemoryTable()
    table.add(
        pa.table(
            {
                "id": ["a", "b", None],
                "createdAt": [-1e300, float("nan"), 1.0],
                "category": [None, "fact", "fact"],
                "importance": [None, 0.9, 0.1],
            }
        )
    )
    rows = memory_standings(home, table).rows(named=True)
    assert [(r["record_ref"], r["kind"], r["created_ms"], r["importance_label"]) for r in rows] == [
        ("mem:a", "other", None, None), ("mem:b", "fact", None, "must_remember"),
    ]  # fmt: skip
