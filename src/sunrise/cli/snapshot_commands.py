"""What the commands do that take snapshots, look at them and go back to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from sunrise import rooms
from sunrise.cli.exit_codes import ExitCode, code_for
from sunrise.cli.moments import when
from sunrise.cli.output import say
from sunrise.cli.receipt_lines import receipt_table
from sunrise.cli.tables import table
from sunrise.cli.trust_commands import terminal_text
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.domain.snapshots import checked_name, new_name
from sunrise.errors import DataError
from sunrise.settings import Settings, load_settings

if TYPE_CHECKING:
    from sunrise.bootstrap import Home
    from sunrise.ports import MemoryTable

NOW = "now"
_STORES = ("ledger", "memories")


def create(home: str | None, name: str | None, *, note: str, dry_run: bool, as_json: bool) -> NoReturn:
    """Take a snapshot by hand and leave with the code of the verdict."""
    if name is not None:
        _named(new_name, name)
    receipt = _run("flows.snapshot:create_snapshot", home, name=name, note=note, dry_run=dry_run)
    lines = [f"snapshot  {receipt.facts['tag']}"] if "tag" in receipt.facts else []
    _leave(receipt, lines, as_json=as_json)


def list_all(home: str | None, *, as_json: bool) -> None:
    """Print the snapshots, newest first."""
    settings = load_settings(home)
    backups = settings.home / "backups"
    found = rooms.load("tasks.snapshot_manifest:read_snapshots")(backups)
    size = rooms.load("tasks.snapshot_list:copy_bytes")
    header = ["snapshot", "reason", "taken", "observations", "memories", "MiB", "note"]
    rows = [_cells(one, size(backups, one.tag), settings.timezone) for one in found]
    text = table(rows, header=header) if rows else "no snapshots yet; take one with `sunrise snapshot create`"
    say({"snapshots": [asdict(one) for one in found]}, text, as_json=as_json)


def show(home: str | None, name: str, *, verify: bool, as_json: bool) -> NoReturn:
    """Print a manifest and the state of its parts; leave with 3 where one is missing or altered."""
    settings = load_settings(home)
    _named(checked_name, name)
    with _looking(settings) as (place, memories):
        snapshot = rooms.load("tasks.snapshot:find")(place, name)
        fault = rooms.load("tasks.snapshot_check:missing_part")(place, memories, snapshot)
        if verify and fault is None:
            fault = _fault(rooms.load("tasks.snapshot_check:check_snapshot"), place, memories, snapshot)
    verdict = (
        f"{fault.reason}: {fault}" if fault else "every part as written" if verify else "its parts are there"
    )
    lines = [f"{key:<14} {terminal_text(str(value))}" for key, value in _manifest(snapshot, settings).items()]
    again = [f"to go back     sunrise snapshot restore {snapshot.tag} --yes"]
    said = {"snapshot": asdict(snapshot), "fault": fault.reason if fault else None, "verified": verify}
    say(said, "\n".join([*lines, f"state          {verdict}", *([] if fault else again)]), as_json=as_json)
    raise SystemExit(ExitCode.ANOMALY if fault else ExitCode.OK)


def diff(home: str | None, old: str, new: str, *, as_json: bool) -> None:
    """Print how the second snapshot differs from the first."""
    settings = load_settings(home)
    for name in (old, new):
        _named(checked_name, name)
    with _looking(settings) as (place, memories):
        find = rooms.load("tasks.snapshot:find")
        later = None if new == NOW else find(place, new)
        found = rooms.load("tasks.snapshot_diff:diff")(place, memories, find(place, old), later)
    said = dict(zip(_STORES, (one.to_dict() if one else None for one in found), strict=True))
    lines = [line for store, one in zip(_STORES, found, strict=True) for line in _diff_lines(store, one)]
    say({"old": old, "new": new, **said}, "\n".join(lines), as_json=as_json)


def check_out(home: str | None, name: str, *, to: str, as_json: bool) -> None:
    """Lay a snapshot out in a folder."""
    settings = load_settings(home)
    folder = Path(to).expanduser().absolute()
    _named(checked_name, name)
    with _looking(settings) as (place, memories):
        snapshot = rooms.load("tasks.snapshot:find")(place, name)
        rows = rooms.load("tasks.checkout:check_out")(place, memories, snapshot, to=folder)
    text = (
        f"home      {folder}\nmemories  {rows}\n"
        f"next      sunrise run index --home {folder}, then look at it as at any home"
    )
    say({"home": str(folder), "memories": rows, "snapshot": snapshot.tag}, text, as_json=as_json)


def restore(home: str | None, name: str, *, yes: bool, dry_run: bool, as_json: bool) -> NoReturn:
    """Go back to a snapshot, print what was done and the way back, and leave with the code of the verdict."""
    _named(checked_name, name)
    if not (yes or dry_run):
        raise typer.BadParameter(
            "a restore replaces what both stores hold: look at it with --dry-run, then say --yes"
        )
    receipt = _run("flows.restore:restore_snapshot", home, name=name, dry_run=dry_run)
    _leave(receipt, _restore_lines(receipt), as_json=as_json)


def delete(home: str | None, name: str, *, yes: bool, dry_run: bool, as_json: bool) -> NoReturn:
    """Remove a snapshot and leave with the code of the verdict."""
    _named(checked_name, name)
    if not (yes or dry_run):
        raise typer.BadParameter("a snapshot that is deleted cannot be restored: say --yes to delete it")
    receipt = _run("flows.snapshot:delete_snapshot", home, name=name, dry_run=dry_run)
    _leave(receipt, [f"deleted  {one}" for one in receipt.refs.get("deleted", ())], as_json=as_json)


def _run(target: str, home: str | None, **parameters: Any) -> RunReceipt:
    settings = load_settings(home)
    receipt: RunReceipt = rooms.load(target).fn(home=str(settings.home), **parameters)
    return receipt


def _leave(receipt: RunReceipt, lines: Sequence[str], *, as_json: bool) -> NoReturn:
    told = [*lines, *(f"{one.code}: {one.message}" for one in receipt.anomalies)]
    text = "\n".join((receipt_table([receipt]), *([""] if told else []), *told))
    say({"receipt": receipt.to_dict()}, text, as_json=as_json)
    raise SystemExit(code_for(receipt.status))


@contextmanager
def _looking(settings: Settings) -> Iterator[tuple[Home, MemoryTable | None]]:
    from sunrise.bootstrap import existing_memories, open_home

    with open_home(settings) as place:
        yield place, existing_memories(settings)


def _named(check: Any, name: str) -> None:
    try:
        check(name)
    except DataError as error:
        raise typer.BadParameter(terminal_text(str(error))) from error


def _fault(check: Any, *given: Any) -> DataError | None:
    try:
        check(*given)
    except DataError as error:
        return error
    return None


def _cells(one: Any, size: int, zone: str) -> list[str]:
    observations = (one.ledger_rows or {}).get("observations", "-")
    memories = "-" if one.version is None else one.rows
    mib = f"{size / 2**20:.1f}"
    taken = when(one.created_ms, zone)
    return [one.tag, one.reason, taken, str(observations), str(memories), mib, terminal_text(one.note)]


def _manifest(snapshot: Any, settings: Settings) -> dict[str, Any]:
    rows = snapshot.ledger_rows or {}
    return {
        "snapshot": snapshot.tag,
        "taken": when(snapshot.created_ms, settings.timezone),
        "reason": snapshot.reason,
        "note": snapshot.note or "-",
        "memories": "none" if snapshot.version is None else f"{snapshot.rows} (version {snapshot.version})",
        "columns": snapshot.schema_hash or "not hashed",
        "content": snapshot.content_hash or "not hashed",
        "ledger": ", ".join(f"{name} {count}" for name, count in rows.items() if count) or "not counted",
        "ledger rows": snapshot.digest,
        "ledger file": snapshot.ledger_sha256,
        "made by": f"sunrise {snapshot.made_by or 'of an older version'}",
        "ledger schema": snapshot.ledger_schema or "not noted",
    }


def _diff_lines(store: str, found: Any) -> list[str]:
    if found is None:
        return [f"{store}: cannot be compared, one of the two holds none"]
    counts = {"added": found.added, "removed": found.removed, "changed": found.changed}
    lines = [f"{store}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]
    lines += [f"  changed  {name:<24} {rows}" for name, rows in sorted(found.fields.items())]
    refs = [(kind, one) for kind, named in found.refs.items() for one in named]
    return lines + [f"  {kind:<8} {terminal_text(one)}" for kind, one in refs]


def _restore_lines(receipt: RunReceipt) -> list[str]:
    lines = []
    for store in _STORES:
        counts = receipt.groups.get(store, {})
        words = [f"{word.replace('_', ' ')} {rows}" for word, rows in counts.items()]
        lines += [f"{store:<9} {', '.join(words)}"] if words else []
        lines += [
            f"          {name:<24} {n}" for name, n in receipt.groups.get(f"{store}_fields", {}).items()
        ]
    if "differences" in receipt.facts:
        lines.append(f"changes   {receipt.facts['differences']}")
    if receipt.status is RunStatus.OK and not receipt.dry_run:
        lines += [
            f"done      both stores hold {receipt.facts['snapshot']}; every value was compared",
            f"go back   sunrise snapshot restore {receipt.facts['before']} --yes",
            f"now       {receipt.facts['notice']}",
            "then      sunrise run index",
        ]
    elif receipt.dry_run and receipt.status is RunStatus.OK:
        lines.append(f"whole     every part of {receipt.facts['snapshot']} is as it was written")
    return lines
