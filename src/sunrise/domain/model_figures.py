"""What was measured for each known model: how much its cosines are worth, and what is too far away."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """``dense_weight`` is how much of a fused score is meaning, ``least_fit`` where an answer is chance."""

    dense_weight: float = 0.35
    least_fit: float = -0.55


_MEASURED: Final = MappingProxyType(
    {
        "use-multilingual-v3": ModelFigures(0.35, -0.34),
        "multilingual-e5-small": ModelFigures(0.5, -0.48),
    }
)


def figures_of(model_id: str) -> ModelFigures:
    """
    Return the figures of a model; one that nobody measured gets a cautious weight, and is seldom cut off.

    >>> figures_of("multilingual-e5-small-q4/0.3.0").dense_weight, figures_of("fake/1").dense_weight
    (0.5, 0.35)
    """
    return next((found for name, found in _MEASURED.items() if model_id.startswith(name)), ModelFigures())
