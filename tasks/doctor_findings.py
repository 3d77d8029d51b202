"""What the doctor says of one thing that it looked at."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from sunrise.settings import Settings

Verdict = Literal["well", "look", "ill"]
_DETAIL_CHARS = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing and how it stands. ``cure`` is a sentence with a command to type, None where all is well."""

    check: str
    verdict: Verdict
    message: str
    cure: str | None = None


def well(check: str, message: str) -> Finding:
    """Return a finding that nothing need be done about."""
    return Finding(check, "well", message)


def look(check: str, message: str, *, cure: str) -> Finding:
    """Return a finding that the machine works with, but an operator should know of."""
    return Finding(check, "look", message, cure)


def ill(check: str, message: str, *, cure: str) -> Finding:
    """Return a finding that keeps something from working."""
    return Finding(check, "ill", message, cure)


def guarded(check: str, find: Callable[[], Iterable[Finding]], *, cure: str) -> list[Finding]:
    """Return what a check finds; one that breaks is a finding itself and keeps no other from being made."""
    found: list[Finding] = []
    try:
        for finding in find():
            found.append(finding)  # noqa: PERF402  what was found before the error counts
    except Exception as error:
        found.append(ill(check, detail_of(error), cure=cure))
    return found


def detail_of(error: BaseException) -> str:
    """Return the first line of an error, cut to what a terminal shows."""
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:_DETAIL_CHARS]


def command(settings: Settings, what: str) -> str:
    """
    Return a command of ours for this home, ready to be typed.

    >>> command(Settings(home="/srv/my memory"), "run index")
    "`sunrise run index --home '/srv/my memory'`"
    """
    return f"`sunrise {what} --home {shlex.quote(str(settings.home))}`"
