"""What the lifecycle spares, and the run that holds back what is too much until it is approved."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from flows.lifecycle import approve_archiving, lifecycle
from flows.undo import undo
from sunrise.bootstrap import Home, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.use import Served
from sunrise.domain.working_set import WorkingItem, WorkingSet, working_set_id
from sunrise.domain.working_set_sections import Section
from sunrise.settings import load_settings
from tasks import archiving
from tests.fakes import FrozenClock
from tests.homes import CONFIG, NOW, observation, observations, position, run_body

OLD = NOW - 200 * DAY_MS
Row = dict[str, Any]


def row(key: str, **values: Any) -> Row:
    """An observation that came here long ago, is worth keeping, and was never used."""
    kept = {"importance_label": "nice_to_have", "importance_score": 0.6, "ts_ms": OLD, "created_at_ms": OLD}
    # Of a memory: else no recall could have handed it out.
    return observation(key, **{**kept, "memory_id": f"memory-{key}", **values})


def ignored(key: str, **values: Any) -> Row:
    return row(key, **{"importance_label": "ignore", "importance_score": 0.05, **values})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A home without memories of its own yet."""
    root = tmp_path / "home"
    root.mkdir()
    (root / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    return root


def fill(path: Path, *rows: Row, served: int | None = OLD) -> None:
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        home.ledger.commit_harvest(observations(*rows), rejected=(), position=position())
        if served is not None:
            home.ledger.note_served(Served(served))


def go(path: Path, *, dry_run: bool = False, at: int = NOW) -> RunReceipt:
    return run_body(path, lifecycle, flow="lifecycle", dry_run=dry_run, clock=FrozenClock(at))


def approve(path: Path, run_id: str, *, dry_run: bool = False, at: int = NOW + DAY_MS) -> RunReceipt:
    body = partial(approve_archiving, approved=run_id)
    return run_body(path, body, flow="lifecycle", dry_run=dry_run, clock=FrozenClock(at))


def archived(path: Path) -> list[str]:
    with open_home(load_settings(path)) as home:
        rows = home.ledger.lifecycle_rows().to_pylist()
    return [one["record_ref"] for one in rows if one["state"] == "archived"]


def add_memories(home: Home, *rows: Row) -> None:
    table = home.memories()
    assert table is not None
    table.add(pa.Table.from_pylist(list(rows), schema=table.schema()))


def test_a_home_that_never_served_a_recall_archives_only_what_was_judged_to_be_ignored(path: Path) -> None:
    rows = (row("kept"), ignored("default", importance_score=0.3), ignored("weak", importance_score=0.45))
    fill(path, *rows, ignored("chatter"), served=None)
    receipt = go(path)
    assert archived(path) == ["obs:4"]
    assert receipt.groups["protected_by_reason"] == {"no_recall_yet": 2, "ungraded": 1}
    assert receipt.groups["archived_by_reason"] == {"ignored_P2": 1}
    # The label as it is stored is the scorer's, and stays.
    with open_home(load_settings(path)) as home:
        assert home.ledger.lifecycle_rows().to_pylist()[1]["importance_label"] == "ignore"


def test_the_clock_of_every_row_begins_with_the_first_recall(path: Path) -> None:
    fill(path, row("a"), served=NOW)
    assert go(path).groups["protected_by_reason"] == {"too_early": 1}
    assert go(path, at=NOW + 30 * DAY_MS - 1).counts["archived"] == 0
    assert go(path, at=NOW + 30 * DAY_MS).counts["archived"] == 1


def test_what_no_recall_can_hand_out_goes_only_if_it_was_judged_to_be_ignored(path: Path) -> None:
    fill(path, row("unlinked", memory_id=None), ignored("noise", memory_id=None), row("linked"))
    receipt = go(path)
    assert archived(path) == ["obs:2", "obs:3"]
    assert receipt.groups["protected_by_reason"] == {"not_recallable": 1}


def test_the_use_of_a_memory_is_that_of_the_observations_linked_to_it(path: Path) -> None:
    fill(path, row("asked"), row("idle"))
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        home.ledger.note_served(Served(NOW - DAY_MS, ("mem:memory-asked",)))
    assert go(path).groups["protected_by_reason"] == {"recent_use": 1}
    assert archived(path) == ["obs:2"]


def test_an_old_text_that_came_yesterday_has_had_one_day(path: Path) -> None:
    fill(path, row("a", created_at_ms=NOW - DAY_MS))
    assert go(path).groups["protected_by_reason"] == {"too_early": 1}


def test_an_imported_memory_has_had_no_day_before_its_import(path: Path) -> None:
    import sunrise

    with sunrise.open(path) as memories:
        line = {"id": "a", "text": "Tea", "createdAt": OLD, "importance": 0.6}
        memories.import_(json.dumps(line).encode())
        memories.home.ledger.note_served(Served(OLD))
    with open_home(load_settings(path)) as home:
        table = home.memories()
        assert table is not None
        (at_ms,) = table.scan(["updated_at_ms"]).column(0).to_pylist()
    assert go(path, at=at_ms + 30 * DAY_MS - 1).groups["protected_by_reason"] == {"too_early": 1}
    assert go(path, at=at_ms + 30 * DAY_MS).counts["archived"] == 1


def test_rules_pins_and_open_tasks_stay_and_are_counted_by_reason(path: Path) -> None:
    fill(
        path,
        ignored("todo", summary="TODO: renew the domain"),
        ignored("done", summary="TODO: renew the domain - done"),
        ignored("zh", summary="待辦：續約網域"),
        ignored("printed", kind="tool", tool_name="grep", summary="TODO: renew the domain"),
        ignored("foreign", summary="TODO: renew the domain", trust_tier="untrusted"),
        ignored("rule", kind="hard_rule"),
    )
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        known = {"createdAt": float(OLD), "importance": 0.1, "scope": "ops"}
        add_memories(
            home,
            {"id": "pin", "text": "Deploy with Nomad", **known},
            {"id": "rule", "text": "Never on a Friday", "category": "hard_constraint", **known},
            {"id": "task", "text": "Pay the rent", "category": "todo", **known},
            {"id": "plain", "text": "Looked at the weather", **known},
        )
        item = WorkingItem(section=Section.DECISIONS, ref="mem:pin", text="Deploy with Nomad")
        kept = json.dumps(WorkingSet(scope="ops", items=(item,)).to_dict())
        home.ledger.put_note(working_set_id("ops"), kept)
        home.ledger.put_note(working_set_id("broken"), "no JSON")
    receipt = go(path)
    assert receipt.groups["protected_by_reason"] == {"open_todo": 3, "hard_rule": 2, "pinned": 1}
    assert archived(path) == ["obs:2", "obs:4", "obs:5"]
    assert (receipt.status, receipt.counts["archived"]) == (RunStatus.OK, 4)


def too_many(path: Path) -> RunReceipt:
    """A home of 40 rows of which 6 would go: more than a tenth, and more than pass unchecked."""
    fill(path, *(ignored(f"i{n}") for n in range(4)), row("fact", kind="fact"), row("note"))
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        fresh = [row(f"r{n}", ts_ms=NOW) for n in range(34)]
        home.ledger.commit_harvest(observations(*fresh), rejected=(), position=position(2))
    return go(path)


def test_a_run_that_would_archive_too_much_archives_nothing_and_shows_what(path: Path) -> None:
    receipt = too_many(path)
    assert receipt.status is RunStatus.ANOMALY
    assert archived(path) == []
    assert receipt.adds_up
    assert (receipt.counts["seen"], receipt.counts["archived"], receipt.counts["withheld"]) == (40, 0, 6)
    assert receipt.groups["withheld_by_tier"] == {"P2": 5, "P1": 1}
    assert receipt.groups["withheld_by_importance"] == {"ignore": 4, "nice_to_have": 2}
    assert receipt.groups["withheld_by_reason"] == {"ignored_P2": 4, "unused_P1": 1, "unused_P2": 1}
    assert receipt.refs["withheld"] == tuple(f"obs:{n}" for n in range(1, 7))
    (anomaly,) = receipt.anomalies
    assert (anomaly.code, anomaly.count) == ("too_much_to_archive", 6)
    assert "6 of 40 active observations" in anomaly.message
    assert f"sunrise lifecycle approve {receipt.run_id}" in anomaly.message
    assert "snapshot" not in receipt.facts
    page = (path / "reports" / "runs" / f"{receipt.run_id}.html").read_text(encoding="utf-8")
    assert "Would be archived" in page
    assert "obs:6" in page


def test_what_is_approved_goes_and_can_be_taken_back(path: Path) -> None:
    held_back = too_many(path)
    assert go(path, at=NOW + 1).status is RunStatus.ANOMALY
    dry = approve(path, held_back.run_id, dry_run=True)
    assert (dry.counts["archived"], archived(path)) == (6, [])
    receipt = approve(path, held_back.run_id)
    assert (receipt.status, receipt.flow) == (RunStatus.OK, "lifecycle")
    assert archived(path) == [f"obs:{n}" for n in range(1, 7)]
    assert receipt.facts["approved"] == held_back.run_id
    assert receipt.facts["snapshot"].startswith("sunrise-")
    again = approve(path, held_back.run_id)
    assert (again.counts["archived"], again.counts["no_longer"]) == (0, 6)
    back = run_body(path, partial(undo, run_id=receipt.run_id), flow="undo")
    assert back.counts["restored"] == 12
    assert archived(path) == []


def test_only_what_was_shown_and_still_holds_is_archived_by_an_approval(path: Path) -> None:
    held_back = too_many(path)
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        home.ledger.note_served(Served(NOW, ("obs:1",)))
        late = observations(ignored("late"))
        home.ledger.commit_harvest(late, rejected=(), position=position(3))
    receipt = approve(path, held_back.run_id)
    assert (receipt.counts["seen"], receipt.counts["archived"], receipt.counts["no_longer"]) == (6, 5, 1)
    assert archived(path) == [f"obs:{n}" for n in range(2, 7)]


def test_a_dry_run_says_the_same_and_leaves_nothing_to_approve(path: Path) -> None:
    held_back = too_many(path)
    dry = go(path, dry_run=True, at=NOW + 1)
    assert (dry.counts, dry.groups) == (held_back.counts, held_back.groups)
    assert dry.status is RunStatus.ANOMALY
    assert "approve" not in dry.anomalies[0].message
    refused = approve(path, dry.run_id)
    assert (refused.status, refused.reason) == (RunStatus.FAILED, "nothing_to_approve")


def test_the_newest_previews_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving, "_PREVIEWS_KEPT", 2)
    first = too_many(path)
    others = [go(path, at=NOW + 1000 * day) for day in (1, 2)]
    assert approve(path, first.run_id).reason == "nothing_to_approve"
    assert approve(path, others[0].run_id).counts["archived"] == 6


