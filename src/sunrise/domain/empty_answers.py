"""What is said of a recall whose answer is empty or weak: what happened, and what to do."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "empty_query": "the question has no words to look for: say what you want to know",
        "no_memories_table": "there are no memories yet: the agent makes their table; see `sunrise doctor`",
        "store_failed": "the memories cannot be read: `sunrise doctor` says why",
        "no_leg": "nothing could be searched, neither by words nor by meaning. Where memories were stored,"
        " `sunrise doctor` says why, and `sunrise run index` builds what is missing",
    }
)
"""The sentences of reasons that have nothing to do with what was asked."""


class Asking(NamedTuple):
    """
    How an interface is asked for another scope, and for archived memories too.

    A named tuple, since the command that answers through a running service loads no dataclasses.
    """

    scope: Callable[[str], str]
    archived: str


PLAIN: Final = Asking(lambda scope: f'the scope "{scope}"', "ask for archived memories too")
COMMAND: Final = Asking(lambda scope: f"--scope {shlex.quote(scope)}", "--archived")


def message_of(
    reason: str | None, scope: str, elsewhere: Mapping[str, Any] | None, *, asking: Asking = PLAIN
) -> str | None:
    """
    Return what is said of an answer, or None where there is nothing to say.

    >>> told = {"here": 9, "scopes": 5, "scope": "homelab", "archived": None}
    >>> message_of("no_match", "global", told, asking=COMMAND)
    'nothing fits in scope global; 5 scopes hold memories, try --scope homelab'
    >>> message_of(None, "global", {"archived": "mem:1"}, asking=COMMAND)
    'a better fit lies in the archive: --archived'
    >>> message_of(None, "global", None) is None
    True
    """
    if reason is not None and reason in REASONS:
        return REASONS[reason]
    parts = [] if reason is None else [_here(scope, elsewhere or {})]
    parts += _hints(elsewhere or {}, asking)
    if reason is not None and len(parts) == 1:
        parts.append("ask in other words")
    return "; ".join(parts) or None


def _here(scope: str, elsewhere: Mapping[str, Any]) -> str:
    return (
        f"no memory is in scope {scope}" if elsewhere.get("here") == 0 else f"nothing fits in scope {scope}"
    )


def _hints(elsewhere: Mapping[str, Any], asking: Asking) -> list[str]:
    hints = []
    if elsewhere.get("archived"):
        hints.append(f"a better fit lies in the archive: {asking.archived}")
    count, scope = elsewhere.get("scopes") or 0, elsewhere.get("scope")
    if count and scope:
        held = "1 scope holds memories" if count == 1 else f"{count} scopes hold memories"
        hints.append(f"{held}, try {asking.scope(scope)}")
    return hints
