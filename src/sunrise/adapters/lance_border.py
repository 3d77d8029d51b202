"""The border to lancedb: how it is imported, how its errors are told, and what is tried again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from sunrise.errors import DataError, StoreError, SunriseError

TRIES: Final = 5
_FIRST_PAUSE_S: Final = 0.05
_MESSAGE_CHARS: Final = 300

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
    """
    # Without this each query that leaves out `_score` prints a warning; it is read on import.
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb  # noqa: PLC0415

    return lancedb.connect(
        located(uri), read_consistency_interval=timedelta(0), storage_options=storage_options
    )


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
    Run an action on the newest version; when another writer was quicker, do it again, five times in all.

    ``refresh`` comes before every try: on a stale handle ``optimize`` does nothing without a word, and
    ``add_columns`` conflicts for ever.
    """
    for attempt in range(1, TRIES + 1):
        refresh()
        try:
            return action()
        except (RuntimeError, OSError) as error:
            if attempt == TRIES or "conflict" not in str(error).lower():
                raise
        sleep(_FIRST_PAUSE_S * 2**attempt)
    raise AssertionError  # pragma: no cover - the last try returns or raises


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:_MESSAGE_CHARS]
