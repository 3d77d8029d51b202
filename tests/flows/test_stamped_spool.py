"""The files of events that came by HTTP: rotated, read in a process, swept and erased as all of the spool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sunrise
from flows.harvest import harvest
from flows.sweep import sweep
from sunrise.adapters.capture_jsonl import CaptureFile, capture_batches
from sunrise.adapters.capture_process import batches_from_process
from sunrise.adapters.spool_files import came_by_http, is_spooled, is_stamped, spool_files
from sunrise.adapters.spool_writer import SpoolWriter
from sunrise.bootstrap import open_home
from sunrise.domain.capture_stamp import stamp_of
from sunrise.domain.receipts import RunReceipt
from sunrise.settings import load_settings
from tests.fakes import FrozenClock
from tests.homes import NOW, run_body, write_captures

SECRET = "ghp_" + "a1B2" * 9
STAMP = stamp_of(caller="agent", scope="ops", highest_origin="agent", at_ms=NOW)


@pytest.fixture
def folder(home_path: Path) -> Path:
    """The folder of stamped lines of a home with nothing else in its spool."""
    (home_path / "spool" / "agent.jsonl").unlink()
    return home_path / "spool" / "http"


def stamped(text: str, **event: Any) -> dict[str, Any]:
    return {"stamp": STAMP, "event": {"event_id": text[:12], "ts": NOW, "text": text, **event}}


def harvested(home_path: Path) -> RunReceipt:
    return run_body(home_path, harvest, flow="harvest")


def summaries(home_path: Path) -> list[str]:
    with open_home(load_settings(home_path), clock=FrozenClock(NOW)) as home:
        rows = home.ledger.rows_to_judge(after_id=0, since_ms=0, limit=1000)
    return [str(text) for text in rows.column("summary").to_pylist()]


def test_a_full_file_is_rotated_and_nothing_is_lost_or_read_as_two(home_path: Path, folder: Path) -> None:
    writer = SpoolWriter(folder, max_bytes=1500, clock=FrozenClock(NOW))
    texts = [f"{number} of the {colour} boxes" for number, colour in enumerate(("red", "blue", "grey") * 4)]
    for number, text in enumerate(texts):
        writer.append([{"event_id": f"e{number}", "text": text}], stamps=[STAMP])
        if number == 4:
            assert harvested(home_path).counts["inserted"] == 5
    assert len(list(folder.glob("events*.jsonl"))) > 1
    counts = harvested(home_path).counts
    assert counts["inserted"] + counts["collapsed"] == 7
    assert counts["quarantined"] == 0
    assert set(summaries(home_path)) <= set(texts)
    assert harvested(home_path).counts["seen"] == 0


def test_a_secret_is_blanked_where_it_was_read_and_the_stamp_stays(home_path: Path, folder: Path) -> None:
    write_captures(
        folder / "events.jsonl", [stamped(f"the key is {SECRET}"), stamped("the attic has a hatch")]
    )
    before = (folder / "events.jsonl").stat().st_size
    receipt = harvested(home_path)
    text = (folder / "events.jsonl").read_text()
    assert (receipt.counts["redacted"], receipt.counts["scrubbed"], SECRET in text) == (1, 1, False)
    assert (folder / "events.jsonl").stat().st_size == before
    assert [json.loads(line)["stamp"] for line in text.splitlines()] == [STAMP, STAMP]
    assert harvested(home_path).counts["seen"] == 0


def test_a_sweep_reaches_what_nobody_has_read_yet(home_path: Path, folder: Path) -> None:
    write_captures(folder / "events.jsonl", [stamped(f"the key is {SECRET}")])
    receipt = run_body(home_path, sweep, flow="sweep")
    assert receipt.refs["spool_scrubbed"] == ("spool/http/events.jsonl",)
    assert SECRET not in (folder / "events.jsonl").read_text()
    assert harvested(home_path).counts["inserted"] == 1


def test_an_erased_text_is_gone_from_there(home_path: Path, folder: Path) -> None:
    said = "The gate code lies in the blue drawer"
    with sunrise.open(home_path) as memories:
        memories.store(said, id="gate", scope="ops")
        write_captures(folder / "events.jsonl", [stamped(said), stamped("the attic has a hatch")])
        done = memories.erase("gate")
    assert done.erasure is not None
    assert (done.erasure.complete, done.erasure.still_holds) == (True, ())
    text = (folder / "events.jsonl").read_text()
    assert ("blue drawer" in text, "attic" in text) == (False, True)


def test_read_in_a_process_of_its_own_it_is_the_same(home_path: Path, folder: Path) -> None:
    lines = [stamped(f"box {number}", source_kind="operator") for number in range(300)]
    write_captures(folder / "events.jsonl", [*lines, {"text": "no stamp"}])
    path, asked = folder / "events.jsonl", {"source": "s", "position": None, "now_ms": NOW}
    (here,) = capture_batches(path, limits=None, **asked)
    (there,) = batches_from_process(path, limits=None, **asked)
    assert here.origin_not_believed == there.origin_not_believed == 300
    assert (
        [one.reason for one in here.rejected] == [one.reason for one in there.rejected] == ["no_valid_stamp"]
    )
    assert here.rows.equals(there.rows.select(here.rows.column_names))
    assert set(here.rows.column("scope").to_pylist()) == {"ops"}
    # A refused line is read again with its stamp as well.
    again = CaptureFile(path, limits=None).retry("0", now_ms=NOW)
    assert again is not None
    assert again.rows.column("source_kind").to_pylist() == ["agent"]


def test_which_files_are_the_spools_and_which_came_by_http(tmp_path: Path) -> None:
    names = {"agent.jsonl": "", "service.jsonl": "http", "service.20261118T110640Z-2.jsonl": "http",
             "services.jsonl": "", "http/events.jsonl": "stamped"}  # fmt: skip
    for name in names:
        write_captures(tmp_path / "spool" / name, [])
    write_captures(tmp_path / "spool" / "deeper" / "a.jsonl", [])
    found = {str(path.relative_to(tmp_path / "spool")): path for path in spool_files(tmp_path)}
    assert set(found) == set(names)
    assert all(is_spooled(tmp_path, path) for path in found.values())
    kinds = {"http": (True, False), "stamped": (True, True), "": (False, False)}
    for name, path in found.items():
        assert (came_by_http(tmp_path, path), is_stamped(tmp_path, path)) == kinds[names[name]]
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "spool" / "http" / "events.jsonl")
    assert (is_stamped(tmp_path, link), is_spooled(tmp_path, link)) == (True, False)
    # What lies in the folder is read with stamps, wherever a link leads.
    within = tmp_path / "spool" / "http" / "link.jsonl"
    within.symlink_to(tmp_path / "spool" / "agent.jsonl")
    assert is_stamped(tmp_path, within)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert not came_by_http(tmp_path, tmp_path / "circle")
