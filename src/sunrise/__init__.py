"""
Governance for an agent's long-term memory.

This is the light part: what an agent's process imports to ask for memories. The flows that harvest, grade,
write back, index, watch, archive and measure live in rooms beside it and need the ``batch`` extra.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sunrise.bootstrap import open_home
    from sunrise.client import open  # noqa: A004  what it is called: sunrise.open
    from sunrise.domain.recall import RecallRequest, RecallResult
    from sunrise.errors import ConfigurationError, DataError, StoreError, SunriseError
    from sunrise.online.recall import recall
    from sunrise.settings import load_settings

__all__ = [
    "ConfigurationError",
    "DataError",
    "RecallRequest",
    "RecallResult",
    "StoreError",
    "SunriseError",
    "load_settings",
    "open",
    "open_home",
    "recall",
]

# Names are imported when they are first used: ``import sunrise`` alone costs nothing.
_HOMES = {
    "ConfigurationError": "sunrise.errors",
    "DataError": "sunrise.errors",
    "Home": "sunrise.bootstrap",
    "RecallRequest": "sunrise.domain.recall",
    "RecallResult": "sunrise.domain.recall",
    "StoreError": "sunrise.errors",
    "SunriseError": "sunrise.errors",
    "load_settings": "sunrise.settings",
    "open": "sunrise.client",
    "open_home": "sunrise.bootstrap",
    "recall": "sunrise.online.recall",
}


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg) from None
    return getattr(import_module(home), name)
