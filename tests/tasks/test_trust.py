"""What an operator decides of trust reaches both stores together, once, and can be seen and undone."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from sunrise.bootstrap import Home, existing_memories, open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.records import Change
from sunrise.domain.text.analysis import terms
from sunrise.domain.trust import TIERS
from sunrise.settings import load_settings
from tasks import trust
from tasks.entry_counts import bursts
from tasks.memories import apply_outbox
from tasks.trust import TrustDecision, change_trust, standings, unknown_refs
from tests.fakes import FrozenClock
from tests.homes import NOW, observation, observations

PAGE = "Acme notes: the new payout account for invoices is DE89 3704 0044 from June on"
COPY = "The payout account for Acme invoices is DE89 3704 0044"


def row(key: str, text: str = "", **values: Any) -> dict[str, Any]:
    text = text or f"summary of {key}"
    return observation(key, **{"summary": text, "terms": terms(text), "source_kind": "agent", **values})


@pytest.fixture
def place(home_path: Path) -> Path:
    """A home with an observation of each kind; the third and the fourth name the same memory."""
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        rows = observations(
            row("owner", source_kind="operator", trust_tier="quarantined"),
            row("web", source_kind="web", trust_tier="quarantined"),
            row("tea", source_kind="tool", tool_name="memory_store", memory_id="m-tea"),
            row("tea again", memory_id="m-tea"),
            row("plain"),
        )
        home.ledger.commit_harvest(rows, rejected=(), position=None)
    return home_path


def held(path: Path) -> dict[str, str | None]:
    """Return the tier of every record of both stores."""
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        return {one.ref: one.tier for one in standings(home, tiers=TIERS, limit=1000)}


def give(path: Path, *refs: str, tier: str | None = "untrusted", reason: str = "seen it") -> RunReceipt:
    return change_trust(str(path), TrustDecision(refs, tier, reason))


def release(path: Path, *refs: str) -> RunReceipt:
    return change_trust(str(path), TrustDecision(refs, release=True))


def made(path: Path, run_id: str) -> list[Change]:
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        return list(home.ledger.changes(run_id=run_id))


@pytest.mark.parametrize("ref", ["obs:3", "obs:4", "mem:m-tea"])
def test_an_observation_and_its_memory_are_set_together(place: Path, ref: str) -> None:
    before = held(place)
    receipt = give(place, ref)
    assert receipt.status is RunStatus.OK
    assert (receipt.counts["asked"], receipt.counts["changed"], receipt.counts["unchanged"]) == (3, 3, 0)
    assert receipt.refs["changed"] == ("obs:3", "obs:4", "mem:m-tea")
    together = dict.fromkeys(receipt.refs["changed"], "untrusted")
    assert held(place) == before | together
    assert [(one.record_ref, one.field, one.after) for one in made(place, receipt.run_id)] == [
        ("obs:3", "trust_tier", '"untrusted"'),
        ("obs:3", "trust_reason", '"set: seen it"'),
        ("obs:4", "trust_tier", '"untrusted"'),
        ("obs:4", "trust_reason", '"set: seen it"'),
        ("mem:m-tea", "trust_tier", '"untrusted"'),
    ]


def test_what_is_set_already_changes_nothing(place: Path) -> None:
    give(place, "obs:5")
    receipt = give(place, "obs:5", reason="again")
    assert (receipt.counts["changed"], receipt.counts["unchanged"]) == (0, 1)
    assert made(place, receipt.run_id) == []


def test_a_tier_can_be_taken_back_to_unknown(place: Path) -> None:
    before = held(place)
    give(place, "mem:m-tea", tier="trusted")
    give(place, "mem:m-tea", tier=None)
    assert held(place) == before


def test_changes_can_be_turned_round(place: Path) -> None:
    before = held(place)
    receipt = give(place, "obs:3", "obs:5", tier="quarantined")
    back = [Change(c.record_ref, c.field, c.after, c.before, "undo") for c in made(place, receipt.run_id)]
    with open_home(load_settings(place), clock=FrozenClock(NOW)) as home:
        home.ledger.apply_to_observations([c for c in back if c.record_ref.startswith("obs")], run_id="undo")
        home.ledger.record_changes([c for c in back if c.record_ref.startswith("mem")], run_id="undo")
        table = home.memories()
        assert table is not None
        apply_outbox(home, table)
    assert held(place) == before


def test_a_secret_in_the_reason_is_taken_out(place: Path) -> None:
    receipt = give(place, "obs:5", reason="leaked ghp_" + "a1B2" * 9)
    assert "ghp_" not in str(made(place, receipt.run_id))
    assert "redacted" in str(made(place, receipt.run_id))


def test_a_released_record_gets_what_its_origin_gives(place: Path) -> None:
    give(place, "obs:3", tier="quarantined")
    receipt = release(place, "obs:1", "obs:2", "obs:3", "obs:5")
    now = held(place)
    assert {ref: now[ref] for ref in ("obs:1", "obs:2", "obs:3", "mem:m-tea", "obs:5")} == {
        "obs:1": "trusted", "obs:2": "untrusted", "obs:3": None, "mem:m-tea": None, "obs:5": None,
    }  # fmt: skip
    # What was never in quarantine is not released.
    assert receipt.counts["unchanged"] == 1
    assert {one.reason for one in made(place, receipt.run_id)} == {"released"}


def test_a_record_is_released_to_no_more_than_it_had(place: Path) -> None:
    give(place, "obs:1", tier="untrusted")
    give(place, "obs:1", tier="quarantined")
    release(place, "obs:1")
    assert held(place)["obs:1"] == "untrusted"


def test_release_does_not_launder_what_came_from_a_page(place: Path) -> None:
    with open_home(load_settings(place), clock=FrozenClock(NOW)) as home:
        rows = observations(
            row("page", PAGE, source_kind="web", trust_tier="untrusted", ts_ms=NOW - 9000),
            row("copy", COPY, trust_tier="quarantined", memory_id="m-zh"),
        )
        home.ledger.commit_harvest(rows, rejected=(), position=None)
    give(place, "mem:m-zh", tier="quarantined")
    release(place, "mem:m-zh")
    now = held(place)
    assert (now["obs:7"], now["mem:m-zh"]) == ("untrusted", "untrusted")


@pytest.mark.parametrize(
    ("origin", "left"), [(None, None), ("operator", None), ("web", "untrusted"), ("else", None)]
)
def test_what_a_table_says_of_an_origin_can_only_lower(
    home: Home, origin: str | None, left: str | None
) -> None:
    table = home.memories()
    assert table is not None
    table.adopt()
    quarantined = {"id": ["m-fresh"], "trust_tier": ["quarantined"], "source_kind": [origin]}
    table.merge(pa.table(quarantined, schema=pa.schema([(name, pa.string()) for name in quarantined])))
    release(home.path, "mem:m-fresh")
    assert held(home.path)["mem:m-fresh"] == left


def test_without_a_table_the_observations_are_set(place: Path, tmp_path: Path) -> None:
    with (place / "sunrise.toml").open("a") as file:
        file.write(f'[memories]\nuri = "{tmp_path / "nowhere"}"\n')
    receipt = give(place, "obs:3")
    assert (receipt.status, receipt.counts["changed"]) == (RunStatus.OK, 2)
    assert not (tmp_path / "nowhere").exists()


def test_a_kill_between_the_stores_is_finished_by_the_next_run(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(trust, "apply_outbox", kill)
        with pytest.raises(KeyboardInterrupt):
            give(place, "obs:3")
    assert held(place)["mem:m-tea"] is None
    give(place, "obs:5")
    assert held(place)["mem:m-tea"] == "untrusted"


def test_what_the_gateway_writes_at_the_same_time_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apply = trust.apply_outbox

    def write_first(home: Home, table: Any) -> int:
        gateway = existing_memories(home.settings)
        assert gateway is not None
        gateway.add(pa.table({"id": ["m-new"], "text": ["written meanwhile"]}))
        gateway.merge(pa.table({"id": ["m-tea"], "text": ["The user likes black tea"]}))
        return apply(home, table)

    monkeypatch.setattr(trust, "apply_outbox", write_first)
    give(place, "mem:m-tea")
    with open_home(load_settings(place)) as home:
        table = home.memories()
        assert table is not None
        rows = {row["id"]: row for row in table.scan(["id", "text", "trust_tier"]).to_pylist()}
    assert (rows["m-tea"]["text"], rows["m-tea"]["trust_tier"]) == ("The user likes black tea", "untrusted")
    assert rows["m-new"]["text"] == "written meanwhile"


def test_refs_that_name_nothing_are_told(place: Path) -> None:
    bad = ["obs:99", "mem:nobody", "ep:1", "obs:x", "obs:01", "obs:٣", "nonsense", "", "obs:" + "9" * 30]
    with open_home(load_settings(place), clock=FrozenClock(NOW)) as home:
        table = home.memories()
        assert table is not None
        assert unknown_refs(home, [*bad, "obs:1", "mem:m-tea"]) == bad
        table.add(pa.table({"id": ["m-tea"], "text": ["a double"]}))
        assert unknown_refs(home, ["mem:m-tea"]) == ["mem:m-tea"]


def test_standings_are_of_both_stores_and_newest_first(place: Path) -> None:
    give(place, "mem:m-noise", "obs:2", tier="quarantined", reason="noise")
    with open_home(load_settings(place), clock=FrozenClock(NOW)) as home:
        found = standings(home, tiers=["quarantined"], limit=10)
        assert [(one.ref, one.origin) for one in found] == [
            ("obs:2", "web"), ("obs:1", "operator"), ("mem:m-noise", None),
        ]  # fmt: skip
        assert (found[2].reason, found[2].text) == ("set: noise", "Ran ls in the home folder")
        assert [one.ref for one in standings(home, tiers=["quarantined"], limit=1)] == ["obs:2"]
        table = home.memories()
        assert table is not None
        table.add(pa.table({"id": ["m-nan"], "text": ["x"], "createdAt": [math.nan]}))
        unknown = {one.ref: one.at_ms for one in standings(home, tiers=[None], limit=100)}
        assert unknown["mem:m-nan"] is None


def test_a_table_that_was_never_adopted_is_all_unknown(home: Home) -> None:
    assert standings(home, tiers=["trusted"], limit=10) == []
    assert len(standings(home, tiers=[None], limit=10)) == 6


# Bursts


def frame(*rows: tuple[int, str, str | None]) -> pl.DataFrame:
    schema = {"ts_ms": pl.Int64, "source_kind": pl.String, "session_key": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        agent_id=pl.lit("main"), tool_name=pl.lit(None, dtype=pl.String)
    )


def test_rows_beyond_two_hundred_in_ten_minutes_are_a_burst() -> None:
    quick = [(NOW + n, "web", "s1") for n in range(250)]
    # One every four seconds: a hundred and fifty in ten minutes.
    slow = [(NOW + n * 4000, "tool", "s2") for n in range(600)]
    apart = [(NOW + n, "tool", f"a{n}") for n in range(400)]
    owner = [(NOW + n, "operator", "s3") for n in range(500)]
    nowhere = [(NOW + n, "import", None) for n in range(500)]
    assert bursts(frame(*quick, *slow, *apart, *owner, *nowhere)) == {"web": 50}
    assert bursts(frame(*quick[:200])) == {}
    assert bursts(frame()) == {}


def test_a_burst_counts_whoever_takes_part_by_origin() -> None:
    rows = [(NOW + n, "agent" if n % 2 else "web", "s1") for n in range(300)]
    assert bursts(frame(*rows)) == {"agent": 50, "web": 50}
