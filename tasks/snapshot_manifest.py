"""The manifest of a snapshot: what it says, how it is read, and how an edit of it shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
LEDGER_COPY = "ledger.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """
    What one snapshot holds.

    ``version`` is the tagged version of the memories table, None where there was no table, or where a sweep
    has given it up. ``digest`` is of the copied rows of the ledger, ``ledger_sha256`` of the copied file.
    Snapshots of older versions lack what follows, and are checked by what they have.
    """

    tag: str
    reason: str
    created_ms: int
    version: int | None
    rows: int
    digest: str
    ledger_sha256: str
    note: str = ""
    schema_hash: str | None = None
    content_hash: str | None = None
    ledger_rows: Mapping[str, int] | None = None
    ledger_schema: int | None = None
    made_by: str | None = None
    seal: str | None = None

    @property
    def is_sealed(self) -> bool:
        """Whether the manifest is as it was written; one without a seal is of an older version."""
        return self.seal == _seal(self) if self.seal else self.content_hash is None and self.made_by is None


def sealed(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot with the seal of all that its manifest says."""
    return replace(snapshot, seal=_seal(snapshot))


def manifest_text(snapshot: Snapshot) -> str:
    """Return the manifest as it is written."""
    return json.dumps(asdict(snapshot), ensure_ascii=False, indent=2) + "\n"


def read_snapshots(backups: Path) -> list[Snapshot]:
    """Return the finished snapshots of a folder, newest first."""
    found = [_read(path) for path in backups.glob(f"*/{MANIFEST}")]
    return sorted((one for one in found if one), key=lambda one: (one.created_ms, one.tag), reverse=True)


def read_snapshot(backups: Path, name: str) -> Snapshot | None:
    """Return the snapshot of a name, or None where none was finished."""
    return _read(backups / name / MANIFEST)


def _read(path: Path) -> Snapshot | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        # What a later version adds is no reason not to see the snapshot.
        snapshot = Snapshot(**{name: value for name, value in values.items() if name in _NAMES})
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    # The folder is what a tag and a copy are looked up by: a manifest of another name is not its own.
    return snapshot if snapshot.tag == path.parent.name and _is_sound(snapshot) else None


def _is_sound(snapshot: Snapshot) -> bool:
    numbers: tuple[Any, ...] = (snapshot.created_ms, snapshot.rows)
    texts: tuple[Any, ...] = (snapshot.reason, snapshot.digest, snapshot.ledger_sha256, snapshot.note)
    version: Any = snapshot.version
    return (
        all(isinstance(one, int) for one in numbers)
        and all(isinstance(one, str) for one in texts)
        and isinstance(version, int | None)
    )


def _seal(snapshot: Snapshot) -> str:
    said = {name: value for name, value in asdict(snapshot).items() if name != "seal"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


_NAMES = frozenset(one.name for one in fields(Snapshot))
