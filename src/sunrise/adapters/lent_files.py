"""The files that clients of the service name: plain ones in one folder of the home, and nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from sunrise.errors import DataError, StoreError

EXPORTS = "exports"
IMPORTS = "imports"
MAX_NAME = 128

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)


def export_path(home: Path, name: str) -> Path:
    """
    Return where an export of this name is written; the folder is made if need be, for us alone.

    Raises:
        DataError: The name leads elsewhere, or stands for something that is no file; reason ``bad_file``.
        StoreError: The folder cannot be made.
    """
    path = export_folder(home) / _plain(name)
    # What takes the place of a link would surprise whoever made it.
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise _bad()
    return path


def export_folder(home: Path) -> Path:
    """
    Return the folder of exports, made if need be, for us alone.

    Raises:
        DataError: It is a link, or no folder; reason ``bad_file``.
        StoreError: It cannot be made.
    """
    folder = home / EXPORTS
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise _bad() from error
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}") from error
    if folder.is_symlink():
        raise _bad()
    return folder


def opened_import(home: Path, name: str) -> BinaryIO | None:
    """
    Open a file of ``HOME/imports``, or return None where there is none of this name.

    Raises:
        DataError: The name leads elsewhere, or to a link, a folder or a pipe; reason ``bad_file``.
    """
    folder = home / IMPORTS
    plain = _plain(name)
    if folder.is_symlink():
        raise _bad()
    try:
        # Looked at when it is open: what is put in its place meanwhile is not what was looked at.
        handle = os.open(folder / plain, os.O_RDONLY | _NO_LINKS | _NO_WAITING)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _bad() from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _bad()
    return os.fdopen(handle, "rb")


def _plain(name: str) -> str:
    """
    Return a name that has no folder in it, is not hidden, and holds no control.

    >>> _plain("all.jsonl"), _plain("記憶.jsonl")
    ('all.jsonl', '記憶.jsonl')
    """
    is_plain = name.isprintable() and not name.startswith((".", "-", " ")) and not set(name) & set("/\\:")
    if not is_plain or not name or len(name.encode("utf-8", "replace")) > MAX_NAME:
        raise _bad()
    return name


def _bad() -> DataError:
    return DataError("this is no plain file of that folder", reason="bad_file")
