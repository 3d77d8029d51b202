"""Names that an operator may mistype: where nothing was found, those that exist are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import typer

from sunrise import client
from sunrise.cli.service_answers import asked_of_service, stats_result
from sunrise.cli.trust_commands import terminal_text
from sunrise.domain.admin import MemoryStats
from sunrise.domain.filters import DEFAULT_SCOPE
from sunrise.online.admin_stats import UNSET

_SHOWN: Final = 20


def check_names(home: str | None, wanted: Mapping[str, str | None]) -> None:
    """
    Check that there are memories of the scope and of the category that were asked for in vain.

    Raises:
        typer.BadParameter: There are none; the message has the names that memories do have.
    """
    asked = {name: wanted.get(name) for name in ("scope", "category")}
    if not any(asked.values()):
        return
    known = _stats(home).by
    for name, value in asked.items():
        names = Counter(known.get(name, {}))
        unset = names.pop(UNSET, 0)
        if name == "scope" and unset:
            names[DEFAULT_SCOPE] += unset
        if value and names and value not in names:
            raise typer.BadParameter(none_of(name, value, names))


def none_of(name: str, value: str, counts: Mapping[str, int]) -> str:
    """
    Return what is said of a name that nothing has, with the names that there are, the commonest first.

    >>> none_of("scope", "homlab", {"global": 5, "homelab": 9})
    "nothing has the scope 'homlab'; there are homelab, global"
    """
    names = sorted(counts, key=lambda one: (-counts[one], one))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    known = ", ".join(map(terminal_text, names[:_SHOWN]))
    return f"nothing has the {name} {terminal_text(value)!r}; there are {known}{more}"


def _stats(home: str | None) -> MemoryStats:
    answer = asked_of_service(home, "/v1/stats", {"withVectors": False}, verbose=False)
    if answer is not None:
        return stats_result(answer).stats
    with client.open(home, read_only=True) as memories:
        return memories.stats(with_vectors=False).stats
