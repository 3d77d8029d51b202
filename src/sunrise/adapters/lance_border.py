"""The border to lancedb: how it is imported, how its errors are told, and what is tried again."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from sunrise.errors import ConflictError, DataError, StoreError, SunriseError

TRIES: Final = 8
"""With five, on a busy machine, a flow gave up once in a minute beside a writer that never rests."""

INDEX_CACHE_BYTES: Final = 512 << 20
METADATA_CACHE_BYTES: Final = 16 << 20
"""Each version lists all its files: with a store a minute lancedb would soon hold a gigabyte of them."""

_FIRST_PAUSE_S: Final = 0.05
_MESSAGE_CHARS: Final = 300
_SAID: Final = re.compile(r'(?:<Message>|message: \\?"|Some\(\\")([^<"\\]{3,200})')

Result = TypeVar("Result")


@contextmanager
def told_as_ours(action: str) -> Iterator[None]:
    """
    Turn what lancedb, Arrow and the file system raise into errors of sunrise.

    Raises:
        DataError: The store refused the request itself (a ValueError there); reason ``refused_by_store``.
        StoreError: The store failed; a retry may help.
    """
    try:
        yield
    except SunriseError:
        raise
    except ValueError as error:
        msg = f"{action}: {_first_line(error)}"
        raise DataError(msg, reason="refused_by_store") from error
    except (RuntimeError, OSError) as error:
        msg = f"{action}: {_first_line(error)}"
        raise StoreError(msg) from error


def connect(uri: str | Path, *, storage_options: dict[str, str] | None = None) -> Any:
    """
    Return a connection whose tables see every writer's newest commit. It makes a local directory.

    Importing lancedb costs one to three seconds, so it is done here and not with the module.

    Raises:
        StoreError: Object storage does not answer, or lets nobody in.
    """
    # Without this each query that leaves out `_score` prints a warning; it is read on import.
    os.environ.setdefault("LANCEDB_LOG", "error")
    from sunrise.adapters.lance_loading import load_lancedb  # noqa: PLC0415

    lancedb = load_lancedb()

    try:
        return lancedb.connect(
            located(uri),
            read_consistency_interval=timedelta(0),
            storage_options=storage_options or None,
            # One for each connection: a table that is put in place of another one is not taken for it.
            session=lancedb.Session(
                index_cache_size_bytes=INDEX_CACHE_BYTES, metadata_cache_size_bytes=METADATA_CACHE_BYTES
            ),
        )
    except ValueError as error:
        if not is_remote(uri):
            raise
        msg = f"the object storage of {located(uri)} does not answer: {_innermost(error)}"
        raise StoreError(msg) from error


def located(uri: str | Path) -> str:
    """
    Return the URI as lancedb takes it: a plain path with ``~`` opened, object storage as it is.

    >>> located("s3://bucket/memory"), located("file:///var/memory")
    ('s3://bucket/memory', '/var/memory')
    """
    text = str(uri).removeprefix("file://")
    return text if is_remote(text) else str(Path(text).expanduser())


def is_remote(uri: str | Path) -> bool:
    """Return whether the URI names object storage, where no path can be looked at."""
    return "://" in str(uri).removeprefix("file://")


def retry_conflicts(
    action: Callable[[], Result],
    *,
    refresh: Callable[[], object],
    sleep: Callable[[float], None] = time.sleep,
) -> Result:
    """
    Run an action on the newest version; when another writer was quicker, do it again, eight times in all.

    ``refresh`` comes before every try: on a stale handle ``optimize`` does nothing without a word, and
    ``add_columns`` conflicts for ever.

    Raises:
        ConflictError: Another writer was quicker every time.
    """
    for attempt in range(1, TRIES + 1):
        refresh()
        try:
            return action()
        except (RuntimeError, OSError) as error:
            told = str(error).lower()
            # A merge tries for itself, for half a minute.
            is_given_up = "too many concurrent writers" in told
            if not is_given_up and "conflict" not in told:
                raise
            if is_given_up or attempt == TRIES:
                msg = "another writer was quicker time after time (commit conflict): run it again later"
                raise ConflictError(msg) from error
        sleep(_FIRST_PAUSE_S * 2**attempt)
    raise AssertionError  # pragma: no cover - the last try returns or raises


def _innermost(error: BaseException) -> str:
    # A debugging dump of errors around errors; what the storage or the system said stands inside.
    said = _SAID.search(str(error))
    return said[1] if said else _first_line(error)


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:_MESSAGE_CHARS]
