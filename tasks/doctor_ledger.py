"""What the doctor looks at in the ledger and beside it: integrity, quarantine, runs, snapshots."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress

from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.adapters.sqlite_upkeep import migrations_behind, sha256_of, verify_backup
from sunrise.bootstrap import Home, existing_memories, open_home
from sunrise.domain.receipts import RunStatus
from sunrise.domain.retention import DAY_MS
from sunrise.domain.schedule import DAY
from sunrise.errors import StoreError, SunriseError
from sunrise.ports import Clock
from sunrise.settings import Settings
from tasks.doctor_erasure import held_findings
from tasks.doctor_findings import Finding, command, detail_of, guarded, ill, look, well
from tasks.overview import FlowStanding, overview
from tasks.restore_intent import read_intent
from tasks.snapshot import LEDGER_COPY, Snapshot, is_current, read_snapshots
from tasks.trust_recheck import doubtful, undecided

SNAPSHOT_DAYS = 2
_TRUST_TEXTS = 20_000
_CHECKS = ("integrity", "foreign_keys", "full_text")


def ledger_findings(settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Look at the ledger and everything that stands in it; a ledger that is not there is not made."""
    path = settings.home / LEDGER_FILE
    if not path.is_file():
        yield ill("ledger", f"there is no ledger {path}", cure=f"Make it with {command(settings, 'init')}.")
        return
    behind = migrations_behind(path)
    if behind < 0:
        yield ill(
            "ledger",
            "the ledger was written by a later version of sunrise",
            cure="Install that version or a newer one: `git pull && make .venv/.ready` in the folder of the"
            " project.",
        )
        return
    if behind > 0:
        # Opening it would migrate it, and a doctor changes nothing.
        yield look(
            "ledger",
            f"the ledger lacks {behind} migrations",
            cure=f"Migrate it with {command(settings, 'init')}.",
        )
        return
    with open_home(settings, clock=clock) as home:
        yield from guarded("ledger", lambda: _content_findings(home), cure=restore_ledger(settings))
        yield from guarded("outbox", lambda: _outbox_findings(home), cure=restore_ledger(settings))
        yield from guarded("quarantine", lambda: _quarantine_findings(home), cure=restore_ledger(settings))
        yield from guarded("erased", lambda: held_findings(home), cure=restore_ledger(settings))
        yield from guarded("trust", lambda: _trust_findings(home), cure=restore_ledger(settings))
        yield from guarded("runs", lambda: _run_findings(home), cure=restore_ledger(settings))


