"""What an erasure needs until it is finished: the only file that may hold the texts, and only so long."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from sunrise.errors import StoreError

INTENT = "erasing.json"


@dataclass(frozen=True, slots=True)
class ErasureIntent:
    """The memories that are to be erased, observations that were made of them, and what they said."""

    memory_ids: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def joined(self, other: ErasureIntent) -> ErasureIntent:
        """Return both together."""
        return ErasureIntent(
            tuple(sorted({*self.memory_ids, *other.memory_ids})),
            tuple(sorted({*self.refs, *other.refs})),
            tuple(sorted({*self.texts, *other.texts})),
        )


def read_erasure(home: Path) -> ErasureIntent:
    """
    Return what an erasure that was not finished left; an empty one if there is none.

    Raises:
        StoreError: The file is there and cannot be read.
    """
    try:
        text = (home / INTENT).read_text(encoding="utf-8")
        # A kill came between the overwriting and the removal.
        values = json.loads(text) if text.strip() else asdict(ErasureIntent())
        return ErasureIntent(**{name: tuple(values[name]) for name in ("memory_ids", "refs", "texts")})
    except FileNotFoundError:
        return ErasureIntent()
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{home / INTENT} cannot be read: {error}; remove it and erase again"
        raise StoreError(msg) from error


def write_erasure(home: Path, intent: ErasureIntent) -> None:
    """
    Keep what an erasure needs, for the owner's eyes only.

    Raises:
        StoreError: The file cannot be written.
    """
    path, partial = home / INTENT, home / f".{INTENT}"
    try:
        partial.unlink(missing_ok=True)
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(intent), file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        msg = f"{path} cannot be written: {error}"
        raise StoreError(msg) from error


def remove_erasure(home: Path) -> None:
    """
    Remove it, its bytes overwritten; one that is not there is no error.

    Raises:
        StoreError: The file cannot be removed.
    """
    try:
        for path in (home / INTENT, home / f".{INTENT}"):
            _overwrite(path)
            path.unlink(missing_ok=True)
    except OSError as error:
        msg = f"{home / INTENT} cannot be removed: {error}"
        raise StoreError(msg) from error


def _overwrite(path: Path) -> None:
    if path.exists():
        with path.open("r+b") as file:
            file.write(b" " * path.stat().st_size)
            file.flush()
            os.fsync(file.fileno())
