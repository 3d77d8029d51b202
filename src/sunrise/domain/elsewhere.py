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
from sunrise.domain.text.other_questions import QUESTIONS_ELSEWHERE
from sunrise.domain.text.other_questions_chinese import QUESTIONS_ELSEWHERE_CHINESE
from sunrise.domain.text.other_questions_japanese import QUESTIONS_ELSEWHERE_JAPANESE

OTHER_MATTERS: Final = (*MATTERS_OTHER, *MATTERS_CJK)

OTHER_QUESTIONS: Final = (
    *QUESTIONS_ELSEWHERE,
    *QUESTIONS_ELSEWHERE_CHINESE,
    *QUESTIONS_ELSEWHERE_JAPANESE,
)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """
    The vectors of other matters and questions by one model, a byte with a sign for each number.

    ``shares`` are the shares of CJK letters in the texts, ``scale`` is what a byte of 1 stands for. The last
    ``asked`` of the texts are questions, and lie where a model has questions.
    """

    version: str
    shares: tuple[float, ...]
    scale: float
    numbers: bytes
    asked: int = 0

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
            "asked": self.asked,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """
        Read what :meth:`to_dict` gave.

        Raises:
            ValueError: The numbers are no rows, one a text, or not so many can be questions.
            KeyError: Something is missing.
        """
        found = cls(
            version=str(said["version"]),
            shares=tuple(map(float, said["shares"])),
            scale=float(said["scale"]),
            numbers=base64.b64decode(said["numbers"], validate=True),
            # Those of before questions were among them name none.
            asked=int(said.get("asked", 0)),
        )
        if not found.shares or len(found.numbers) % len(found.shares):
            raise ValueError("the vectors of other matters are no rows")
        if not 0 <= found.asked <= len(found.shares):
            raise ValueError("more of the other matters are questions than there are")
        return found


@lru_cache(maxsize=1)
def matters_version() -> str:
    """Return a short hash of the texts: with others the vectors are made anew."""
    return hashlib.sha256("\n".join((*OTHER_MATTERS, *OTHER_QUESTIONS)).encode()).hexdigest()[:12]
