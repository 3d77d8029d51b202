"""What the tests of wild inputs share: spool files, the homes that read them, and what is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sunrise.adapters.sqlite_ledger import SqliteLedger
from sunrise.bootstrap import Home, open_home
from sunrise.settings import load_settings
from tasks.keeping import Harvested
from tests.fakes import FrozenClock
from tests.homes import NOW

WRITTEN = NOW - 5 * 86_400_000
"""When the file was last written: what stands in for a time that cannot be read. Never the present."""

NEIGHBOUR = b'{"summary": "after", "id": "after"}\n'
KEY = "sk-ant-api03-" + "a1B2" * 20
TOKEN = "ghp_" + "a1B2" * 9


def line(**fields: Any) -> bytes:
    return json.dumps({"id": "w", "ts": NOW - 1000, "summary": "s", **fields}, ensure_ascii=False).encode()


@contextmanager
def opened(path: Path) -> Iterator[Home]:
    with open_home(load_settings(path), clock=FrozenClock(NOW)) as home:
        yield home


def spooled(home: Path, name: str, data: bytes) -> Path:
    path = home / "spool" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (WRITTEN / 1000, WRITTEN / 1000))
    return path


def rows_of(home: Home) -> list[dict[str, Any]]:
    assert isinstance(home.ledger, SqliteLedger)
    with home.ledger.reading() as db:
        cursor = db.execute("SELECT * FROM observations ORDER BY id")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def adds_up(found: Harvested) -> int:
    assert found.unreadable == []
    assert found.seen == found.inserted + found.duplicate + found.quarantined.total()
    return found.seen
