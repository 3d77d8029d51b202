"""Keeps a run's lease alive while the run works."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from sunrise.errors import StoreError
from sunrise.ports import RunLog

RENEW_SECONDS = 30.0
"""A quarter of a lease's life: three renewals may fail before another run may take over."""


class LeaseKeeper:
    """
    Takes a lease on entering and gives it back on leaving; renews it from a thread of its own between.

    Raises:
        BusyError: On entering, when a live run holds the lease.
    """

    def __init__(self, log: RunLog, name: str, *, run_id: str, every: float = RENEW_SECONDS) -> None:
        self._log, self._name, self._run_id, self._every = log, name, run_id, every
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"lease-{name}", daemon=True)

    def __enter__(self) -> Self:
        self._log.acquire_lease(self._name, run_id=self._run_id)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._log.release_lease(self._name, run_id=self._run_id)

    def check(self) -> None:
        """
        Stop a run whose lease was taken by another one, before it writes beside it.

        Raises:
            StoreError: The lease is lost.
        """
        if self._lost.is_set():
            msg = f"the lease of {self._name} was lost to another run"
            raise StoreError(msg)

    def _renew(self) -> None:
        while not self._stop.wait(self._every):
            try:
                if not self._log.renew_lease(self._name, run_id=self._run_id):
                    self._lost.set()
                    return
            except StoreError:
                # One locked moment is no loss: the lease outlives several renewals.
                continue
