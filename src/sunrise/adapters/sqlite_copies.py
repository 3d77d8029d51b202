"""Copies of the ledger as files: counted, hashed, compared, and brought back into the live one."""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final

from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_connection import BUSY_TIMEOUT_MS, SqliteConnection, store_errors
from sunrise.adapters.sqlite_stores import SALT

RECORD: Final = (
    "episodes", "observations", "usage", "changes", "sightings", "memory_links", "redactions",
)  # fmt: skip
"""Tables that say what was done and decided; while they stand still nothing is worth a new copy."""

_OF_RUNS: Final = {"runs", "leases"}
_ROWS_AT_ONCE: Final = 10_000


def count_rows(path: Path) -> dict[str, int]:
    """
    Return the rows of each table of a ledger, by name.

    Raises:
        StoreError: The file is no ledger that can be read.
    """
    with _reading(path) as db:
        return {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in _tables(db)}


def schema_version(path: Path) -> int:
    """
    Return how many migrations a ledger has seen.

    Raises:
        StoreError: The file is no ledger that can be read.
    """
    with _reading(path) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def digest_of(path: Path) -> str:
    """
    Return a digest of all rows of all tables of a ledger, runs and leases left out.

    Raises:
        StoreError: The file is no ledger that can be read.
    """
    digest = hashlib.sha256()
    with _reading(path) as db:
        db.text_factory = bytes
        for name in _tables(db, leave_out=_OF_RUNS):
            digest.update(f"{name}\n".encode())
            rows = db.execute(f'SELECT * FROM "{name}" ORDER BY {", ".join(_key(db, name))}')
            while chunk := rows.fetchmany(_ROWS_AT_ONCE):
                # The second format refers to nothing, so that equal rows are equal bytes.
                digest.update(marshal.dumps(chunk, 2))
    return digest.hexdigest()


def is_same(one: Path, other: Path, *, tables: Sequence[str] | None = None) -> bool:
    """
    Return whether two ledgers hold the same rows, of the named tables or of all but runs and leases.

    Every value is compared, inside SQLite; the first difference ends it.

    Raises:
        StoreError: One of the files is no ledger that can be read.
    """
    with _both(one, other) as db:
        mine, theirs = set(_tables(db)), set(_tables(db, schema="other"))
        if tables is None and mine != theirs:
            return False
        wanted = (mine | theirs) - _OF_RUNS if tables is None else set(tables) & (mine | theirs)
        # The shortest first: they are looked at in no time, and most changes show in them.
        return wanted <= (mine & theirs) and all(_is_same_table(db, name) for name in _by_size(db, wanted))


def stage(copy: Path, *, live: Path, staged: Path, run_id: str) -> None:
    """
    Prepare what is to become the live ledger: the copy, migrated, with the leases and the run of this moment.

    Runs that the copy shows at work get the end that the live ledger knows.

    Raises:
        StoreError: The copy cannot be written, read or migrated.
    """
    with store_errors(f"the copy {copy} cannot be prepared"):
        discard(staged)
        shutil.copyfile(copy, staged)
        SqliteConnection(staged, clock=SystemClock()).close()
        with contextlib.closing(_connected(staged)) as db:
            db.execute("ATTACH ? AS live", (live.absolute().as_uri() + "?mode=ro",))
            db.execute("BEGIN IMMEDIATE")
            db.execute("DELETE FROM leases")
            db.execute("INSERT INTO leases SELECT * FROM live.leases")
            db.execute(
                "INSERT OR REPLACE INTO runs SELECT * FROM live.runs WHERE run_id = ?"
                " OR run_id IN (SELECT run_id FROM main.runs WHERE status = 'running')",
                (run_id,),
            )
            _keep_forgotten(db)
            db.execute("COMMIT")


def _keep_forgotten(db: sqlite3.Connection) -> None:
    """Carry over what was forgotten since the copy was made: it must not come back with it."""
    if db.execute("SELECT 1 FROM live.tombstones LIMIT 1").fetchone() is None:
        return
    db.execute("DELETE FROM tombstones")
    db.execute("INSERT INTO tombstones SELECT * FROM live.tombstones")
    db.execute("UPDATE tombstones SET is_pending = lifted_at_ms IS NULL")
    db.execute("INSERT OR IGNORE INTO notes SELECT * FROM live.notes WHERE name = ?", (SALT,))


def bring_back(staged: Path, *, live: Path) -> None:
    """
    Make the live ledger what the staged one is, in one transaction beneath all open connections.

    Raises:
        StoreError: The live ledger cannot be written; it holds what it held.
    """
    with (
        store_errors(f"the ledger {live} cannot be restored"),
        contextlib.closing(_connected(staged)) as source,
        contextlib.closing(_connected(live)) as target,
    ):
        source.backup(target)