def test_few_memories_are_not_hidden_behind_a_large_ledger(path: Path) -> None:
    fill(path, *(row(f"r{n}", ts_ms=NOW) for n in range(200)))
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        known = {"createdAt": float(OLD), "importance": 0.1}
        add_memories(home, *({"id": f"m{n}", "text": f"Saw {n} birds", **known} for n in range(6)))
    receipt = go(path)
    assert (receipt.status, receipt.counts["withheld"]) == (RunStatus.ANOMALY, 6)
    assert "6 of 6 active memories" in receipt.anomalies[0].message


def test_the_share_and_the_rows_that_pass_are_settings(path: Path) -> None:
    with (path / "sunrise.toml").open("a", encoding="utf-8") as file:
        file.write("[lifecycle]\nmax_archived_share = 0.2\n")
    assert too_many(path).counts["archived"] == 6


def test_what_was_used_comes_back_in_a_run_that_archives_nothing(path: Path) -> None:
    fill(path, ignored("used"), row("fresh", ts_ms=NOW))
    go(path)
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        home.ledger.note_served(Served(NOW + 1, ("obs:1",)))
        more = observations(*(ignored(f"m{n}") for n in range(9)))
        home.ledger.commit_harvest(more, rejected=(), position=position(4))
    receipt = go(path, at=NOW + 2)
    assert (receipt.counts["withheld"], receipt.counts["revived"]) == (9, 1)
    assert archived(path) == []