def snapshot_findings(settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Look whether there is a recent snapshot, and whether its copy of the ledger opens."""
    intent = read_intent(settings.home)
    if intent is not None:
        yield ill(
            "snapshots",
            f"a restore of {intent.name} did not end, and no flow runs until it has",
            cure=f"Finish it with {command(settings, f'snapshot restore {intent.name} --yes')}.",
        )
        return
    newest = next(iter(read_snapshots(settings.home / "backups")), None)
    if newest is None:
        yield look("snapshots", "there is none", cure=f"Take one with {command(settings, 'run snapshot')}.")
        return
    folder = settings.home / "backups" / newest.tag
    broken = _broken_copy(settings, newest)
    if broken is not None:
        yield ill(
            "snapshots",
            f"the newest one, {newest.tag}, is of no use: {broken}",
            cure=f"Remove it and take another with `rm -r {shlex.quote(str(folder))}`"
            f" and {command(settings, 'run snapshot')}.",
        )
        return
    days = (clock.now_ms() - newest.created_ms) / DAY_MS
    if days > SNAPSHOT_DAYS and not _unchanged_since(settings, clock, newest):
        yield look(
            "snapshots",
            f"the newest one is {days:.0f} days old, and something changed since",
            cure=f"Take one with {command(settings, 'run snapshot')}.",
        )
        return
    yield well("snapshots", f"{newest.tag} opens and is as it was written")


def restore_ledger(settings: Settings) -> str:
    """Return how to put the newest copy of the ledger in the place of a damaged one."""
    ledger = shlex.quote(str(settings.home / LEDGER_FILE))
    newest = next(iter(read_snapshots(settings.home / "backups")), None)
    if newest is None:
        return f"There is no copy to go back to: save what can be read with `sqlite3 {ledger} .recover`."
    copy = shlex.quote(str(settings.home / "backups" / newest.tag / LEDGER_COPY))
    return f"Stop all flows and go back to the newest copy with `rm -f {ledger}* && cp {copy} {ledger}`."


def _content_findings(home: Home) -> Iterator[Finding]:
    verdicts = home.ledger.check()
    broken = {name: verdicts[name] for name in _CHECKS if verdicts[name] != "ok"}
    for name, verdict in broken.items():
        cure = restore_ledger(home.settings)
        if name == "full_text":
            path = shlex.quote(str(home.path / LEDGER_FILE))
            statement = "INSERT INTO observations_fts (observations_fts) VALUES ('rebuild')"
            cure = f'Build it anew with `sqlite3 {path} "{statement}"`.'
        yield ill(f"ledger {name}", verdict[:200], cure=cure)
    if not broken:
        rows = home.ledger.count("observations")
        yield well("ledger", f"{rows} observations; whole, and the full-text index agrees with them")


def _outbox_findings(home: Home) -> Iterator[Finding]:
    waiting = home.ledger.count("outbox")
    if waiting:
        yield look(
            "outbox",
            f"{waiting} changes wait to be written to the memories: a run was killed in between",
            cure=f"Finish them with {command(home.settings, 'run writeback')}.",
        )


def _quarantine_findings(home: Home) -> Iterator[Finding]:
    reasons = home.ledger.quarantined_by_reason()
    if not reasons:
        yield well("quarantine", "empty")
        return
    text = ", ".join(f"{reason} {rows}" for reason, rows in reasons.items())
    yield look(
        "quarantine",
        f"refused rows, by reason: {text}",
        cure=f"Read them with {command(home.settings, 'quarantine list')}. Mend their lines and take them in"
        f" with {command(home.settings, 'quarantine retry')}, or close those that nobody will mend with"
        f" {command(home.settings, 'quarantine drop')} and their numbers.",
    )


def _trust_findings(home: Home) -> Iterator[Finding]:
    try:
        found = doubtful(home.ledger, existing_memories(home.settings), most=_TRUST_TEXTS)
    except StoreError:
        # What is the matter with the table is a finding of its own.
        found = doubtful(home.ledger, None, most=_TRUST_TEXTS)
    rows = len(undecided(home.ledger, found))
    if rows:
        yield look(
            "trust",
            f"{rows} records are trusted as the owner's, and their texts name another speaker",
            cure=f"See them with {command(home.settings, 'trust recheck --dry-run')}, and trust them less"
            f" with {command(home.settings, 'trust recheck')}.",
        )


def _run_findings(home: Home) -> Iterator[Finding]:
    standings = overview(home)
    if all(one.run_id is None for one in standings):
        yield look(
            "runs",
            "no flow ever ran",
            cure=f"Run the whole day once with {command(home.settings, f'run {DAY}')}.",
        )
        return
    found = [finding for one in standings for finding in _flow_findings(one, home)]
    # The parent flow has no schedule: a home that runs the others by theirs never needs it.
    never = [one.flow for one in standings if one.run_id is None and one.flow != DAY]
    if never:
        run_all = command(home.settings, f"run {never[0]}" if len(never) == 1 else f"run {DAY}")
        found.append(
            look("runs", f"never ran: {', '.join(never)}", cure=f"Run what is missing with {run_all}.")
        )
    yield from found
    if not found:
        yield well("runs", "every flow ran when it was due, and none needs a look")


def _flow_findings(one: FlowStanding, home: Home) -> Iterator[Finding]:
    check, settings = f"run {one.flow}", home.settings
    again = command(settings, f"run {one.flow}")
    if one.run_id is None:
        return
    page = home.reports / "runs" / f"{one.run_id}.html"
    if one.status == RunStatus.FAILED:
        yield ill(check, "its last run failed", cure=f"Read {page}, mend the cause, then {again}.")
    elif one.status == RunStatus.CRASHED:
        yield look(check, "its last run was killed", cure=f"It goes on where it was: {again}.")
    elif one.status == RunStatus.ANOMALY:
        cure = f"Read in {page} what it found and what to do; to look again: {again}."
        yield look(check, "its last run found something", cure=cure)
    if one.overdue:
        yield look(check, "it is overdue", cure=f"Start the schedules with {command(settings, 'up')}.")


def _broken_copy(settings: Settings, snapshot: Snapshot) -> str | None:
    copy = settings.home / "backups" / snapshot.tag / LEDGER_COPY
    try:
        verify_backup(copy)
        return None if sha256_of(copy) == snapshot.ledger_sha256 else "its copy is not what was written"
    except (SunriseError, OSError) as error:
        return detail_of(error)


def _unchanged_since(settings: Settings, clock: Clock, snapshot: Snapshot) -> bool:
    path = settings.home / LEDGER_FILE
    with suppress(SunriseError):
        if path.is_file() and migrations_behind(path) == 0:
            with open_home(settings, clock=clock) as home:
                return is_current(snapshot, home, existing_memories(settings))
    return False
