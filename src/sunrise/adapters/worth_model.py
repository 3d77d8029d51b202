"""The network that weighs rows at the door: its weights come with the package, and need nothing but numpy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

EMBEDDER: Final = "use"
"""The embedder whose vectors the network reads, whatever embedder answers in recall."""

FILE: Final = "worth_model.npz"


@dataclass(frozen=True, slots=True)
class WorthModel:
    """
    Networks of one hidden layer, whose odds are averaged.

    ``hidden`` and ``hidden_bias`` have the shapes ``(networks, features, units)`` and ``(networks, units)``,
    ``out`` and ``out_bias`` ``(networks, units)`` and ``(networks,)``.
    """

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    def odds(self, features: Floats) -> Floats:
        """Return the natural logarithm of the odds that each row is worth keeping."""
        total = np.zeros(len(features), np.float32)
        for hidden, bias, out, shift in zip(
            self.hidden, self.hidden_bias, self.out, self.out_bias, strict=True
        ):
            total += np.maximum(features @ hidden + bias, 0) @ out + shift
        return total / np.float32(len(self.out_bias))


@lru_cache(1)
def worth_model() -> WorthModel:
    """Return the network that comes with the package."""
    with (files("sunrise.adapters") / FILE).open("rb") as file, np.load(file, allow_pickle=False) as told:
        names = ("hidden", "hidden_bias", "out", "out_bias")
        return WorthModel(*(told[name].astype(np.float32) for name in names))
