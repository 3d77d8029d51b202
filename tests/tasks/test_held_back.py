"""Rows that were held back at entry: when the owner hears of it, and how they come back into use."""

from __future__ import annotations

import shlex
import sqlite3
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from flows.harvest import harvest
from flows.undo import undo
from sunrise.bootstrap import open_home
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.worth import Odds
from sunrise.domain.forget import Tombstone
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.errors import DataError
from sunrise.settings import load_settings
from tasks.harvest import complaints_of_held_back
from tasks.keeping import Harvested
from tasks.notification import message_for
from tasks.revive import WantedRows, held_back, revive_held_back
from tasks.row_worth import FEWEST_ROWS
from tests.fakes import FrozenClock
from tests.homes import NOW, run_body, write_captures


class Weigher:
    """Finds every row worthless that begins with "hold", and leaves the others to the rules."""

    rows_heard = FEWEST_ROWS

    def hear(self, rows: Sequence[Candidate]) -> None: ...

    def weigh(self, rows: Sequence[Candidate]) -> None: ...

    def odds(self, candidate: Candidate) -> Odds:
        return Odds(-9.0, -9.0) if candidate.text.startswith("hold") else Odds(0.5, 0.5)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tasks.admission.row_worth", lambda *_: Weigher())
    (tmp_path / "agent" / "memory").mkdir(parents=True)
    (tmp_path / "sunrise.toml").write_text(
        '[embedder]\nname = "none"\n'
        '[[sources]]\nkind = "capture"\npath = "said.jsonl"\nhighest_origin = "operator"\n'
        '[[sources]]\nkind = "markdown"\npath = "agent"\n'
    )
    return tmp_path


def harvested(home: Path, at_ms: int = NOW, **texts: Sequence[str]) -> RunReceipt:
    """Harvest new lines of each origin from the capture file."""
    lines = [
        {"ts": at_ms, "kind": "note", "source_kind": origin, "summary": text}
        for origin, said in texts.items()
        for text in said
    ]
    write_captures(home / "said.jsonl", lines, append=True)
    return run_body(home, harvest, flow="harvest", clock=FrozenClock(at_ms))


def texts_of(count: int, begins: str = "keep") -> list[str]:
    return [f"{begins} the box with number {number}" for number in range(count)]


def states(home: Path) -> Counter[str]:
    with open_home(load_settings(home)) as place:
        return Counter(place.ledger.lifecycle_rows().column("state").to_pylist())


def source(home: Path) -> str:
    return str(home / "said.jsonl")


def revived(home: Path, *, dry_run: bool = False, **wanted: str) -> RunReceipt:
    return revive_held_back(str(home), WantedRows(**wanted), dry_run=dry_run)


def test_more_than_a_tenth_of_a_sources_trusted_rows_is_an_anomaly(home: Path) -> None:
    receipt = harvested(home, operator=[*texts_of(36), *texts_of(5, "hold")], tool=texts_of(50, "hold it"))
    said = (
        f"{source(home)}: 5 of 41 trusted rows were held back at entry; bring them back with"
        f" `sunrise revive --source {shlex.quote(source(home))} --trust trusted`"
    )
    assert receipt.status is RunStatus.ANOMALY
    (anomaly,) = receipt.anomalies
    assert (anomaly.code, anomaly.message, anomaly.count) == ("trusted_rows_held_back", said, 5)
    assert receipt.groups["trusted_held_back_by_source"] == {source(home): 5}
    message = message_for(receipt)
    assert message is not None
    assert said in message[1]
    with open_home(load_settings(home)) as place:
        pages = [path.read_text() for path in place.reports.rglob("*.html")]
    assert any("5 of 41 trusted rows were held back" in page for page in pages)


@pytest.mark.parametrize(
    ("operator", "agent"),
    [
        # Exactly a tenth; too few for a sign; not trusted; known by their form.
        ([*texts_of(36), *texts_of(4, "hold")], []),
        ([*texts_of(2), *texts_of(2, "hold")], []),
        (texts_of(2), texts_of(30, "hold")),
        ([*texts_of(2), *("thanks", "ok", "go on", "good morning", "fair enough", "will do")], []),
    ],
)
def test_what_is_usual_is_no_anomaly(home: Path, operator: list[str], agent: list[str]) -> None:
    receipt = harvested(home, operator=operator, agent=agent)
    assert receipt.status is RunStatus.OK
    assert states(home)["archived"] > 0


