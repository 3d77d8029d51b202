"""Refused lines of imports, read again from their files, and imported where they now read well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sunrise.adapters.memory_file import MemoryFile, opened_memories
from sunrise.bootstrap import Home
from sunrise.domain.memory_lines import imported_row
from sunrise.domain.records import Quarantined, QuarantineState
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.transfer import ImportRequest
from sunrise.errors import ConfigurationError, DataError, StoreError
from sunrise.online.admin_import import import_memories
from sunrise.online.policies import scope_policy
from sunrise.ports import ReadRecord

_PREFIX = "import:"
_AT_ONCE = 10_000
_Place = tuple[int | None, str]


@dataclass(slots=True)
class ImportedAgain:
    """How many refused lines were taken after all, and what became of them."""

    resolved: int = 0
    counts: Counter[str] = field(default_factory=Counter)


def retry_imports(home: Home, row_ids: Sequence[int] | None = None) -> ImportedAgain:
    """
    Import refused lines whose file has been mended: those named, else all that wait; and close them.

    A line is found by its number, and an item of an array by its place, so that a mended line may be longer.
    Nobody vouches for it this time, and it goes into the scope that it names. One that is refused again stays
    as it is; one whose file is gone, or was sent without one, waits on.

    Raises:
        BusyError: Another import is at work.
        StoreError: A store cannot be read or written.
    """
    total = ImportedAgain()
    waiting = home.ledger.quarantined(state=QuarantineState.WAITING, limit=1_000_000)
    wanted: dict[str, list[Quarantined]] = {}
    for row in waiting:
        if row.source.startswith(_PREFIX) and (row_ids is None or row.id in row_ids):
            wanted.setdefault(row.source, []).append(row)
    for source, rows in wanted.items():
        places = {_place(row.line, row.position): row for row in rows}
        good = _mended(source, places, scope_policy(home.settings))
        if good:
            _import(home, source, good, total)
    return total


class _Mended:
    """Some records of a file, as a source of their own."""

    def __init__(self, name: str, records: Sequence[ReadRecord]) -> None:
        self.name = name
        self._records = records

    def batches(self, *, rows: int) -> Iterator[Sequence[ReadRecord]]:
        for begin in range(0, len(self._records), rows):
            yield self._records[begin : begin + rows]


def _mended(
    source: str, wanted: Mapping[_Place, Quarantined], scopes: ScopePolicy
) -> list[tuple[Quarantined, ReadRecord]]:
    """Return the refused rows that read well by now, each with its record."""
    path = Path(source.removeprefix(_PREFIX))
    if not path.is_absolute():
        return []
    found = []
    try:
        with opened_memories(path) as stream:
            for batch in MemoryFile(stream, name=source).batches(rows=_AT_ONCE):
                for read in batch:
                    row = wanted.get(_place(read.line, read.position))
                    if row is not None and _reads_well(read, scopes):
                        found.append((row, replace(read, position=row.position)))
    except (ConfigurationError, StoreError):
        # The file is gone, or is no file any more: its lines wait on, for a person.
        return []
    return found


def _import(
    home: Home, source: str, good: Sequence[tuple[Quarantined, ReadRecord]], total: ImportedAgain
) -> None:
    done = import_memories(
        ImportRequest(),
        source=_Mended(source, [read for _, read in good]),
        memories=home.memories(),
        ledger=home.ledger,
        screen=home.screen(),
        clock=home.clock,
        backend=home.backend(),
        zone=home.settings.zone,
        scopes=scope_policy(home.settings),
    )
    if done.run is not None:
        home.keep_receipt(done.run)
    total.counts.update(done.counts)
    closed = [row.id for row, _ in good]
    total.resolved += home.ledger.close_quarantined(closed, state=QuarantineState.RESOLVED)


def _reads_well(read: ReadRecord, scopes: ScopePolicy) -> bool:
    if read.record is None:
        return False
    try:
        imported_row(read.record, scopes=scopes)
    except DataError:
        return False
    return True


def _place(line: int | None, position: str) -> _Place:
    """
    Return where a record stands, whatever the lines before it have become.

    >>> _place(3, "120"), _place(3, "120:4"), _place(5, "item:4")
    ((3, ''), (3, '4'), (5, '4'))
    """
    return line, position.partition(":")[2]
