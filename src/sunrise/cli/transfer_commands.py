"""What the commands do that carry memories out and in."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import typer
from pydantic.alias_generators import to_camel

from sunrise import client
from sunrise.adapters.memory_file import opened_memories
from sunrise.adapters.service_presence import running_service
from sunrise.adapters.service_transfer import EXPORT_HEADER, IMPORT_PATH, fetched, sent
from sunrise.adapters.whole_files import written_whole
from sunrise.cli.exit_codes import ExitCode
from sunrise.cli.known_names import check_names
from sunrise.cli.memory_commands import asked, usage_errors
from sunrise.cli.output import say
from sunrise.cli.quick_recall import home_of
from sunrise.cli.service_answers import export_result, say_path
from sunrise.domain.secret_fields import without_secrets
from sunrise.domain.transfer import MAX_SOURCE_NAME, Dedupe, ExportFormat, ExportResult
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
    verbose: bool = False,
) -> None:
    """Write memories to a file or to standard output, and say what was left out."""
    chosen = _format(form, file)
    zone = load_settings(home).timezone
    to_file = file != _STANDARD
    if not to_file and chosen is ExportFormat.PARQUET and sys.stdout.isatty():
        raise typer.BadParameter("parquet is nothing for a terminal: name a file")
    meant = {
        "format": str(chosen),
        "redact": redact,
        "with_vectors": vectors,
        "with_quarantined": quarantined,
        **asked(wanted, since, zone),
    }
    body = {to_camel(name): value for name, value in meant.items()}
    with written_whole(Path(file).expanduser()) if to_file else nullcontext(sys.stdout.buffer) as out:
        told = fetched(home_of(home), "/v1/export", body, out, told_in=EXPORT_HEADER)
        say_path(told, verbose=verbose)
        if told is not None:
            done = export_result(told)
        else:
            with usage_errors(), client.open(home, read_only=True) as memories:
                done = memories.export(out, **meant)
        if not done.exported and not done.left_out:
            # Inside, so that no file is made of a name that was mistyped.
            check_names(home, wanted)
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
    how: Mapping[str, Any],
    *,
    as_json: bool,
    verbose: bool = False,
) -> NoReturn:
    """Add the memories of a file, and leave with 3 where lines need a look."""
    dedupe, dry_run = how["dedupe"], bool(how["dry_run"])
    if dedupe not in set(Dedupe):
        raise typer.BadParameter(f"no such dedupe: {dedupe!r}; there are {', '.join(Dedupe)}")
    path = None if file == _STANDARD else Path(file).expanduser()
    name = "standard input" if path is None else str(path.absolute())
    with _lent(path, is_sent=running_service(home_of(home)) is not None) as stream:
        # The file is opened here: the service is sent what it holds, and told no more than its name.
        asked = {to_camel(name): value for name, value in how.items()}
        data = sent(home_of(home), IMPORT_PATH, stream, name=name[-MAX_SOURCE_NAME:], **asked)
        say_path(data, verbose=verbose)
        if data is None:
            with usage_errors(), client.open(home, read_only=dry_run) as memories:
                data = memories.import_(stream, name=name, **how).to_dict()
    say(data, _sum(data, dry_run=dry_run), as_json=as_json)
    ill = data["counts"]["refused"] or data["counts"]["quarantined"]
    raise SystemExit(ExitCode.ANOMALY if ill else ExitCode.OK)


@contextmanager
def _lent(path: Path | None, *, is_sent: bool) -> Iterator[BinaryIO]:
    if path is not None:
        with opened_memories(path) as stream:
            yield stream
    elif not is_sent:
        yield sys.stdin.buffer
    else:
        # What a service does not take has to be read once more.
        with tempfile.TemporaryFile() as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
            stream.seek(0)
            yield stream


def _format(form: str | None, file: str) -> ExportFormat:
    if form is None:
        suffix = Path(file).suffix.lower()
        if suffix and suffix not in _BY_SUFFIX:
            known = ", ".join(_BY_SUFFIX)
            raise typer.BadParameter(
                f"no format has the ending {suffix!r}; there are {known}, or name one with --format"
            )
        return _BY_SUFFIX.get(suffix, ExportFormat.JSONL)
    if form not in set(ExportFormat):
        raise typer.BadParameter(f"no such format: {form!r}; there are {', '.join(ExportFormat)}")
    return ExportFormat(form)


def _told(done: ExportResult, where: str) -> str:
    left = ", ".join(f"{rows} {reason}" for reason, rows in done.left_out.items())
    lines = [f"{done.exported} memories to {where}"]
    lines += [f"left out: {left}"] if left else []
    return "\n".join([*lines, *done.receipt.warnings, *filter(None, [done.receipt.reason])])


def _sum(data: Mapping[str, Any], *, dry_run: bool) -> str:
    counts = data["counts"]
    parts = ("imported", "duplicate", "forgotten", "refused")
    shown = " + ".join(f"{part} {counts[part]}" for part in parts if counts[part]) or "0"
    lines = [f"seen {counts['seen']} = {shown}{' (dry run)' if dry_run else ''}"]
    also = ("quarantined", "trusted_less", "must_lowered", "redacted", "renamed", "vectors_kept")
    lines += [f"{name.replace('_', ' '):<16} {counts[name]}" for name in also if counts[name]]
    for group, reasons in data["groups"].items():
        lines += [f"{group.replace('_', ' '):<24} {name} {rows}" for name, rows in reasons.items()]
    if counts["trusted_less"]:
        lines.append("what the file calls trusted is not: with --trust you vouch for it")
    if data["runId"] is not None:
        lines.append(f"run      {data['runId']}")
    return "\n".join(lines)
