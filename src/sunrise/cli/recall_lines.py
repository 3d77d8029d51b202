"""How an answer to a recall is printed. Only the standard library: see :mod:`sunrise.cli.quick_recall`."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sunrise.domain.empty_answers import COMMAND, message_of

WIDTH: Final = 80


def print_answer(answer: Mapping[str, Any], *, as_json: bool) -> None:
    """Print an answer for a person, or as JSON for a program. No secret is in it: recall takes them out."""
    if as_json:
        print(json.dumps(answer, ensure_ascii=False))
        return
    print(answer_text(answer))


def print_path(path: str) -> None:
    """Say which way an answer came, where it was asked for."""
    print(f"sunrise: answered by {path}", file=sys.stderr)


def answer_text(answer: Mapping[str, Any], *, width: int = WIDTH) -> str:
    """
    Return an answer as lines that fit a terminal; East Asian characters count double.

    >>> print(answer_text({"items": [], "receipt": {"reason": "no_match", "warnings": []}}))
    nothing fits in scope global; ask in other words
    """
    receipt = answer["receipt"]
    lines = [line for item in answer["items"] for line in _item_lines(item, width)]
    reason = None if answer["items"] else receipt.get("reason") or "no_match"
    scope = receipt.get("scope", "global")
    message = message_of(reason, scope, receipt.get("elsewhere"), asking=COMMAND)
    lines += [_visible(message)] if message else []
    lines += [f"warning: {one}" for one in receipt.get("warnings", ())]
    return "\n".join(lines)


def _item_lines(item: Mapping[str, Any], width: int) -> Iterator[str]:
    said = (item["ref"], f"{item['score']:.2f}", item["importanceLabel"], item["trustTier"], item["date"])
    yield "  ".join(str(one) for one in said if one)
    for line in _wrapped(_visible(item["text"]), width - 2):
        yield f"  {line}"


def _wrapped(text: str, width: int) -> Iterator[str]:
    line, taken, last_blank = "", 0, -1
    for character in text:
        line += character
        taken += _cells(character)
        last_blank = len(line) - 1 if character == " " else last_blank
        if taken > width:
            cut = last_blank if last_blank > 0 else len(line) - 1
            yield line[:cut].rstrip()
            line, last_blank = line[cut:].lstrip(), -1
            taken = sum(map(_cells, line))
    if line.strip():
        yield line.rstrip()


def _visible(text: str) -> str:
    # A memory may hold codes that a terminal obeys.
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _cells(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
