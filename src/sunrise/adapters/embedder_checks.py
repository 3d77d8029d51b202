"""What every embedder must bear: texts that break others, forks and threads, each with the same result."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from sunrise.ports import Embedder

PROBES: Final = (
    "the backup failed last night",
    "備份昨晚失敗了",
    "备份昨晚失败了",
    "昨夜のバックアップは失敗した",
    "ERR_2043 in /etc/fstab",
)

HARD_TEXTS: Final[dict[str, str]] = {
    "empty": "",
    "blanks": " \t\n",
    "one character that becomes eighteen": "\ufdfa" * 20,
    "NUL": "nul\x00 and more",
    "lone surrogates": "\ud83d half \udc00",
    "emoji": "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ☕️" * 20,
    "bidi": "\u202eabc\u202c שלום \u2067مرحبا\u2069",
    "marks without a letter": "\u0301" * 500,
    "1 MB": "The deployment needs a backup. 備份 " * 30_000,
}

_THREADS: Final = 8
_FORK_S: Final = 60.0
_NEAR: Final = 1e-4
"""A service's vectors are not the same to the last bit; by so little no two texts change places."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried, and what came of it. ``fault`` is empty where all is well."""

    name: str
    fault: str
    seconds: float


def checks(embedder: Embedder) -> Iterator[Check]:
    """Try an embedder, one thing after the other; what it raises is a fault."""
    for name, fault in _trials(embedder):
        started = time.perf_counter()
        try:
            said = fault()
        except Exception as error:  # whatever breaks in a model or its network is what is looked for
            said = f"{type(error).__name__}: {error}"
        yield Check(name, said, time.perf_counter() - started)


def _trials(embedder: Embedder) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "unit vectors", lambda: _shape_fault(embedder, list(PROBES))
    yield "questions too", lambda: _question_fault(embedder)
    yield "the same again, alone", lambda: _alone_fault(embedder)
    for name, text in HARD_TEXTS.items():
        yield name, lambda text=text: _shape_fault(embedder, [text, *PROBES])  # type: ignore[misc]
    yield "what follows a NUL counts", lambda: _nul_fault(embedder)
    if hasattr(os, "fork"):
        yield "a fork after use", lambda: _fork_fault(embedder)
    yield "eight threads at once", lambda: _threads_fault(embedder)


def _shape_fault(embedder: Embedder, texts: list[str]) -> str:
    return _fault_of(embedder.embed(texts), (len(texts), embedder.dimension))


def _question_fault(embedder: Embedder) -> str:
    return _fault_of(embedder.embed_query(list(PROBES)), (len(PROBES), embedder.dimension))


def _fault_of(vectors: np.ndarray, shape: tuple[int, int]) -> str:
    if vectors.shape != shape:
        return f"an array of shape {vectors.shape} in place of {shape}"
    if vectors.dtype != np.float32:
        return f"numbers of type {vectors.dtype} in place of float32"
    if shape[1] and not np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=_NEAR):
        return "vectors that are not of length 1"
    return ""


def _alone_fault(embedder: Embedder) -> str:
    together = embedder.embed(PROBES)
    alone = np.concatenate([embedder.embed([text]) for text in reversed(PROBES)])[::-1]
    return _difference(together, alone)


def _nul_fault(embedder: Embedder) -> str:
    if not embedder.dimension:
        return ""
    short, long = embedder.embed(["tea", "tea\x00 with the backup of the database"])
    return "the text after it is ignored" if float(short @ long) > 1 - _NEAR else ""


def _threads_fault(embedder: Embedder) -> str:
    expected = embedder.embed(PROBES)
    with ThreadPoolExecutor(_THREADS) as pool:
        given = pool.map(lambda _: embedder.embed(PROBES), range(2 * _THREADS))
        return next(filter(None, (_difference(expected, one) for one in given)), "")


def _fork_fault(embedder: Embedder) -> str:
    expected = embedder.embed(PROBES)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer_and_end(embedder, writing)
    os.close(writing)
    try:
        return _difference(expected, _received(reading, expected))
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer_and_end(embedder: Embedder, writing: int) -> None:
    # A child must not go on with what its parent had begun, whatever happens.
    try:
        os.write(writing, embedder.embed(PROBES).tobytes())
    finally:
        os._exit(0)


def _received(reading: int, like: np.ndarray) -> np.ndarray:
    content, end = b"", time.monotonic() + _FORK_S
    while len(content) < like.nbytes:
        ready, _, _ = select.select([reading], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            msg = f"the child gave no answer within {_FORK_S:.0f} s"
            raise TimeoutError(msg)
        part = os.read(reading, like.nbytes)
        if not part:
            msg = "the child ended without an answer"
            raise ChildProcessError(msg)
        content += part
    return np.frombuffer(content, dtype=np.float32).reshape(like.shape)


def _difference(expected: np.ndarray, given: np.ndarray) -> str:
    if expected.shape != given.shape:
        return f"an array of shape {given.shape} in place of {expected.shape}"
    furthest = float(np.abs(expected - given).max(initial=0.0))
    return f"numbers that differ by {furthest:.2g}" if furthest > _NEAR else ""
