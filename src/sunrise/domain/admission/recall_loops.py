"""What comes out of memory and would go into it again."""

from __future__ import annotations

import re


def is_recalled(text: str) -> bool:
    r"""
    Return whether a text holds a block of memories as it is put into a prompt.

    >>> is_recalled("Relevant memories:\n1. [preference] Dana likes tea")
    True
    >>> is_recalled("Mended the <relevant-memories> tag in the log")
    False
    """
    return any(sign in text for sign in _SIGNS) and _BLOCK.search(text) is not None


def is_search_result(text: str) -> bool:
    """
    Return whether a text is what a memory tool answered, written down as if it were said.

    Asked of words made from other words only: a tool that searches the web answers in nearly the same form.

    >>> is_search_result('{"results": [{"id": "m1", "text": "Dana likes tea", "score": 0.9}]}')
    True
    """
    return '"score"' in text and '"url"' not in text and _RESULT.search(text) is not None


INJECTED_GATE = (
    r"<(?:relevant-memories|working-set|active_memory_plugin)>|BEGIN_QUOTED_NOTES"
    r"|(?i:(?:relevant|related|recalled|retrieved) memories:)|相[關关][記记][憶忆]"
)
"""What stands in every text that holds an injected block, in what ``re`` and RE2 both read."""

_SIGNS = ("emories:", "EMORIES:", "<relevant-", "<working-set>", "<active_", "BEGIN_QUOTED", "憶", "忆")
"""Of these one stands in every such text; that settles nearly every other at once."""

_BLOCK = re.compile(
    r"<(?:relevant-memories|working-set|active_memory_plugin)>\s*\n"
    r"|(?:^|\n)BEGIN_QUOTED_NOTES\b"
    r"|(?i:\b(?:relevant|related|recalled|retrieved) memories:\s*\n?\s*(?:1[.)]|[-*])\s)"
    r"|相[關关][記记][憶忆][：:]\s*\n?\s*(?:1[.)、]|[-*])"
)
_RESULT = re.compile(r'"(?:results|memories)":\s*\[\s*\{[^}]*"(?:text|memory)":')
