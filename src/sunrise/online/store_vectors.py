"""The vector of a text that is stored, and the column that takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sunrise.domain.vector_space import SpaceState, active_space, column_of
from sunrise.errors import DataError
from sunrise.online.text_vectors import Floats, SlowEmbedderError, text_vector
from sunrise.ports import Embedder, MemoryTable


@dataclass(frozen=True, slots=True)
class Embedded:
    """A vector with its column, or a code that says why there is none."""

    column: str | None = None
    vector: Floats | None = None
    skipped: str | None = None


def embedded(text: str, *, memories: MemoryTable, embedder: Embedder, timeout_s: float) -> Embedded:
    """
    Return the vector of a text for the column that answers.

    A table without memories has no column that answers yet: there that of the embedder does from now on.
    Whatever fails in the model is told and not raised: the index flow makes what is missing.

    Raises:
        StoreError: The table cannot be read or written.
    """
    if not embedder.dimension:
        return Embedded(skipped="embedder_none")
    try:
        column = _column(memories, embedder)
    except DataError as error:
        return Embedded(skipped=error.reason)
    return (
        Embedded(skipped="no_vectors_of_model")
        if column is None
        else _made(text, column, embedder, timeout_s)
    )


def _made(text: str, column: str, embedder: Embedder, timeout_s: float) -> Embedded:
    try:
        vector = text_vector(embedder, text, timeout_s=timeout_s)
    except SlowEmbedderError:
        return Embedded(skipped="embedder_slow")
    except Exception:  # Whatever breaks in a model or its network, the text is stored.
        return Embedded(skipped="embedder_failed")
    if vector.shape != (embedder.dimension,) or not np.isfinite(vector).all() or not vector.any():
        return Embedded(skipped="bad_vector")
    return Embedded(column, vector)


def _column(memories: MemoryTable, embedder: Embedder) -> str | None:
    spaces = memories.spaces()
    active = active_space(spaces)
    if active is not None:
        is_ours = active.model_id == embedder.model_id and active.dimension == embedder.dimension
        return active.column if is_ours else None
    if any(one.state is SpaceState.ACTIVE for one in spaces) or any(
        batch.num_rows for batch in memories.batches(["id"])
    ):
        # What is there has no vectors of ours; the index flow gives it some, and switches.
        building = column_of(embedder.model_id)
        return building if any(one.column == building for one in spaces) else None
    column = memories.prepare_space(embedder.model_id, embedder.dimension)
    memories.activate(column)
    return column
