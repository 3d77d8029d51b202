"""Blocking calls in a few threads, with a bounded line before them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from sunrise.serve.problems import RefusalError

STUCK_S: Final = 120.0
"""A call that takes longer than this is not coming back."""

Answer = TypeVar("Answer")


class Workers:
    """Runs what blocks; more than ``threads`` plus ``queue`` calls at once are refused."""

    def __init__(self, *, threads: int, queue: int) -> None:
        self._threads = threads
        self._room = threads + queue
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="sunrise-serve")
        self._lock = threading.Lock()
        self._under_way = 0
        self._begun: dict[int, float] = {}

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """
        Return what a blocking call returns. One that nobody waits for any more goes on to its end.

        Raises:
            RefusalError: Enough calls wait already, or the service stops; reason ``overloaded``.
        """
        with self._lock:
            if self._under_way >= self._room:
                raise RefusalError("overloaded", retry_after_s=1.0)
            self._under_way += 1
        try:
            future = self._pool.submit(self._timed, call)
        except RuntimeError as error:
            with self._lock:
                self._under_way -= 1
            raise RefusalError("overloaded", "the service is being stopped", retry_after_s=5.0) from error
        future.add_done_callback(self._done)
        return await asyncio.wrap_future(future)

    def are_stuck(self) -> bool:
        """Return whether every thread has been at one call for too long."""
        with self._lock:
            late = sum(time.monotonic() - begin > STUCK_S for begin in self._begun.values())
        return late >= self._threads

    def close(self) -> None:
        """Begin no more calls, and wait for those that have begun; the process could not end before them."""
        self._pool.shutdown(cancel_futures=True)

    def _timed(self, call: Callable[[], Answer]) -> Answer:
        thread = threading.get_ident()
        with self._lock:
            self._begun[thread] = time.monotonic()
        try:
            return call()
        finally:
            with self._lock:
                del self._begun[thread]

    def _done(self, _: Future[Answer]) -> None:
        with self._lock:
            self._under_way -= 1
