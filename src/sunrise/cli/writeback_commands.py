"""What the commands do that write back to the memories."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import typer

from sunrise import rooms
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.adapters.sqlite_upkeep import is_own_ledger
from sunrise.cli.exit_codes import ExitCode, code_for
from sunrise.cli.output import say
from sunrise.cli.receipt_lines import receipt_table
from sunrise.cli.trust_commands import terminal_text
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.errors import ConfigurationError, DataError
from sunrise.settings import load_settings

FLOW = "flows.writeback:write_back"
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that both commands have; ``force_fields`` is as it was typed."""

    force: bool
    force_fields: str | None
    limit: int | None
    batch: int | None
    dry_run: bool

    @property
    def fields(self) -> list[str]:
        """The fields that were named."""
        return [name.strip() for name in (self.force_fields or "").split(",") if name.strip()]

    def check(self) -> None:
        """Check that `--force-fields` names a field, where it is there."""
        if self.force_fields is not None and not self.fields:
            known = ", ".join(rooms.load("tasks.writeback:FORCEABLE"))
            raise typer.BadParameter(f"--force-fields names no field; there are {known}")


def writeback(home: str | None, asked: Asked, *, everything: bool, as_json: bool) -> NoReturn:
    """Run the writeback, print what came of it, and leave with the code of the verdict."""
    settings = load_settings(home)
    asked.check()
    try:
        receipt = _run(str(settings.home), asked, everything=everything)
    except DataError as error:
        raise typer.BadParameter(str(error)) from error
    text = "\n".join((receipt_table([receipt]), *_lines(receipt)))
    say({"receipt": receipt.to_dict()}, text, as_json=as_json)
    raise SystemExit(code_for(receipt.status))


def writeback_lancedb(db: str, lancedb: str, table: str, asked: Asked, *, as_json: bool) -> NoReturn:
    """
    Write a ledger back to any table, and print openclaw-mem's receipt.

    The code is 0, or 1 where a field cannot be forced or a row failed, as it is there.
    """
    ledger = Path(db).expanduser().absolute()
    if not ledger.is_file():
        raise typer.BadParameter(f"there is no ledger {terminal_text(db)}")
    asked.check()
    home = _home_of(ledger)
    os.environ["SUNRISE_MEMORIES__URI"] = (
        lancedb if "://" in lancedb else str(Path(lancedb).expanduser().absolute())
    )
    os.environ["SUNRISE_MEMORIES__TABLE"] = table
    try:
        receipt = _run(str(home), asked, everything=True)
    except DataError as error:
        allowed = list(rooms.load("tasks.writeback:FORCEABLE"))
        invalid = [name for name in asked.fields if name not in allowed]
        say(
            {"ok": False, "error": str(error), "invalidFields": invalid, "allowedFields": allowed},
            f"sunrise: {error}",
            as_json=as_json,
        )
        raise SystemExit(ExitCode.FAILED) from error
    told = _their_receipt(receipt, db=ledger, lancedb=lancedb, table=table, asked=asked)
    lines = _lines(receipt)
    if told.get("error") == "no_memories_table":
        lines.append(f"there is no table {terminal_text(table)} in {terminal_text(lancedb)}")
    say(told, "\n".join((receipt_table([receipt]), *lines)), as_json=as_json)
    raise SystemExit(ExitCode.OK if told["ok"] else ExitCode.FAILED)


def _run(home: str, asked: Asked, *, everything: bool) -> RunReceipt:
    receipt: RunReceipt = rooms.load(FLOW).fn(
        home=home,
        dry_run=asked.dry_run,
        force=asked.force,
        force_fields=asked.fields,
        limit=asked.limit,
        batch=asked.batch,
        everything=everything,
    )
    return receipt


def _lines(receipt: RunReceipt) -> list[str]:
    lines = []
    for group, verb in (("filled_by_field", "filled"), ("overwritten_by_field", "overwritten")):
        lines += [
            f"{verb:<12} {name:<18} {rows}" for name, rows in sorted(receipt.groups.get(group, {}).items())
        ]
    for kind, verb in (("missingIds", "missing"), ("ambiguousIds", "ambiguous"), ("unlinked", "unlinked")):
        refs = receipt.refs.get(kind, ())
        lines += [f"{verb:<12} {terminal_text(ref)}" for ref in refs[:_SHOWN]]
        lines += [f"{verb:<12} and more: see the receipt"] if len(refs) > _SHOWN else []
    if "snapshot" in receipt.facts:
        lines.append(f"snapshot     {receipt.facts['snapshot']}")
    if receipt.counts.get("updated") and not receipt.dry_run:
        lines.append(f"undo         sunrise undo {receipt.run_id}")
    lines += [f"{one.code}: {terminal_text(one.message)}" for one in receipt.anomalies]
    return ["", *lines] if lines else []


def _their_receipt(
    receipt: RunReceipt, *, db: Path, lancedb: str, table: str, asked: Asked
) -> dict[str, Any]:
    """Return the receipt with openclaw-mem's names."""
    counts, refused = receipt.counts, receipt.counts.get("quarantined", 0)
    done = receipt.status in (RunStatus.OK, RunStatus.ANOMALY)
    names = ("checked", "updated", "overwritten", "overwrittenFields", "skipped", "missing")
    told: dict[str, Any] = {
        "ok": done and not refused,
        "dryRun": receipt.dry_run,
        "db": str(db),
        "lancedb": lancedb,
        "table": table,
        "limit": asked.limit,
        "batch": asked.batch,
        "forceOverwrite": receipt.facts.get("forceOverwrite") == "yes",
        "forceFields": _named(receipt.facts.get("forceFields", "none")),
        **{name: counts.get(name, 0) for name in names},
        "missingIds": list(receipt.refs.get("missingIds", ())),
        "ambiguousIds": list(receipt.refs.get("ambiguousIds", ())),
        "runId": receipt.run_id,
    }
    if refused:
        told |= {"error_count": refused}
    if not done:
        told |= {"error": receipt.reason, "message": "; ".join(one.message for one in receipt.anomalies)}
    return told


def _named(fields: str) -> Sequence[str]:
    return [] if fields == "none" else fields.split(", ")


def _home_of(ledger: Path) -> Path:
    """
    Return the home that a ledger belongs to.

    One of openclaw-mem is never written to: it is imported into a home of its own beside it, where the audit
    trail of what is written back is kept.
    """
    if is_own_ledger(ledger):
        if ledger.name == LEDGER_FILE:
            return ledger.parent
        raise ConfigurationError(
            f"{ledger} is a ledger, but not that of a home: it must be called {LEDGER_FILE}"
        )
    home = ledger.with_name(f"{ledger.name}.sunrise")
    home.mkdir(exist_ok=True)
    config = home / "sunrise.toml"
    if not config.exists():
        config.write_text(
            '[embedder]\nname = "none"\n\n[[sources]]\nkind = "legacy-ledger"\n'
            f"path = {json.dumps(str(ledger), ensure_ascii=False)}\n",
            encoding="utf-8",
        )
    receipt: RunReceipt = rooms.load("flows.harvest:harvest_captures").fn(home=str(home))
    if receipt.status not in (RunStatus.OK, RunStatus.ANOMALY):
        raise ConfigurationError(f"{ledger} cannot be imported: {receipt.reason}")
    return home
