"""Times of other programs, taken in by an import and by a harvest, and shown again in one form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from reports.formats import stamp
from sunrise.bootstrap import open_home
from sunrise.domain.turn_request import AutoRecallRequest
from sunrise.settings import load_settings
from tasks.harvest import read_sources
from tests.commands import typed
from tests.fakes import FrozenClock
from tests.flows.wild import opened, rows_of, spooled
from tests.homes import NOW, observation, observations
from tests.time_forms import AT, FIELDS, MIDNIGHT, NO_TIMES, TIMES

FIELD = Path(__file__).parents[3] / "shared/data/field"
CONFIG = 'timezone = "Asia/Taipei"\n[embedder]\nname = "none"\n'
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    (place / "sunrise.toml").write_text(CONFIG, encoding="utf-8")
    return place


@pytest.fixture
def sunrise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path) -> Command:
    return lambda *words: typed(monkeypatch, capsys, *words, "--home", str(home))


def given(name: str) -> Path:
    path = FIELD / name
    if not path.exists():
        pytest.skip(f"the shared data folder has no {name} here")
    return path


def imported(sunrise: Command, path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Import a file, and return the memories' times by id and the reasons of what was refused."""
    _, out, _ = sunrise("import", str(path), "--json")
    refused = json.loads(out)["groups"].get("refused_by_reason", {})
    _, out, _ = sunrise("list", "--limit", "200", "--json")
    times = {one["ref"].removeprefix("mem:"): one["created_at_ms"] for one in json.loads(out)["items"]}
    return times, refused


def harvested(home: Path, data: bytes) -> tuple[dict[str, int], list[str]]:
    """Harvest a capture file, and return the rows' times by summary and the reasons of what was refused."""
    spooled(home, "times.jsonl", data)
    with opened(home) as place:
        read_sources(place, dry_run=False)
        assert all(row["ts_flag"] in (None, "missing") for row in rows_of(place))
        times = {row["summary"]: row["ts_ms"] for row in rows_of(place) if row["ts_flag"] is None}
        return times, [one.reason for one in place.ledger.quarantined(limit=200)]


def lines(records: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_every_form_is_imported_right_or_refused_by_name(sunrise: Command, tmp_path: Path) -> None:
    forms = {name: value for name, (value, _) in (TIMES | NO_TIMES).items()}
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        lines(
            {"id": f"t{at}", "text": f"{name}, told {at} times", "createdAt": value}
            for at, (name, value) in enumerate(forms.items())
        )
    )
    times, refused = imported(sunrise, path)
    ids = {f"t{at}": name for at, name in enumerate(forms)}
    assert {ids[one]: ms for one, ms in times.items()} == {name: ms for name, (_, ms) in TIMES.items()}
    faults = [fault for _, fault in NO_TIMES.values()]
    assert refused == {f"bad_time.createdAt.{fault}": faults.count(fault) for fault in faults}


def test_every_form_is_harvested_right_or_refused_by_name(home: Path) -> None:
    forms = {name: value for name, (value, _) in (TIMES | NO_TIMES).items()}
    times, refused = harvested(
        home, lines({"summary": name, "ts": value, "kind": "note"} for name, value in forms.items())
    )
    assert times == {name: ms for name, (_, ms) in TIMES.items()}
    assert sorted(refused) == sorted(f"bad_time.ts.{fault}" for _, fault in NO_TIMES.values())


def test_every_name_of_the_field_is_read_at_both_doors(sunrise: Command, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        lines({"id": f"n{field}", "text": f"called {field}", field: 1_752_960_000} for field in FIELDS)
    )
    times, refused = imported(sunrise, path)
    assert (times, refused) == ({f"n{field}": AT for field in FIELDS}, {})
    records = ({"summary": f"called {field}", field: "2025-07-20 05:20"} for field in FIELDS)
    assert harvested(home, lines(records)) == ({f"called {field}": AT for field in FIELDS}, [])


