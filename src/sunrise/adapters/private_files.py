"""Files that are nobody else's to read: tokens, and where the service is. Only the standard library."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sunrise.errors import ConfigurationError, StoreError

MAX_BYTES = 1024 * 1024

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""A pipe of that name, which nobody writes to, would be waited for."""
_HAS_MODES = hasattr(os, "geteuid")


def read_private(path: Path) -> str | None:
    """
    Return the text of a file that only we can read, or None where there is none.

    Raises:
        ConfigurationError: It is a link, belongs to somebody else, or others may read or write it.
    """
    try:
        file = os.open(path, os.O_RDONLY | _NO_LINKS | _NO_WAITING)
    except FileNotFoundError:
        return None
    except OSError as error:
        # A link is not followed; the system calls that "too many levels of symbolic links".
        said = "is a link" if path.is_symlink() else f"cannot be read: {error.strerror}"
        raise ConfigurationError(f"{path} {said}") from error
    try:
        _check(os.fstat(file), path)
        return os.read(file, MAX_BYTES).decode("utf-8", "replace")
    finally:
        os.close(file)


def write_private(path: Path, text: str) -> None:
    """
    Write a file whole that only we can read, in place of what has its name.

    Raises:
        StoreError: The folder cannot be written, or the disk is full.
    """
    # A hook that only reads need not pay for it.
    from sunrise.adapters.whole_files import written_whole  # noqa: PLC0415

    try:
        with written_whole(path) as file:
            file.write(text.encode("utf-8"))
    except ConfigurationError as error:
        raise StoreError(f"{path} cannot be written: {error}") from error


def append_private(path: Path, line: str) -> int:
    """
    Append a line to a file that only we can read, and return its size.

    Raises:
        StoreError: It is a link, cannot be written, or the disk is full.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINKS, 0o600)
        try:
            os.write(file, line.encode("ascii", "backslashreplace") + b"\n")
            return os.fstat(file).st_size
        finally:
            os.close(file)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def check_folder(path: Path) -> Path:
    """
    Return a folder by its real path, so that no link that is changed later leads elsewhere.

    Raises:
        ConfigurationError: It belongs to somebody else, or others may write to it.
    """
    real = path.resolve()
    if not real.is_dir():
        raise ConfigurationError(f"there is no home {path}: make it with `sunrise init`")
    if _HAS_MODES:
        found = real.stat()
        if found.st_uid != os.geteuid():
            raise ConfigurationError(f"the home {real} belongs to another user")
        if found.st_mode & 0o022:
            raise ConfigurationError(f"others may write to the home {real}: chmod go-w {real}")
    return real


def _check(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigurationError(f"{path} is no file")
    if not _HAS_MODES:
        return
    if found.st_uid != os.geteuid():
        raise ConfigurationError(f"{path} belongs to another user")
    if found.st_mode & 0o077:
        raise ConfigurationError(f"others may read {path}: chmod 600 {path}")
