"""
The library's door: a home opened once, and its memories asked, looked through, carried out and in.

>>> import sunrise
>>> with sunrise.open(demo) as memories:
...     found = memories.recall("where do the backups go", scope="ops", limit=1)
...     print(found.items[0].text)
...     print(memories.list(scope="ops").total, memories.stats().stats.rows)
The backups go to the NAS every night
2 3
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sunrise.bootstrap import open_home, open_home_to_read
from sunrise.client.erasing import Erasing
from sunrise.client.looking import Looking
from sunrise.settings import load_settings

__all__ = ["OpenMemories", "open"]


@contextmanager
def open(  # noqa: A001  it is called sunrise.open, as files are opened
    home: str | Path | None = None, *, read_only: bool = False
) -> Iterator[OpenMemories]:
    """
    Open a home for the time of a block, and lend its memories.

    The home is the one named, else ``SUNRISE_HOME``, else ``~/.sunrise``. With ``read_only`` nothing is made
    and nothing is changed, not even where there is no home yet; what would write raises.

    >>> import sunrise
    >>> with sunrise.open(demo, read_only=True) as memories:
    ...     memories.revive("mem:nas-backup")
    Traceback (most recent call last):
    sunrise.errors.ConfigurationError: the home was opened to be read only

    Raises:
        ConfigurationError: The settings are not valid.
        StoreError: The ledger cannot be opened.
    """
    settings = load_settings(home)
    opened = open_home_to_read if read_only else open_home
    with opened(settings) as place:
        yield OpenMemories(place)


class OpenMemories(Looking, Erasing):
    """
    The memories of an open home. Each call sees what is there at that moment, whoever wrote it.

    It lives as long as the block of :func:`open`. Threads may share it.
    """
