"""Reference pages of the rooms and the ledger: flows, contracts, tables."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pandera.polars as pa

import contracts
from docs.code_meanings import TABLES
from docs.markdown import page, table
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sqlite_ledger import LEDGER_FILE, SqliteLedger
from sunrise.domain.schedule import DAY, DAY_ENTRYPOINT, ON_DEMAND_ENTRYPOINTS, SCHEDULED_FLOWS

ROOT = Path(__file__).resolve().parents[1]
_FLOWS_INTRODUCTION = (
    "Cron lines are in the time zone of the setting `timezone`; `[schedules]` in `sunrise.toml` replaces "
    "them. Run one by hand with `sunrise run FLOW`."
)
_COMMANDS = {"erase": "forget ID --erase", "regrade": "grade regrade"}
_CONTRACTS_INTRODUCTION = (
    "Every frame that crosses a border has a contract. A row that breaks it goes to quarantine; a frame "
    "whose columns do not fit fails the run. Types are those of polars."
)


def flows_page() -> str:
    """Return the page of the flows."""
    rows = [(f"[`{f.name}`](#{f.name})", f"`{f.cron}`", f.purpose) for f in SCHEDULED_FLOWS]
    rows.append((f"[`{DAY}`](#{DAY})", "none", "run all of the above in this order"))
    rows += [
        (f"[`{name}`](#{name})", "none", f"`sunrise {_COMMANDS.get(name, name)}`")
        for name in ON_DEMAND_ENTRYPOINTS
    ]
    parts = [
        _FLOWS_INTRODUCTION,
        table(("flow", "cron", "purpose"), rows),
    ]
    entrypoints = {f.name: f.entrypoint for f in SCHEDULED_FLOWS} | {DAY: DAY_ENTRYPOINT}
    for name, entrypoint in (entrypoints | ON_DEMAND_ENTRYPOINTS).items():
        parts += [f"## {name}", f"Entrypoint `{entrypoint}`.", _flow_docstring(entrypoint)]
    return page("Flows", *parts)


def contracts_page() -> str:
    """Return the page of the contracts."""
    parts = [_CONTRACTS_INTRODUCTION]
    for module_name, frame in frames():
        schema = frame.to_schema()
        parts += [
            f"## {frame.__name__}",
            f"`{module_name}`. {inspect.cleandoc(frame.__doc__ or '')}",
            table(
                ("column", "type", "nullable", "checks"),
                [_column(name, column) for name, column in schema.columns.items()],
            ),
        ]
        whole = [str(check.name or check.error) for check in schema.checks]
        if whole:
            parts.append("Checks of whole rows: " + ", ".join(f"`{name}`" for name in whole) + ".")
    return page("Contracts", *parts)


def ledger_page() -> str:
    """
    Return the page of the ledger, read from a new one.

    Raises:
        ValueError: A table has no meaning in :mod:`docs.code_meanings`.
    """
    parts = ["One SQLite file, `ledger.sqlite`, in WAL mode. Times are epoch milliseconds, UTC."]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / LEDGER_FILE
        SqliteLedger(path, clock=SystemClock()).close()
        with closing(sqlite3.connect(path)) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            parts.append(f"Schema version {version} (`PRAGMA user_version`).")
            for name in _tables(db):
                if name not in TABLES:
                    msg = f"docs/code_meanings.py does not explain the table {name!r}"
                    raise ValueError(msg)
                rows = [_ledger_column(row) for row in db.execute(f"PRAGMA table_info({name})")]
                parts += [f"## {name}", TABLES[name].capitalize() + "."]
                parts.append(table(("column", "type", "null", "default"), rows))
    return page("Ledger", *parts)


def frames() -> Iterator[tuple[str, type[pa.DataFrameModel]]]:
    """Yield every contract with the module that it stands in."""
    for info in pkgutil.iter_modules(contracts.__path__, "contracts."):
        module = importlib.import_module(info.name)
        for one in vars(module).values():
            own = inspect.isclass(one) and one.__module__ == info.name
            if own and issubclass(one, pa.DataFrameModel):
                yield info.name, one


def _flow_docstring(entrypoint: str) -> str:
    module, _, function = entrypoint.rpartition(".")
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_docstring(node) or ""
    msg = f"there is no flow {entrypoint}"
    raise ValueError(msg)


def _column(name: str, column: Any) -> tuple[str, str, str, str]:
    checks = [str(check.error or check.name) for check in column.checks]
    if column.unique:
        checks.append("unique")
    return (
        f"`{name}`",
        str(column.dtype),
        "yes" if column.nullable else "no",
        ", ".join(f"`{c}`" for c in checks),
    )


def _tables(db: sqlite3.Connection) -> list[str]:
    names = [
        row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    ]
    # SQLite's own tables, and the shadows of the full-text index.
    return [name for name in names if not re.match(r"sqlite_|observations_fts_", name)]


def _ledger_column(row: tuple[Any, ...]) -> tuple[str, str, str, str]:
    _, name, kind, not_null, default, primary = row
    null = "key" if primary else ("no" if not_null else "yes")
    return f"`{name}`", kind or "-", null, f"`{default}`" if default is not None else ""
