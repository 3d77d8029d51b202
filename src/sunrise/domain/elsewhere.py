"""Where other matters lie for a model: what a question is nearest to that no memory answers."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self

from sunrise.domain.text.other_matters import MATTERS_OTHER
from sunrise.domain.text.other_matters_cjk import MATTERS_CJK

OTHER_MATTERS: Final = (*MATTERS_OTHER, *MATTERS_CJK)

NEAREST: Final = 3
"""So many of the nearest count together: one alone may be near for a word."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """
    The vectors of :data:`OTHER_MATTERS` by one model, a byte with a sign for each number.

    ``shares`` are the shares of CJK letters in the texts, ``scale`` is what a byte of 1 stands for.
    """

    version: str
    shares: tuple[float, ...]
    scale: float
    numbers: bytes

    @property
    def is_of_today(self) -> bool:
        """Whether these are the vectors of the texts as they are now."""
        return self.version == matters_version()

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON knows them."""
        return {
            "version": self.version,
            "shares": list(self.shares),
            "scale": self.scale,
            "numbers": base64.b64encode(self.numbers).decode("ascii"),
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """
        Read what :meth:`to_dict` gave.

        Raises:
            ValueError: The numbers are no rows, one a text.
            KeyError: Something is missing.
        """
        found = cls(
            version=str(said["version"]),
            shares=tuple(map(float, said["shares"])),
            scale=float(said["scale"]),
            numbers=base64.b64decode(said["numbers"], validate=True),
        )
        if not found.shares or len(found.numbers) % len(found.shares):
            raise ValueError("the vectors of other matters are no rows")
        return found


@lru_cache(maxsize=1)
def matters_version() -> str:
    """Return a short hash of the texts: with others the vectors are made anew."""
    return hashlib.sha256("\n".join(OTHER_MATTERS).encode()).hexdigest()[:12]