def test_each_source_is_looked_at_by_itself() -> None:
    found = Harvested(
        trusted_by_source=Counter({"/a b.jsonl": 20, "/c.jsonl": 400}),
        held_back_by_source=Counter({"/a b.jsonl": 3, "/c.jsonl": 30}),
    )
    ((said, rows),) = complaints_of_held_back(found)
    assert rows == 3
    assert said.startswith("/a b.jsonl: 3 of 20 trusted rows")
    assert said.endswith("`sunrise revive --source '/a b.jsonl' --trust trusted`")


def test_rows_of_a_source_come_back_and_go_again(home: Path) -> None:
    harvested(home, operator=[*texts_of(7), *texts_of(3, "hold")], tool=texts_of(4, "hold it"))
    assert states(home) == {"captured": 7, "archived": 7}

    preview = revived(home, source="said.jsonl", tier="trusted", dry_run=True)
    assert preview.counts == {"seen": 3, "revived": 3, "forgotten": 0}
    assert states(home) == {"captured": 7, "archived": 7}

    done = revived(home, source="said.jsonl", tier="trusted")
    assert done.counts == preview.counts
    assert done.groups["revived_by_source"] == {source(home): 3}
    assert states(home) == {"captured": 7, "active": 3, "archived": 4}
    assert revived(home, source="said.jsonl", tier="trusted").counts["seen"] == 0

    back = run_body(home, partial(undo, run_id=done.run_id), flow="undo")
    assert back.status is RunStatus.OK
    assert states(home) == {"captured": 7, "archived": 7}
    assert revived(home, source=str(home)).counts["revived"] == 7


def test_rows_of_one_run_come_back(home: Path) -> None:
    harvested(home, operator=texts_of(2, "hold"))
    second = harvested(home, NOW + 900_000, operator=texts_of(5, "hold on to"))
    assert revived(home, run_id=second.run_id).counts["revived"] == 5
    assert states(home) == {"active": 5, "archived": 2}
    with open_home(load_settings(home)) as place, pytest.raises(DataError, match="knows no run 1999"):
        held_back(place, WantedRows(run_id="1999"))


@pytest.mark.parametrize(
    ("name", "rows"),
    [("capture", 3), ("agent", 1), ("markdown", 1), ("agent/memory/2026-11-17.md", 1), ("id.jsonl", 0)],
)
def test_a_source_has_several_names(home: Path, name: str, rows: int) -> None:
    # Notes are never weighed; this one is known by its form.
    (home / "agent" / "memory" / "2026-11-17.md").write_text("- HEARTBEAT_OK\n")
    harvested(home, operator=texts_of(3, "hold"))
    with open_home(load_settings(home)) as place:
        assert len(held_back(place, WantedRows(source=name))) == rows


def test_an_older_note_is_called_by_its_file(home: Path) -> None:
    (home / "agent" / "memory" / "2026-11-17.md").write_text("- HEARTBEAT_OK\n")
    harvested(home, operator=texts_of(3, "hold"))
    with sqlite3.connect(home / "ledger.sqlite") as db:
        db.execute("DELETE FROM entry_sources")
    with open_home(load_settings(home)) as place:
        names = ("memory/2026-11-17.md", str(home / "agent/memory/2026-11-17.md"), "2026-11-17.md")
        assert [len(held_back(place, WantedRows(source=name))) for name in names] == [1, 1, 1]
        assert held_back(place, WantedRows(source="said.jsonl")) == []
        assert len(held_back(place, WantedRows())) == 4


def test_what_was_forgotten_meanwhile_stays_away(home: Path) -> None:
    harvested(home, operator=texts_of(3, "hold"))
    with open_home(load_settings(home)) as place:
        place.ledger.bury([Tombstone("m", "hold the box with number 1", None, "asked")], run_id="r")
    assert revived(home, source="said.jsonl").counts == {"seen": 3, "revived": 2, "forgotten": 1}
    assert states(home) == {"active": 2, "archived": 1}


def test_what_the_lifecycle_archived_later_stays_where_it_is(home: Path) -> None:
    harvested(home, operator=texts_of(2, "hold"))
    revived(home, source="said.jsonl")
    with sqlite3.connect(home / "ledger.sqlite") as db:
        db.execute("UPDATE observations SET state = 'archived', archived_at_ms = ?", (NOW + 1,))
    assert revived(home, source="said.jsonl").counts["seen"] == 0