def test_numbers_that_are_none_are_refused_at_both_doors(
    sunrise: Command, home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        b'{"id": "a", "text": "x", "createdAt": NaN}\n{"id": "b", "text": "y", "createdAt": 1e400}\n'
    )
    times, refused = imported(sunrise, path)
    assert times == {}
    assert refused == {"bad_time.createdAt.not_finite": 2}
    raw = b'{"summary": "x", "ts": NaN}\n{"summary": "y", "ts": 1e400}\n'
    assert harvested(home, raw)[1][-2:] == ["bad_time.ts.not_finite"] * 2


SHARED = {
    "t1": AT, "t2": AT + 250, "t3": AT, "t4": AT, "t5": 1_752_996_431_131, "t6": 1_752_942_431_000,
    "t7": MIDNIGHT, "t8": AT, "t9": 1_752_971_231_000, "t12": AT,
}  # fmt: skip
SHARED_REFUSED = ["bad_time.createdAt.negative", "bad_time.createdAt.not_a_time"]


def test_the_shared_file_of_times_is_imported(sunrise: Command) -> None:
    times, refused = imported(sunrise, given("06-import-shapes/times.jsonl"))
    assert times == SHARED
    assert refused == dict.fromkeys(SHARED_REFUSED, 1)


def test_the_shared_file_of_times_is_harvested(home: Path) -> None:
    raw = given("06-import-shapes/times.jsonl").read_bytes()
    names = {json.loads(line)["text"]: json.loads(line)["id"] for line in raw.splitlines()}
    times, refused = harvested(home, raw)
    assert {names[said]: ms for said, ms in times.items()} == SHARED
    assert sorted(refused) == SHARED_REFUSED


def test_the_shared_capture_is_harvested(home: Path) -> None:
    times, refused = harvested(home, given("10-capture-times/capture.jsonl").read_bytes())
    at = 1_785_400_000_000
    apart = {
        "float_sec": at + 250,
        "py_repr": at + 123,
        "iso_naive": at - 28_800_000,
        "date": 1_785_340_800_000,
    }
    apart["iso_space"] = apart["iso_naive"]
    found = {said.split(" called ")[1].split()[0]: ms for said, ms in times.items()}
    same = ("sec", "ms", "us", "ns", "iso_z", "iso_off", "iso_basic", "str_ms", "rfc2822")
    assert found == {**dict.fromkeys(same, at), **apart}
    assert refused == ["bad_time.ts.too_late"]


def test_one_memory_has_one_date_wherever_it_is_shown(sunrise: Command, home: Path, tmp_path: Path) -> None:
    night = 1_795_883_100_000
    shown = "2026-11-29 00:25 +08:00"
    path = tmp_path / "in.jsonl"
    said = {
        "id": "night-owl",
        "text": "Always feed the owl at night",
        "category": "decision",
        "scope": "global",
    }
    path.write_bytes(
        lines(
            iter([{**said, "importance": 0.9, "trust_tier": "trusted", "created_at": "2026-11-28T16:25:00Z"}])
        )
    )
    sunrise("import", str(path), "--trust")
    with open_home(load_settings(home), clock=FrozenClock(NOW)) as place:
        heard = observation("a", ts_ms=night, memory_id="night-owl", session_key="s", summary="feed the owl")
        place.ledger.commit_harvest(observations(heard), rejected=(), position=None)
        turn = place.auto_recall(AutoRecallRequest("How do I feed the owl at night?"))
    for words in (["recall", "feed the owl"], ["list"], ["get", "night-owl"], ["timeline", "night-owl"]):
        code, out, _ = sunrise(*words)
        assert (code, out.count(shown)) == (0, 1), words
    assert sunrise("export", "-", "--format", "markdown")[1].count(shown) == 1
    pinned = [line for line in turn.text.splitlines() if "mem:night-owl" in line]
    assert pinned
    assert all(f"|{shown}]" in line for line in pinned)
    answers = (["recall", "feed the owl", "--json"], ["list", "--json"], ["timeline", "night-owl", "--json"])
    assert [json.loads(sunrise(*words)[1])["items"][0]["date"] for words in answers] == [shown] * 3
    assert json.loads(sunrise("get", "night-owl", "--json")[1])["memory"]["date"] == shown
    assert stamp(night, zone="Asia/Taipei").text == shown
    assert load_settings(home).zone == ZoneInfo("Asia/Taipei")
