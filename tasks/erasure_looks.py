"""Where a forgotten text stands: in every store by its own reader, and in every file by its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sunrise.adapters.lance_border import is_remote, located
from sunrise.adapters.sqlite_ledger import LEDGER_FILE
from sunrise.adapters.sqlite_sweep import find_secrets_in
from sunrise.bootstrap import Home
from sunrise.domain.erasure import HolderKind, MemoriesHolding, StillHolds
from sunrise.domain.records import memory_ref
from sunrise.domain.secret_spans import SecretRecord
from sunrise.domain.sought_texts import TextScrubber
from sunrise.errors import StoreError
from sunrise.ports import MemoryTable
from tasks.erasure_intent import INTENT, ErasureIntent
from tasks.snapshot import LEDGER_COPY
from tasks.sweep import told
from tasks.sweep_files import STORES, ScrubbedFiles, scrub_receipt, whole_files
from tasks.sweep_search import files_of

_CHUNK = 4 * 1024 * 1024
_LONGEST_FORM = 6
"""No form of a letter takes more bytes for each of its own than an escape does."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    What is erased: memories, observations made of them, and what finds their texts.

    ``derived`` are records that were made of them and stay.
    """

    intent: ErasureIntent
    scrubber: TextScrubber
    derived: tuple[str, ...] = ()

    @property
    def memory_ids(self) -> frozenset[str]:
        """The memories."""
        return frozenset(self.intent.memory_ids)


@dataclass(kw_only=True)
class Look:
    """What one look through a home found, by place."""

    rows: tuple[SecretRecord, ...] = ()
    texts: tuple[SecretRecord, ...] = ()
    memories: MemoriesHolding = field(default_factory=MemoriesHolding)
    stores: dict[str, ScrubbedFiles] = field(default_factory=dict)
    backups: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    files: tuple[StillHolds, ...] = ()
    ledger_tables: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How much of each place holds a text: rows, versions, tags, lines, files."""
        records = {(one.table, one.key) for one in (*self.rows, *self.texts)}
        ledger = dict.fromkeys(self.ledger_tables, 0)
        for table, _ in records:
            ledger[table] = ledger.get(table, 0) + 1
        return {
            **ledger,
            "memories": len(self.memories.holders),
            "memory_versions": len(self.memories.stained_versions),
            "snapshots": len(self.memories.stained_tags),
            **{store: found.redacted for store, found in self.stores.items()},
            "backups": len(self.backups),
        }

    @property
    def holding(self) -> tuple[StillHolds, ...]:
        """Everything that holds a text: files, tags, and live memories."""
        named = {one.name for one in self.files}
        backups = (f"backups/{tag}/{LEDGER_COPY}" for tag in self.backups)
        return (
            *self.files,
            *(StillHolds(memory_ref(name), HolderKind.MEMORY) for name in self.memories.holders),
            *(StillHolds(tag, HolderKind.SNAPSHOT) for tag in self.memories.stained_tags),
            *(StillHolds(name, HolderKind.BACKUP) for name in backups if name not in named),
        )


def look_through(home: Home, table: MemoryTable | None, wanted: Wanted) -> Look:
    """Look through every store and every file of a home; nothing is changed."""
    backups, unreadable = _backups(home, wanted)
    rows = home.ledger.rows_speaking_of(wanted.memory_ids, refs=wanted.intent.refs)
    found = home.ledger.find_secrets(wanted.scrubber)
    return Look(
        rows=rows,
        texts=found.records,
        memories=MemoriesHolding()
        if table is None
        else table.find_erased(wanted.memory_ids, wanted.scrubber),
        stores={
            name: scrub(home, dry_run=True, scrubber=wanted.scrubber) for name, scrub in TEXT_STORES.items()
        },
        backups=backups,
        unreadable=unreadable,
        files=tuple(_files(home, wanted.scrubber)),
        ledger_tables=tuple(sorted(found.seen)),
    )


def scrub_evals(home: Home, *, dry_run: bool, scrubber: TextScrubber) -> ScrubbedFiles:
    """Take texts out of the evaluations that are kept."""
    scrub = partial(scrub_receipt, scrubber=scrubber)
    return whole_files((home.path / "evals").rglob("*.json"), scrub, home, dry_run=dry_run)


TEXT_STORES: dict[str, Callable[..., ScrubbedFiles]] = {**STORES, "evals": scrub_evals}
"""What takes texts out of the files of a store."""


def _backups(home: Home, wanted: Wanted) -> tuple[tuple[str, ...], tuple[str, ...]]:
    holding, unreadable = [], []
    for path in sorted(home.backups.glob(f"*/{LEDGER_COPY}")):
        try:
            by_text = find_secrets_in(path, wanted.scrubber).records
            if by_text or home.ledger.rows_in_copy(path, wanted.memory_ids):
                holding.append(path.parent.name)
        except StoreError:
            unreadable.append(path.parent.name)
    return tuple(holding), tuple(unreadable)


def _files(home: Home, scrubber: TextScrubber) -> Iterator[StillHolds]:
    if not scrubber.sought:
        return
    found = (path for path in files_of(home) if path != home.path / INTENT and file_holds(path, scrubber))
    for path in sorted(found):
        yield StillHolds(told(path, home), _kind(path, home))


def file_holds(path: Path, scrubber: TextScrubber) -> bool:
    """Return whether a file holds one of the texts; one that cannot be read, or is gone, does not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    overlap = _LONGEST_FORM * scrubber.longest + 4096
    try:
        with path.open("rb") as file:
            rest = b""
            while chunk := file.read(_CHUNK):
                block = rest + chunk
                hinted = pa.array([block], type=pa.binary())
                is_hinted = any(pc.match_substring_regex(hinted, gate)[0].as_py() for gate in scrubber.gates)
                if is_hinted and scrubber.holds(block.decode("utf-8", "replace")):
                    return True
                rest = block[-overlap:]
    except OSError:
        return False
    return False


def _kind(path: Path, home: Home) -> HolderKind:
    uri = home.settings.memories_uri
    if path.is_relative_to(home.backups):
        return HolderKind.BACKUP
    if not is_remote(uri) and path.is_relative_to(located(uri)):
        return HolderKind.TABLE
    if path in home.golden_files():
        return HolderKind.GOLDEN
    return HolderKind.LEDGER if path.name.startswith(LEDGER_FILE) else HolderKind.FILE
