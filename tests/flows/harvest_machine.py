"""A spool that others append to, tear, rotate and cut, and what a ledger then owes: parts of a machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import FrameType
from typing import Any

import polars as pl

from contracts import admission
from sunrise.adapters.jsonl_lines import sample_of
from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home
from sunrise.domain.records import Rejected
from sunrise.settings import Settings, load_settings
from tasks import harvest
from tasks.keeping import Harvested
from tests.fakes import FrozenClock
from tests.homes import NOW

ROOT = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
BATCH_LINES = 3
_OURS = re.compile(r"/sunrise/adapters/|/tasks/(?:harvest|keeping|admission|kept_rows)\.py$")
Refused = tuple[str, str, str]
"""Source, position and sample."""


def small_home(path: Path) -> Home:
    """Open a home that takes three lines at a time, so that one file makes several transactions."""
    clock = FrozenClock(NOW)
    settings = _settings().model_copy(update={"home": path})
    return Home(settings, clock, SqliteLedger(path / "ledger.sqlite", clock=clock))


@cache
def _settings() -> Settings:
    settings = load_settings(Path("nowhere"))
    few = settings.harvest.model_copy(update={"batch_lines": BATCH_LINES})
    return settings.model_copy(update={"harvest": few})


def admit_all(_contract: object, frame: pl.DataFrame, **_: Any) -> tuple[pl.DataFrame, tuple[Rejected, ...]]:
    """Stand in for the contract: it takes 20 ms a batch, most of the time, and refuses nothing here."""
    return frame, ()


def harvest_until(path: str, moment: int) -> None:
    """
    Harvest in a process that kills itself at the given moment (counted from 1), if it comes that far.

    Moments are the calls that the harvest and its adapters make, each time one begins or ends.
    """
    left = moment

    def count(frame: FrameType, _event: str, _arg: object) -> None:
        nonlocal left
        if _OURS.search(frame.f_code.co_filename):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    admission.admit = admit_all  # type: ignore[assignment]
    home = small_home(Path(path))
    sys.setprofile(count)
    try:
        harvest.read_sources(home, dry_run=False)
    finally:
        sys.setprofile(None)


class Yard:
    """
    A home in a folder of its own, the files of its spool, and what is owed of them.

    ``owed`` was readable while a harvest went through undisturbed, so it must be there; ``maybe`` was
    readable during one that was killed or whose file changed under it, so it may be there.
    """

    def __init__(self, template: Path) -> None:
        self.path = Path(mkdtemp(prefix="machine-", dir=ROOT))
        (self.path / "spool").mkdir()
        shutil.copy(template, self.path / "ledger.sqlite")
        self.file = self.path / "spool" / "agent.jsonl"
        self.home = small_home(self.path)
        self.owed: set[str] = set()
        self.maybe: set[str] = set()
        self.refusals_owed: set[Refused] = set()
        self.refusals_maybe: set[Refused] = set()
        self.rotations = 0

    def close(self) -> None:
        self.home.ledger.close()
        shutil.rmtree(self.path)

    def content(self) -> bytes:
        return self.file.read_bytes() if self.file.exists() else b""

    def tail(self) -> bytes:
        """Return what stands behind the last newline."""
        return self.content().rpartition(b"\n")[2]

    def append(self, data: bytes) -> None:
        with self.file.open("ab") as file:
            file.write(data)

    def cut(self, lines: int) -> None:
        """Take so many lines from the file's end, and what is torn; the inode stays."""
        if self.file.exists():
            whole = self.content().split(b"\n")[: -lines - 1]
            os.truncate(self.file, sum(len(one) + 1 for one in whole))

    def rotate(self) -> None:
        if self.file.exists():
            self.rotations += 1
            self.file.rename(self.file.with_name(f"agent.{self.rotations}.jsonl"))
        self.file.touch()

    def replace(self, data: bytes) -> None:
        """Put another file under the same name, as an editor does."""
        fresh = self.file.with_suffix(".new")
        fresh.write_bytes(data)
        fresh.replace(self.file)

    def owe(self) -> None:
        """An undisturbed harvest is about to go through: it must take all that is readable now."""
        for identities, refusals in map(readable, self.files()):
            self.owed |= identities
            self.refusals_owed |= refusals

    def may_take(self) -> None:
        """A harvest may or may not take what is readable now."""
        for identities, refusals in map(readable, self.files()):
            self.maybe |= identities
            self.refusals_maybe |= refusals

    def files(self) -> list[Path]:
        return sorted((self.path / "spool").glob("*.jsonl"))

    def harvest(self) -> Harvested:
        """Harvest undisturbed, and see that the receipt adds up."""
        self.owe()
        before = self.count()
        found = harvest.read_sources(self.home, dry_run=False)
        adds_up(found)
        assert self.count() == before + found.inserted
        return found

    def count(self) -> int:
        return self.home.ledger.count("observations")

    def check(self) -> None:
        """See that the ledger holds what is owed, nothing twice and nothing that never was."""
        kept = Counter(self.kept())
        assert not [identity for identity, rows in kept.items() if rows > 1], "a row is there twice"
        lost = self.owed - kept.keys()
        assert not lost, f"lost {sorted(lost)}"
        invented = kept.keys() - self.owed - self.maybe
        assert not invented, f"made up {sorted(invented)}"
        refused = Counter((row.source, row.position, row.sample) for row in self.home.ledger.quarantined())
        assert not [row for row, times in refused.items() if times > 1], "a line was refused twice"
        unsaid = self.refusals_owed - refused.keys()
        assert not unsaid, f"no word of {unsaid}"
        wrong = refused.keys() - self.refusals_owed - self.refusals_maybe
        assert not wrong, f"refused without reason {wrong}"

    def kept(self) -> list[str]:
        """Return the identity of each row, and of each that was collapsed: its id, or what it says."""
        assert isinstance(self.home.ledger, SqliteLedger)
        with self.home.ledger.reading() as db:
            rows = db.execute("SELECT key, summary FROM observations").fetchall()
            (texts,) = db.execute("SELECT count(*) FROM observations_fts").fetchone()
            again = db.execute(
                "SELECT s.key, coalesce(s.text, o.summary) FROM sightings s"
                " JOIN observations o ON o.id = s.observation_id"
            ).fetchall()
        assert texts == len(rows), "the index of texts is not that of the rows"
        rows += again
        return [key if key.startswith("id:") else summary for key, summary in rows]


