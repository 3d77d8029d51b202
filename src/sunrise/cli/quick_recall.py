"""`sunrise recall` where a service runs: asked and printed with the standard library alone."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_NEEDS_VALUE: Final = {"--home": "home", "--scope": "scope", "--limit": "limit", "-n": "limit"}
_FLAGS: Final = {
    "--json": "as_json",
    "--archived": "archived",
    "--verbose": "verbose",
    "-v": "verbose",
}
_LIMIT: Final = re.compile(r"[1-9][0-9]?|100")


def recall_at_once(arguments: Sequence[str]) -> bool:
    """
    Answer a recall through the running service; False where the whole command line has to.

    That is so where no service runs, where it does not answer, and where anything about the arguments is
    uncommon: what is wrong with them is then said in the usual way.
    """
    asked = parsed(arguments)
    if asked is None:
        return False
    from sunrise.adapters.service_client import ask_service

    answer = ask_service(home_of(asked.get("home")), "/v1/recall", body_of(asked))
    if answer is None:
        return False
    from sunrise.cli.recall_lines import print_answer, print_path

    if asked.get("verbose"):
        print_path("the service")
    print_answer(answer, as_json=bool(asked.get("as_json")))
    return True


def parsed(arguments: Sequence[str]) -> dict[str, Any] | None:
    """
    Return the arguments of a recall by name, None where they are not the plain ones.

    >>> parsed(["green tea", "--limit", "3", "--json"])
    {'query': 'green tea', 'limit': 3, 'as_json': True}
    >>> parsed(["--help"]) is None
    True
    """
    found: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        option, is_joined, joined = argument.partition("=")
        if argument in _FLAGS:
            found[_FLAGS[argument]] = True
        elif option in _NEEDS_VALUE and (value := joined if is_joined else next(rest, None)) is not None:
            found[_NEEDS_VALUE[option]] = value
        elif argument.startswith("-") or "query" in found:
            return None
        else:
            found["query"] = argument
    if "query" not in found or _LIMIT.fullmatch(found.get("limit", "5")) is None:
        return None
    return found | ({"limit": int(found["limit"])} if "limit" in found else {})


def home_of(named: str | None) -> Path:
    """Return the home as the settings find it."""
    return Path(named or os.environ.get("SUNRISE_HOME") or "~/.sunrise").expanduser().absolute()


def body_of(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what the service is asked."""
    body: dict[str, Any] = {"query": _whole(asked["query"]), "limit": asked.get("limit", 5)}
    if asked.get("scope"):
        body["scope"] = asked["scope"]
    if asked.get("archived"):
        body["includeArchived"] = True
    return body


def _whole(text: str) -> str:
    # Bytes of an argument that are no UTF-8 come as halves of surrogate pairs.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
