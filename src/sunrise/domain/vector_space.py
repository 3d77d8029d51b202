"""Which column of the memories holds the vectors of which model, and which of them answers."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LEGACY_COLUMN: Final = "vector"
"""Of whoever made the table; its model stands, if anywhere, beside each row. We read it and write others."""

_PREFIX: Final = "vector_"
_SLUG_CHARS: Final = 32
_MODEL, _DIMENSION, _STATE = "sunrise.model", "sunrise.dimension", "sunrise.state"


class SpaceState(StrEnum):
    """What a column of vectors is at this moment."""

    BUILDING = "building"
    ACTIVE = "active"
    RETIRED = "retired"
    LEGACY = "legacy"


class Fault(StrEnum):
    """Why a row needs a vector: it has none, or one that would poison the search."""

    MISSING = "missing"
    ZERO = "zero"
    NOT_FINITE = "not_finite"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """A column of vectors. ``model_id`` is empty where only the rows tell their model."""

    column: str
    model_id: str
    dimension: int
    state: SpaceState

    @property
    def is_legacy(self) -> bool:
        """Whether rows of several models may stand in the column."""
        return self.state is SpaceState.LEGACY


def column_of(model_id: str) -> str:
    """
    Return the name of the column of a model: no two models share one, and it needs no quotes in SQL.

    >>> column_of("use-multilingual-v3/0.2.1")
    'vector_use_multilingual_v3_0_2_1_49d1c3'
    """
    slug = re.sub(r"[^a-z0-9]+", "_", model_id.lower()).strip("_")[:_SLUG_CHARS].strip("_")
    digest = hashlib.sha256(model_id.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{_PREFIX}{slug}_{digest}" if slug else f"{_PREFIX}{digest}"


def described(space: VectorSpace) -> dict[str, str]:
    """Return what the field of a column says of it, as texts."""
    return {_MODEL: space.model_id, _DIMENSION: str(space.dimension), _STATE: space.state}


def restated(state: SpaceState) -> dict[str, str]:
    """Return what the field of a column says after a change of its state alone."""
    return {_STATE: state}


def space_in(column: str, dimension: int, said: Mapping[str, str]) -> VectorSpace | None:
    """
    Return the space that a column of vectors is, by what its field says; None for a column of others.

    What says nonsense is no space: a query must never meet vectors of which nobody knows the model.

    >>> space_in("vector", 1536, {}).state
    <SpaceState.LEGACY: 'legacy'>
    >>> space_in("image", 64, {}) is None
    True
    """
    if column == LEGACY_COLUMN:
        return VectorSpace(column, "", dimension, SpaceState.LEGACY)
    model_id, state = said.get(_MODEL, ""), said.get(_STATE, "")
    is_ours = model_id and column == column_of(model_id) and said.get(_DIMENSION) == str(dimension)
    if not is_ours or state not in (SpaceState.BUILDING, SpaceState.ACTIVE, SpaceState.RETIRED):
        return None
    return VectorSpace(column, model_id, dimension, SpaceState(state))


def active_space(spaces: Iterable[VectorSpace]) -> VectorSpace | None:
    """Return the space that answers; None where none does, or where two say so and nobody can tell."""
    active = [space for space in spaces if space.state is SpaceState.ACTIVE]
    return active[0] if len(active) == 1 else None


def space_of(spaces: Iterable[VectorSpace], model_id: str) -> VectorSpace | None:
    """Return the column that a model has for itself."""
    return next((space for space in spaces if space.model_id == model_id and not space.is_legacy), None)


def searched(spaces: Sequence[VectorSpace], model_id: str, dimension: int) -> VectorSpace | str:
    """
    Return the space that a query of a model may search, or a code that says why there is none.

    While no column is active the legacy one is searched, of which only the rows of this model count.

    >>> searched([], "use/1", 512)
    'no_vectors_of_model'
    """
    if dimension == 0:
        return "embedder_none"
    space = active_space(spaces)
    if space is None and not any(one.state is SpaceState.ACTIVE for one in spaces):
        space = next((one for one in spaces if one.is_legacy), None)
    if space is None or (space.model_id != model_id and not space.is_legacy):
        return "no_vectors_of_model"
    return space if space.dimension == dimension else "dimension_mismatch"


def fault_in(vector: Sequence[float | None] | None) -> Fault | None:
    """
    Return what is wrong with a vector.

    >>> fault_in([0.0, None]), fault_in([0.0, 0.0]), fault_in([0.6, 0.8])
    (<Fault.GAP: 'gap'>, <Fault.ZERO: 'zero'>, None)
    """
    if vector is None:
        return Fault.MISSING
    numbers = [number for number in vector if number is not None]
    if len(numbers) < len(vector):
        return Fault.GAP
    if not all(map(math.isfinite, numbers)):
        return Fault.NOT_FINITE
    return None if any(numbers) else Fault.ZERO
