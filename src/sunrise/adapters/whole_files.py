"""Files that appear when they are whole: a reader, or a kill, never meets half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sunrise.errors import ConfigurationError, StoreError


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """
    Lend a file for writing that takes its name when the block ends well, and is gone when it does not.

    Only its owner can read it. What stood there before is replaced.

    Raises:
        ConfigurationError: The path is a folder, or in none.
        StoreError: The file cannot be written: no room, no permission.
    """
    if path.is_dir() or not path.name:
        raise ConfigurationError(f"{path} is a folder: name a file")
    if not path.parent.is_dir():
        raise ConfigurationError(f"there is no folder {path.parent}: make it first")
    try:
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            Path(partial).replace(path)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error}") from error


def inside(path: str | Path, folder: Path) -> Path:
    """
    Return a path that lies in a folder, links followed: what a client names must not lead out of it.

    Raises:
        ConfigurationError: It leads out, or is no path.
    """
    try:
        root = folder.resolve()
        whole = (root / path).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError("this is no path") from error
    if whole == root or not whole.is_relative_to(root):
        raise ConfigurationError(f"the path leads out of {root}")
    return whole
