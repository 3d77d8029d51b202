"""Steps of the sweep over files: what waits in the spool, what was told in receipts and on pages."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sunrise.adapters.spool_files import spool_files
from sunrise.bootstrap import Home
from sunrise.domain.scrubber import SECRETS, Scrubber
from sunrise.domain.secret_spans import RedactedField, Scrubbed, scrubbed_json
from sunrise.errors import StoreError
from tasks.receipt_files import write_whole
from tasks.run_frame import Run
from tasks.spool import scrub_captures
from tasks.sweep import tell, told

_TAG = re.compile(r"(<[^>]*>)")
_ATTRIBUTE = re.compile(r"""(=\s*)("[^"]*"|'[^']*')""")
_LARGEST = 64 * 1024 * 1024
"""No receipt and no page comes near; a larger file is only searched."""


@dataclass
class ScrubbedFiles:
    """What was found in the files of one folder."""

    seen: int = 0
    redacted: int = 0
    files: list[str] = field(default_factory=list)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    values: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)

    def fields(self) -> list[RedactedField]:
        """Return what was taken out of which file."""
        return [RedactedField(f"file:{name}", "text", kind) for name, kind in sorted(self.kinds)]


def sweep_files(run: Run) -> set[str]:
    """Take the secrets out of spool, receipts, pages and quarantine; return the secrets."""
    values: set[str] = set()
    for store, scrub in STORES.items():
        found = run.step(scrub, run.home, dry_run=True)
        tell(run, store, seen=found.seen, redacted=found.redacted, fields=found.fields())
        run.count(files_scrubbed=len(found.files))
        if found.files:
            run.name(f"{store}_scrubbed", found.files)
            # Noted first: a killed sweep leaves a note too many rather than one too few.
            run.write(note_files, run.home, found, run_id=run.run_id)
            done = run.write(scrub, run.home, dry_run=False)
            found = done if done is not None else found
        if found.failed:
            run.anomaly("file_not_scrubbed", "; ".join(found.failed), len(found.failed))
        values |= found.values
    return values


def scrub_spool(home: Home, *, dry_run: bool, scrubber: Scrubber = SECRETS) -> ScrubbedFiles:
    """Blank secrets in the capture files, as long as before, and keep positions in them good."""
    total = ScrubbedFiles()
    for path in spool_files(home.path):
        _lines_of(total, path, home, dry_run=dry_run, scrubber=scrubber)
    return total


def scrub_receipts(home: Home, *, dry_run: bool, scrubber: Scrubber = SECRETS) -> ScrubbedFiles:
    """Redact the texts of receipts, which stay what they are otherwise."""
    return whole_files(
        home.receipts.rglob("*.json"), partial(scrub_receipt, scrubber=scrubber), home, dry_run=dry_run
    )


def scrub_pages(home: Home, *, dry_run: bool, scrubber: Scrubber = SECRETS) -> ScrubbedFiles:
    """Redact the texts of pages."""
    return whole_files(
        home.reports.rglob("*.html"), partial(scrub_page, scrubber=scrubber), home, dry_run=dry_run
    )


def scrub_quarantine(home: Home, *, dry_run: bool, scrubber: Scrubber = SECRETS) -> ScrubbedFiles:
    """Redact what was put aside: JSON lines in place, other texts as a whole."""
    files = [path for path in (home.path / "quarantine").rglob("*") if path.is_file()]
    others = (path for path in files if path.suffix != ".jsonl")
    total = whole_files(others, partial(scrub_receipt, scrubber=scrubber), home, dry_run=dry_run)
    for path in sorted(path for path in files if path.suffix == ".jsonl"):
        _lines_of(total, path, home, dry_run=dry_run, scrubber=scrubber)
    return total


STORES: dict[str, Callable[..., ScrubbedFiles]] = {
    "spool": scrub_spool,
    "receipts": scrub_receipts,
    "reports": scrub_pages,
    "quarantine_files": scrub_quarantine,
}
"""What takes the texts out of the files of a store."""


def note_files(home: Home, found: ScrubbedFiles, *, run_id: str) -> None:
    """Note which kinds were taken out of which file."""
    home.ledger.note_redactions(found.fields(), run_id=run_id)


def scrub_receipt(text: str, scrubber: Scrubber = SECRETS) -> Scrubbed:
    """Return a JSON text, indented as receipts are, without its secrets; another text as plain text."""

    def dumps(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

    return scrubbed_json(text, dumps=dumps, scrub=scrubber.scrub, scrub_value=scrubber.scrub_value)


def scrub_page(text: str, scrubber: Scrubber = SECRETS) -> Scrubbed:
    """
    Return a page without the secrets in its texts and attributes.

    What is embedded (``data:``) is left alone: letters of a picture may look like anything.
    """
    kinds: set[str] = set()
    values: set[str] = set()

    def clean(part: str) -> str:
        found = scrubber.scrub(html.unescape(part))
        kinds.update(found.kinds)
        values.update(found.values)
        return html.escape(found.text) if found.kinds else part

    def attribute(match: re.Match[str]) -> str:
        sign, quoted = match.groups()
        if quoted[1:].lstrip().startswith("data:"):
            return match[0]
        return f"{sign}{quoted[0]}{clean(quoted[1:-1])}{quoted[0]}"

    parts = [
        _ATTRIBUTE.sub(attribute, part) if part.startswith("<") else clean(part) for part in _TAG.split(text)
    ]
    return Scrubbed("".join(parts), tuple(sorted(kinds)), frozenset(values))


def _lines_of(total: ScrubbedFiles, path: Path, home: Home, *, dry_run: bool, scrubber: Scrubber) -> None:
    name = told(path, home)
    try:
        done = scrub_captures(home, path, dry_run=dry_run, scrubber=scrubber)
    except StoreError as error:
        total.failed.append(f"{name}: {error}")
        return
    total.seen += done.lines
    total.redacted += done.changed
    if done.changed:
        total.files.append(name)
    total.kinds.update({(name, kind): count for kind, count in done.kinds.items()})
    total.values |= done.values


def whole_files(
    paths: Iterator[Path], scrub: Callable[[str], Scrubbed], home: Home, *, dry_run: bool
) -> ScrubbedFiles:
    """Scrub texts that are written anew as a whole; a dry run only counts."""
    total = ScrubbedFiles()
    for path in sorted(paths):
        text = _read(path)
        if text is None:
            continue
        total.seen += 1
        after = scrub(text)
        if not after.kinds:
            continue
        name = told(path, home)
        if not dry_run:
            write_whole(path, after.text)
        total.redacted += 1
        total.files.append(name)
        total.kinds.update((name, kind) for kind in after.kinds)
        total.values |= after.values
    return total


def _read(path: Path) -> str | None:
    """Return a text; None for what is none, or gone. Such a file is searched with the others."""
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else None
    except (OSError, UnicodeDecodeError):
        return None
