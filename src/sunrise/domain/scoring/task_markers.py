"""Recognise a text that is a task: TODO, TASK or REMINDER at its start, behind any list marks."""

from __future__ import annotations

import re
import unicodedata

from sunrise.domain.scoring.evidence import Evidence

SPOKEN = Evidence(words=("要做", "待辦"))
"""What makes a text a task wherever it stands."""

KIND = "task"

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
_TASK = re.compile(rf"\s*(?:{_LIST_MARK}{_FOLLOWED})*+(?P<marker>{_MARKER})", re.IGNORECASE | re.DOTALL)


def has_task_marker(text: str) -> bool:
    """
    Return whether *text* begins with a task marker, list marks and quotes before it aside.

    >>> has_task_marker("> - [x] Task: tighten the guardrails"), has_task_marker("the TODO list")
    (True, False)
    """
    return _starts_with_marker(_normal(text))


def is_task(text: str, *, kind: str = "", spoken: Evidence = SPOKEN) -> bool:
    """
    Return whether an observation of *kind* with *text* ("tool: summary" or a summary) is a task.

    >>> is_task("chat: [TODO] buy milk"), is_task("buy milk", kind="task"), is_task("待辦事項：買牛奶")
    (True, True, True)
    """
    if is_task_kind(kind):
        return True
    normal = _normal(text)
    if spoken.seen_in(normal, normal.lower()):
        return True
    _, _, behind_tool = normal.partition(":")
    return _starts_with_marker(normal) or _starts_with_marker(behind_tool)


def is_task_kind(kind: str) -> bool:
    """Return whether *kind* alone makes an observation a task."""
    return kind.strip().lower() == KIND


def task_words(text: str, *, kind: str = "", spoken: Evidence = SPOKEN) -> tuple[str, ...]:
    """
    Return what makes an observation a task, as :func:`is_task` reads it; nothing for one that is none.

    >>> task_words("chat: - [ ] TODO buy milk", kind="task"), task_words("buy milk")
    (('kind task', 'TODO'), ())
    """
    normal = _normal(text)
    _, _, behind_tool = normal.partition(":")
    markers = [match["marker"] for part in (normal, behind_tool) if (match := _TASK.match(part))]
    kinds = (f"kind {KIND}",) if is_task_kind(kind) else ()
    return (*kinds, *spoken.found_in(normal, normal.lower()), *dict.fromkeys(markers))


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _starts_with_marker(text: str) -> bool:
    return _TASK.match(text) is not None
