"""Vectors that are made and not yet in the memories table, in files that outlive a kill."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa

FOLDER = "embedding"
"""Below the home; a folder in it for each model."""

_DIGEST_BYTES = 16
_GLOB = "*.arrow"


class Stage:
    """
    Finished batches of one model: id, digest of the text and vector, a file for each batch.

    A merge rewrites the whole column of each fragment that it touches, so that batches gather here first. A
    file is there whole or not at all, and one that cannot be read counts as none.
    """

    def __init__(self, home: Path, column: str) -> None:
        self._folder = home / FOLDER / column

    def digests(self) -> dict[str, bytes]:
        """Return the digest of the text that was staged last for each id."""
        found: dict[str, bytes] = {}
        for part in self._parts():
            ids, digests = part.column("id").to_pylist(), part.column("digest").to_pylist()
            found |= dict(zip(ids, digests, strict=True))
        return found

    def put(self, ids: Sequence[str], digests: Sequence[bytes], vectors: np.ndarray) -> None:
        """Keep a batch."""
        self._folder.mkdir(parents=True, exist_ok=True)
        rows = pa.table(
            {
                "id": pa.array(ids, pa.string()),
                "digest": pa.array(digests, pa.binary(_DIGEST_BYTES)),
                "vector": _listed(vectors),
            }
        )
        names = [path.stem for path in self._folder.glob(_GLOB)]
        path = self._folder / f"{max(map(int, names), default=0) + 1:08}.arrow"
        unfinished = path.with_suffix(".unfinished")
        with pa.OSFile(str(unfinished), "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows)
        unfinished.replace(path)

    def chunks(self, rows: int) -> Iterator[pa.Table]:
        """Yield what was staged, in its order, at least so many rows at a time but for the last."""
        waiting: list[pa.Table] = []
        for part in self._parts():
            waiting.append(part)
            if sum(map(len, waiting)) >= rows:
                yield pa.concat_tables(waiting)
                waiting = []
        if waiting:
            yield pa.concat_tables(waiting)

    def drop(self) -> None:
        """Forget what was staged of this model."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with suppress(OSError):
            # Another model may have staged too.
            self._folder.parent.rmdir()

    def _parts(self) -> Iterator[pa.Table]:
        for path in sorted(self._folder.glob(_GLOB)):
            try:
                with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
                    yield reader.read_all()
            except (OSError, pa.ArrowInvalid):
                continue


def drop_stages(home: Path) -> None:
    """Forget what was staged of every model: nobody will ask for it any more."""
    shutil.rmtree(home / FOLDER, ignore_errors=True)


def digest_of(text: str) -> bytes:
    """Return what a staged vector keeps of its text: enough to see that the text is another now."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]


def vectors_in(rows: pa.Table) -> np.ndarray:
    """Return the vectors of staged rows as one array."""
    column = rows.column("vector").combine_chunks()
    flat: np.ndarray = column.flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(rows), column.type.list_size)


def _listed(vectors: np.ndarray) -> pa.FixedSizeListArray:
    flat = np.ascontiguousarray(vectors, dtype=np.float32)
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1])