def adds_up(found: Harvested) -> None:
    assert found.unreadable == []
    taken = found.inserted + found.duplicate + found.collapsed.total()
    assert found.seen == taken + found.quarantined.total()


def line(number: int, *, zh: bool, named: bool, padding: int) -> bytes:
    """Return a line of a capture; the same arguments give the same line."""
    text = f"{'第' if zh else 'note '}{number}{'號備註' if zh else ''} " + "x" * padding
    record: dict[str, object] = {"ts": NOW - number, "kind": "note", "summary": text.strip()}
    if named:
        record["observationId"] = f"o-{number}"
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def broken_line(number: int) -> bytes:
    return b'{"summary": "broken %d\n' % number


def readable(path: Path) -> tuple[set[str], set[Refused]]:
    """Read a file as simply as can be: what its whole lines are called, and those that are no JSON."""
    identities: set[str] = set()
    refusals: set[Refused] = set()
    offset = 0
    *whole, last = path.read_bytes().split(b"\n")
    for raw in whole:
        identity = _identity(raw)
        if identity:
            identities.add(identity)
        elif raw.strip():
            refusals.add((str(path), str(offset), sample_of(raw.strip(), _reason(raw))))
        offset += len(raw) + 1
    if last and (identity := _identity(last)):
        identities.add(identity)
    return identities, refusals


def _identity(raw: bytes) -> str | None:
    try:
        record = json.loads(raw)
    except ValueError:
        return None
    named = record.get("observationId")
    return f"id:observation:{named}" if named else str(record["summary"])


def _reason(raw: bytes) -> str:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return "invalid_utf8"
    return "malformed_json"
