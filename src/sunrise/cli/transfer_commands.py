"""What the commands do that carry memories out and in."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import typer

from sunrise import client
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.memory_commands import asked, usage_errors
from sunrise.cli.output import say
from sunrise.domain.secret_fields import without_secrets
from sunrise.domain.transfer import Dedupe, ExportFormat, ExportResult, ImportResult
from sunrise.settings import load_settings

_STANDARD = "-"
_BY_SUFFIX = {
    ".jsonl": ExportFormat.JSONL,
    ".ndjson": ExportFormat.JSONL,
    ".json": ExportFormat.JSON,
    ".md": ExportFormat.MARKDOWN,
    ".markdown": ExportFormat.MARKDOWN,
    ".parquet": ExportFormat.PARQUET,
}


def export(
    home: str | None,
    file: str,
    wanted: Mapping[str, str | None],
    *,
    form: str | None,
    since: str | None,
    redact: bool,
    vectors: bool,
    quarantined: bool,
    as_json: bool,
) -> None:
    """Write memories to a file or to standard output, and say what was left out."""
    chosen = _format(form, file)
    zone = load_settings(home).timezone
    to_file = file != _STANDARD
    if not to_file and chosen is ExportFormat.PARQUET and sys.stdout.isatty():
        raise typer.BadParameter("parquet is nothing for a terminal: name a file")
    out = Path(file).expanduser() if to_file else sys.stdout.buffer
    with usage_errors(), client.open(home, read_only=True) as memories:
        done = memories.export(
            out,
            format=chosen,
            redact=redact,
            with_vectors=vectors,
            with_quarantined=quarantined,
            **asked(wanted, since, zone),
        )
    if to_file:
        say(done.to_dict(), _told(done, file), as_json=as_json)
        return
    sys.stdout.buffer.flush()
    # What was exported has the standard output for itself.
    told = json.dumps(without_secrets(done.to_dict())) if as_json else _told(done, "standard output")
    print(told, file=sys.stderr)


def import_file(
    home: str | None,
    file: str,
    *,
    dedupe: str,
    trust: bool,
    scope: str | None,
    dry_run: bool,
    batch: int,
    as_json: bool,
) -> NoReturn:
    """Add the memories of a file, and leave with 3 where lines need a look."""
    if dedupe not in set(Dedupe):
        raise typer.BadParameter(f"no such dedupe: {dedupe!r}; there are {', '.join(Dedupe)}")
    source = sys.stdin.buffer if file == _STANDARD else Path(file).expanduser()
    with usage_errors(), client.open(home, read_only=dry_run) as memories:
        done = memories.import_(
            source,
            name="standard input" if file == _STANDARD else None,
            dedupe=dedupe,
            trust=trust,
            scope=scope,
            dry_run=dry_run,
            batch=batch,
        )
    say(done.to_dict(), _sum(done, dry_run=dry_run), as_json=as_json)
    ill = done.counts["refused"] or done.counts["quarantined"]
    raise SystemExit(ExitCode.ANOMALY if ill else ExitCode.OK)


def _format(form: str | None, file: str) -> ExportFormat:
    if form is None:
        return _BY_SUFFIX.get(Path(file).suffix.lower(), ExportFormat.JSONL)
    if form not in set(ExportFormat):
        raise typer.BadParameter(f"no such format: {form!r}; there are {', '.join(ExportFormat)}")
    return ExportFormat(form)


def _told(done: ExportResult, where: str) -> str:
    left = ", ".join(f"{rows} {reason}" for reason, rows in done.left_out.items())
    lines = [f"{done.exported} memories to {where}"]
    lines += [f"left out: {left}"] if left else []
    return "\n".join([*lines, *done.receipt.warnings, *filter(None, [done.receipt.reason])])


def _sum(done: ImportResult, *, dry_run: bool) -> str:
    counts = done.counts
    parts = ("imported", "duplicate", "forgotten", "refused")
    shown = " + ".join(f"{part} {counts[part]}" for part in parts if counts[part]) or "0"
    lines = [f"seen {counts['seen']} = {shown}{' (dry run)' if dry_run else ''}"]
    also = ("quarantined", "trusted_less", "redacted", "renamed", "vectors_kept")
    lines += [f"{name.replace('_', ' '):<16} {counts[name]}" for name in also if counts[name]]
    for group, reasons in done.groups.items():
        lines += [f"{group.replace('_', ' '):<24} {name} {rows}" for name, rows in reasons.items()]
    if counts["trusted_less"]:
        lines.append("what the file calls trusted is not: with --trust you vouch for it")
    if done.run is not None:
        lines.append(f"run      {done.run.run_id}")
    return "\n".join(lines)
