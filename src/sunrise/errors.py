"""
Every error that sunrise raises on purpose.

::

    SunriseError
    ├── ConfigurationError      mend your setup, then run again
    ├── DataError               mend the data; carries a reason code
    └── StoreError              a store failed; a retry may help
        ├── BusyError           another run holds the lease
        └── ConflictError       another writer was quicker, time after time
"""

from __future__ import annotations


class SunriseError(Exception):
    """Base of the tree: catch it at the edge of a program, never inside."""


class ConfigurationError(SunriseError):
    """The setup is wrong: a setting, a path, a missing extra. The message says what to change."""


class DataError(SunriseError):
    """The data cannot be used as it is. ``reason`` is a stable code that reports group by."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class StoreError(SunriseError):
    """A store could not be read or written. Nothing was half done; a retry may help."""


class ConflictError(StoreError):
    """Another writer of the same table was quicker, however often it was tried. Nothing was written."""


class BusyError(StoreError):
    """Another live run holds the lease. ``holder`` is its run id."""

    def __init__(self, message: str, *, holder: str) -> None:
        super().__init__(message)
        self.holder = holder
