"""Blocking calls in a few threads, with a bounded line before them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from sunrise.serve.problems import RefusalError

WRITERS: Final = 2
"""Threads for what changes memories: one call at a time does, and an import goes on beside it."""

STUCK_S: Final = 120.0
"""A call that takes longer than this is not coming back."""

Answer = TypeVar("Answer")


class Workers:
    """
    Runs what blocks; more calls at once of a kind than it has threads, plus ``queue``, are refused.

    What an agent waits for has threads and a line of its own, few of them: threads of one interpreter wait
    for each other, and of four that recall at once a fifth less is answered than of two. So has what writes:
    where a flow holds the ledger, writers wait for it, and readers do not wait for writers.
    """

    def __init__(self, *, questions: int, threads: int, queue: int) -> None:
        self._questions = _Lane(questions, queue, name="sunrise-ask")
        self._readers = _Lane(threads, queue, name="sunrise-serve")
        self._writers = _Lane(WRITERS, queue, name="sunrise-write")

    async def ask(self, call: Callable[[], Answer]) -> Answer:
        """
        Return what a recall returns; no export, and no other call that takes long, stands before it.

        Raises:
            RefusalError: Enough of them wait already; reason ``overloaded``.
        """
        return await asyncio.wrap_future(self._questions.submit(call))

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """
        Return what a blocking call returns. One that nobody waits for any more goes on to its end.

        Raises:
            RefusalError: Enough calls wait already, or the service stops; reason ``overloaded``.
        """
        return await asyncio.wrap_future(self._readers.submit(call))

    async def write(self, call: Callable[[], Answer]) -> Answer:
        """
        Return what a blocking call returns that changes memories.

        Raises:
            RefusalError: Enough of them wait already; reason ``overloaded``.
        """
        return await asyncio.wrap_future(self._writers.submit(call))

    def are_stuck(self) -> bool:
        """Return whether every thread for questions, or for readers, has been at one call for too long."""
        return self._questions.is_stuck() or self._readers.is_stuck()

    def close(self) -> None:
        """Begin no more calls."""
        self._questions.close()
        self._readers.close()
        self._writers.close()


class _Lane:
    """A few threads, and a bounded line before them."""

    def __init__(self, threads: int, queue: int, *, name: str) -> None:
        self._threads = threads
        self._room = threads + queue
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._under_way = 0
        self._begun: dict[int, float] = {}

    def submit(self, call: Callable[[], Answer]) -> Future[Answer]:
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
        return future

    def is_stuck(self) -> bool:
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
