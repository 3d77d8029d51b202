"""What is taken out of the stores: secrets that the rules know, or texts that were forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

from sunrise.domain.secret_fields import without_secrets
from sunrise.domain.secret_spans import Scrubbed, scrubbed
from sunrise.domain.secrets import blanked, gate_pattern


class Scrubber(Protocol):
    """Tells which texts hold what has to go, and what is left of them without it."""

    @property
    def gates(self) -> tuple[str, ...]:
        """Patterns, in what ``re`` and RE2 both read, one of which matches whatever must be looked at."""
        ...

    def scrub(self, text: str) -> Scrubbed:
        """Return a plain text without it."""
        ...

    def scrub_value(self, value: object) -> Any:
        """Return a JSON value without it."""
        ...

    def blank(self, text: str) -> str:
        """Return a text without it, as many bytes long as before."""
        ...


@dataclass(frozen=True, slots=True)
class SecretScrubber:
    """
    Takes out what the rules of today know as a secret.

    >>> SECRETS.blank("log in with password: hunter2")
    'log in with password: [*****]'
    """

    @property
    def gates(self) -> tuple[str, ...]:
        """One pattern of all hints."""
        return _gates()

    def scrub(self, text: str) -> Scrubbed:
        """Return a text without its secrets."""
        return scrubbed(text)

    def scrub_value(self, value: object) -> Any:
        """Return a JSON value without its secrets."""
        return without_secrets(value)

    def blank(self, text: str) -> str:
        """Return a text with stars in place of its secrets."""
        return blanked(text)


SECRETS: Final = SecretScrubber()


@lru_cache(maxsize=1)
def _gates() -> tuple[str, ...]:
    return (gate_pattern(),)