def discard(staged: Path) -> None:
    """Remove a staged ledger and what SQLite put beside it; one that is not there is no error."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        staged.with_name(staged.name + suffix).unlink(missing_ok=True)


def differences(old: Path, new: Path, *, refs: int) -> Mapping[str, Any]:
    """
    Return how the observations of two ledgers differ, told apart by key.

    ``added``, ``removed`` and ``changed`` are counts, each with its first ids beside it (``added_ids``), and
    ``fields`` are the changed rows by field.

    Raises:
        StoreError: One of the files is no ledger that can be read.
    """
    with _both(new, old) as db:
        shared = [
            name for name in _columns(db, "observations") if name in _columns(db, "observations", "other")
        ]
        unlike = {name: f'a."{name}" IS NOT b."{name}"' for name in shared if name not in {"id", "key"}}
        pair = "main.observations a JOIN other.observations b USING (key)"
        sums = ", ".join(f"total({test})" for test in unlike.values())
        any_unlike = " OR ".join(unlike.values())
        row = db.execute(f"SELECT total({any_unlike}), {sums} FROM {pair}").fetchone()
        changed_ids = _ids(db, f"SELECT a.id FROM {pair} WHERE {any_unlike} ORDER BY a.id LIMIT ?", refs)
        fields = {name: int(count) for name, count in zip(unlike, row[1:], strict=True) if count}
        return {
            **_missing(db, "added", "main", "other", refs),
            **_missing(db, "removed", "other", "main", refs),
            "changed": int(row[0]),
            "changed_ids": changed_ids,
            "fields": fields,
        }


def _missing(db: sqlite3.Connection, name: str, here: str, there: str, refs: int) -> dict[str, Any]:
    rest = (
        f"FROM {here}.observations a WHERE NOT EXISTS"
        f" (SELECT 1 FROM {there}.observations b WHERE b.key = a.key)"
    )
    count = db.execute(f"SELECT count(*) {rest}").fetchone()[0]
    return {name: int(count), f"{name}_ids": _ids(db, f"SELECT a.id {rest} ORDER BY a.id LIMIT ?", refs)}


def _ids(db: sqlite3.Connection, sql: str, refs: int) -> list[int]:
    return [int(number) for (number,) in db.execute(sql, (refs,))]


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    with (
        store_errors(f"the ledger {path} cannot be read"),
        contextlib.closing(_connected(path, mode="ro")) as db,
    ):
        # One read from beginning to end: nobody's write falls between two tables.
        db.execute("BEGIN")
        yield db


@contextlib.contextmanager
def _both(one: Path, other: Path) -> Iterator[sqlite3.Connection]:
    with (
        store_errors(f"the ledgers {one} and {other} cannot be compared"),
        contextlib.closing(_connected(one, mode="ro")) as db,
    ):
        db.execute("ATTACH ? AS other", (other.absolute().as_uri() + "?mode=ro",))
        db.execute("BEGIN")
        yield db


def _connected(path: Path, *, mode: str = "rw") -> sqlite3.Connection:
    # As a URI, so that characters such as # and % in a path stay what they are.
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    return db


def _tables(db: sqlite3.Connection, *, schema: str = "main", leave_out: Set[str] = frozenset()) -> list[str]:
    # What stands in an index of words stands in the table beneath it too.
    rows = db.execute(
        f"SELECT name FROM {schema}.sqlite_schema WHERE type = 'table'"
        " AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_fts*' ORDER BY name"
    )
    return [name for name in (_text(name) for (name,) in rows) if name not in leave_out]


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode()


def _columns(db: sqlite3.Connection, table: str, schema: str = "main") -> list[str]:
    rows = db.execute("SELECT name FROM pragma_table_info(?, ?)", (table, schema))
    return [_text(name) for (name,) in rows]


def _key(db: sqlite3.Connection, table: str) -> list[str]:
    rows = db.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (table,))
    return [f'"{_text(name)}"' for (name,) in rows] or ["rowid"]


def _by_size(db: sqlite3.Connection, tables: set[str]) -> list[str]:
    return sorted(tables, key=lambda name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])


def _is_same_table(db: sqlite3.Connection, name: str) -> bool:
    if _columns(db, name) != _columns(db, name, "other"):
        return False
    mine, theirs = (
        db.execute(f'SELECT count(*) FROM {schema}."{name}"').fetchone()[0] for schema in ("main", "other")
    )
    if mine != theirs:
        return False
    key = _key(db, name)
    met = " AND ".join(f"a.{one} = b.{one}" for one in key)
    unlike = " OR ".join(f'a."{one}" IS NOT b."{one}"' for one in _columns(db, name))
    # As many rows on both sides: if each has its like on the other, they are the same.
    pair = f'main."{name}" a LEFT JOIN other."{name}" b ON {met}'
    sql = f"SELECT 1 FROM {pair} WHERE b.{key[0]} IS NULL OR {unlike} LIMIT 1"
    return db.execute(sql).fetchone() is None
