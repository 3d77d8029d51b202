"""Recognise a text that is a task: TODO, TASK or REMINDER at its start, behind any list marks."""

from __future__ import annotations

import re
import unicodedata

_WORD = "(?:todo|task|reminder)"
_BRACKETS = (
    "[]",
    "()",
    "{}",
    "<>",
    "【】",
    "〔〕",
    "「」",
    "『』",
    "《》",
    "〈〉",
    "«»",
    "〖〗",
    "〘〙",
    "‹›",
)
_ENCLOSED = "|".join(re.escape(pair[0]) + _WORD + re.escape(pair[1]) for pair in _BRACKETS)
# A bare marker needs a break after it ("TODOs" is none); an enclosed one may touch the next word.
_MARKER = rf"(?:{_WORD}(?=\Z|\s|[-:;.。–—−])|{_ENCLOSED})"

_BULLET = "[-*+•▪‣∙·●○◦・–—−]"
_CHECKBOX = r"\[[ xX✓✔☐☑☒✅]\]"
_ROMAN = r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_ORDINAL = rf"(?:\d+|[A-Z]|{_ROMAN})"
_ORDERED = rf"(?:\({_ORDINAL}\)|{_ORDINAL}[-.)–—−])"
_LIST_MARK = f"(?:>|{_BULLET}|{_CHECKBOX}|{_ORDERED})"
# Without a space behind it, a list mark counts only when another one or a task marker follows at once.
_FOLLOWED = rf"(?:\s+|(?={_MARKER}|>|{_BULLET}|{_CHECKBOX}|{_ORDERED}.))"
# Possessive: a list mark once taken is never given back, so that no text can make the match slow.
_TASK = re.compile(rf"\s*(?:{_LIST_MARK}{_FOLLOWED})*+{_MARKER}", re.IGNORECASE | re.DOTALL)


def has_task_marker(text: str) -> bool:
    """
    Return whether *text* begins with a task marker, list marks and quotes before it aside.

    >>> has_task_marker("> - [x] Task: tighten the guardrails"), has_task_marker("the TODO list")
    (True, False)
    """
    return _starts_with_marker(_normal(text))


def is_task(text: str, *, kind: str = "") -> bool:
    """
    Return whether an observation of *kind* with *text* ("tool: summary" or a summary) is a task.

    >>> is_task("chat: [TODO] buy milk"), is_task("buy milk", kind="task"), is_task("待辦事項：買牛奶")
    (True, True, True)
    """
    if kind.strip().lower() == "task":
        return True
    normal = _normal(text)
    if "要做" in normal or "待辦" in normal:
        return True
    _, _, behind_tool = normal.partition(":")
    return _starts_with_marker(normal) or _starts_with_marker(behind_tool)


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _starts_with_marker(text: str) -> bool:
    return _TASK.match(text) is not None
