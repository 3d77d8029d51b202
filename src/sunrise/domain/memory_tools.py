"""Which tools only write or hand back an agent's own memory, whatever their server is called."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

STORE: Final = "store"
"""The operation that makes a memory."""


@lru_cache(maxsize=1 << 10)
def memory_operation(tool: str | None) -> str | None:
    """
    Return what a tool does with the agent's memory, None for every other tool.

    A gateway names the tools of an MCP server ``<server>__<tool>``, other clients ``<server>.<tool>``; what
    stands before says nothing. The results of these tools are no evidence: they repeat what is remembered.

    >>> memory_operation("memory_store"), memory_operation("pi__memory_recall"), memory_operation("wiki_get")
    ('store', 'recall', 'get')
    >>> memory_operation("web_fetch"), memory_operation("mymemory_get"), memory_operation(None)
    (None, None, None)
    """
    match = _MEMORY_TOOL.search(tool) if tool else None
    if match is None:
        return None
    return match["operation"] or match["verb"] or _OTHER_NAMES.get(match["name"])


def stored_memory_id(details: object, text: str) -> str | None:
    """
    Return the id of the memory that the answer to a store names, as ``id`` or as ``ref``.

    It stands in the details of a plugin's tool, in what a gateway keeps beside the answer of an MCP server,
    or in the JSON text of such an answer.

    >>> stored_memory_id({"action": "created", "id": "3f0c"}, "Stored: tea")
    '3f0c'
    >>> stored_memory_id(None, '{"ref": "mem:3f0c", "status": "created"}')
    '3f0c'
    """
    told = details if isinstance(details, Mapping) else {}
    beside = told.get("structuredContent")
    for answer in (told, beside if isinstance(beside, Mapping) else {}, _object(text)):
        name = answer.get("id") or answer.get("ref")
        if isinstance(name, str) and _ID.fullmatch(name):
            return name.removeprefix("mem:")
    return None


def is_answer_of_memory(tool: str | None, text: str) -> bool:
    """
    Return whether a tool's text only repeats what is remembered.

    What a store answers in a sentence repeats what was stored, and names the memory that holds it: that is
    how a capture file says what the agent stored.

    >>> is_answer_of_memory("memory_get", "tea"), is_answer_of_memory("memory_store", "Stored: tea")
    (True, False)
    """
    operation = memory_operation(tool)
    return operation is not None and (operation != STORE or is_json_object(text))


def is_json_object(text: str) -> bool:
    """
    Return whether a text is an answer for programs, in which nothing is said.

    >>> is_json_object('{"ref": "mem:3f0c"}'), is_json_object('Stored: "tea"')
    (True, False)
    """
    # A summary may be cut: then it only begins as one.
    return text.lstrip().startswith('{"')


def _object(text: str) -> dict[str, Any]:
    if not is_json_object(text):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_ID = re.compile(r"(?:mem:)?(?!mem:)\S{1,128}")
_OPERATIONS = (
    "store|recall|search|get|forget|erase|list|update|stats|query|pack|read|write|timeline|related|export"
    "|import|delete|add|save|explain|revive"
)
_OTHER_NAMES: Final = {
    "recall": "recall", "intent": "recall", "session_search": "search", "search_memories": "search",
    "search_memory": "search", "get_memories": "get", "list_memories": "list",
}  # fmt: skip
"""Other systems' names, and those of the gateway's own memory plugin."""
_MEMORY_TOOL = re.compile(
    rf"(?:\A|[^A-Za-z0-9])memory_(?P<operation>{_OPERATIONS})\Z"
    r"|\Awiki_(?P<verb>apply|get|lint|search|status)\Z"
    rf"|\A(?P<name>{'|'.join(_OTHER_NAMES)})\Z"
)
