"""The last look of a sweep: whether any file of the home still holds one of the secrets that were found."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sunrise.adapters.lance_border import is_remote, located
from sunrise.adapters.spool_scrubbing import scrub_file
from sunrise.bootstrap import Home
from sunrise.domain.secret_spans import searchable
from tasks.run_frame import Run
from tasks.sweep import told

_CHUNK = 4 * 1024 * 1024
_TOGETHER = 200
"""So many values are looked for at once: a pattern of more outgrows what the engine keeps of it."""


def search_remains(run: Run, values: frozenset[str], *, listed: Sequence[str]) -> None:
    """
    Name every file that still holds a secret; ``listed`` backups are known to, and left out.

    Files in object storage are not looked through, and the receipt says so.
    """
    holding = run.step(find_remains, run.home, values, listed=listed)
    run.count(still_holds=len(holding))
    if is_remote(run.home.settings.memories_uri):
        run.facts["not_searched"] = "the files of the memories table: they are in object storage"
    run.name("still_holds", holding)
    # A dry run has left everything where it is.
    if holding and not run.dry_run:
        run.anomaly("secrets_remain", "files of the home still hold a secret: see still_holds", len(holding))


def find_remains(home: Home, values: frozenset[str], *, listed: Sequence[str]) -> list[str]:
    """Return the files below the home, and of the memories table, that hold one of these values."""
    wanted = needles(values)
    known = [home.backups / tag for tag in listed]
    found = [
        path
        for path in files_of(home)
        if wanted.patterns and not any(map(path.is_relative_to, known)) and holds(path, wanted)
    ]
    # What a golden set asks is the operator's: it is named, never changed.
    golden = [path for path in home.golden_files() if scrub_file(path, dry_run=True).changed]
    return sorted({told(path, home) for path in (*found, *golden)})


@dataclass(frozen=True, slots=True)
class Needles:
    """Patterns of what to look for, many values in each, and the length of the longest in bytes."""

    patterns: tuple[str, ...]
    longest: int


def needles(values: Iterable[str]) -> Needles:
    r"""
    Return what finds these values as they stand in a text, in JSON and on a page.

    >>> needles(["a-secret-1", "swordfish", "pin1"])
    Needles(patterns=('a\\-secret\\-1',), longest=10)
    """
    forms = sorted({form for value in searchable(values) for form in _forms(value)})
    return Needles(
        tuple(
            "|".join(re.escape(form) for form in forms[start : start + _TOGETHER])
            for start in range(0, len(forms), _TOGETHER)
        ),
        max((len(form.encode()) for form in forms), default=0),
    )


def holds(path: Path, wanted: Needles) -> bool:
    """Say whether a file holds one of these; one that cannot be read, or is gone, does not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        with path.open("rb") as file:
            rest = b""
            while chunk := file.read(_CHUNK):
                block = pa.array([rest + chunk], type=pa.binary())
                if any(pc.match_substring_regex(block, one)[0].as_py() for one in wanted.patterns):
                    return True
                rest = (rest + chunk)[-wanted.longest :]
    except OSError:
        return False
    return False


def _forms(value: str) -> Iterator[str]:
    plain = value.encode("utf-8", "ignore").decode()
    yield plain
    yield html.escape(plain)
    yield json.dumps(plain)[1:-1]
    yield json.dumps(plain, ensure_ascii=False)[1:-1]


def files_of(home: Home) -> Iterator[Path]:
    """Yield every file below the home, and of the memories table, each once."""
    roots = {home.path}
    uri = home.settings.memories_uri
    if not is_remote(uri):
        roots.add(Path(located(uri)))
    # The table may lie below the home, and may be a link that leads out of it: a walk follows none.
    seen: set[Path] = set()
    for root in sorted(roots):
        for folder, _, names in os.walk(root):
            for name in names:
                path = Path(folder) / name
                # A pipe would keep us waiting for ever.
                if path not in seen and path.is_file():
                    seen.add(path)
                    yield path
