"""Inventories of the agent's own set-up, and what the gateway writes about a message rather than in it."""

from __future__ import annotations

import re

from sunrise.domain.admission.wording import claim_of, tells_event


def is_set_up(text: str) -> bool:
    """
    Return whether a text lists tools, configuration, files or the parts of the system.

    >>> is_set_up("Available tools: read, write, exec, browser"), is_set_up("The invoice: 3, 4, 5, 6")
    (True, False)
    """
    claim = claim_of(text)
    return not tells_event(claim) and any(shape.search(claim) for shape in _SHAPES)


def is_dump(text: str) -> bool:
    """
    Return whether a text is a tree of files, or JSON or YAML of the agent's own configuration.

    >>> is_dump('{"model": "m", "tools": {"allow": []}}'), is_dump('{"invoice": 3, "model": "T"}')
    (True, False)
    """
    if "──" in text and len(_TREE.findall(text)) >= 2:
        return True
    if text.count(":") < 2:
        return False
    keys = _JSON_KEY.findall(text) if "{" in text else _YAML_KEY.findall(text)
    own = sum(key.lower() in _OWN_KEYS for key in keys)
    return own >= (2 if "\n" in text or "{" in text else 4) and own * 3 >= len(keys)


def is_own_works(text: str) -> bool:
    """
    Return whether a text is the gateway's own runtime line, list of skills, or configuration in JSON.

    Of tools too, whose results are news otherwise.

    >>> is_own_works("Runtime: agent=main | host=attic | model=m"), is_own_works('{"agents": 3}')
    (True, False)
    """
    if _RUNTIME.match(text) is not None:
        return True
    return text.startswith("{") and _OWN_WORKS.search(text) is not None and is_dump(text)


def is_metadata(text: str) -> bool:
    """
    Return whether a text holds only what a gateway writes beside a message: ids, session keys, times.

    >>> is_metadata("User's Telegram id is 98765"), is_metadata("The bill has the id 98765")
    (True, False)
    """
    return _METADATA.search(claim_of(text)) is not None


_SET_UP_HINTS_WORDS = """
    tool access architectur set set-up setup configur config stack pipelin workspac environ runtim
    system gateway agent assist id session timestamp untrust 系统 记忆 工具
    """
SET_UP_HINTS = frozenset(_SET_UP_HINTS_WORDS.split())
"""Index terms of which one is in every text that :func:`is_set_up` or :func:`is_metadata`."""

OWN_WORKS_GATE = r"Runtime: agent=|<available_skills>|\"(?:agents|gateway|channels|plugins|sandbox)\": ?\{"
"""What stands in every text that :func:`is_own_works`, in what ``re`` and RE2 both read."""

_RUNTIME = re.compile(r"\s*(?:Runtime: agent=|<available_skills>)")
_OWN_WORKS = re.compile(r'"(?:agents|gateway|channels|plugins|sandbox)": ?\{')
_TREE = re.compile(r"[├└]──")
_JSON_KEY = re.compile(r'"([\w-]+)"\s*:')
_YAML_KEY = re.compile(r"(?<!\S)([\w-]+):(?=\s|$)")
_OWN_KEYS_WORDS = """
    model models maxtokens max_tokens tools allow deny heartbeat every plugins agents defaults workspace
    sandbox channels gateway embedding embeddings provider providers autocapture autorecall temperature
    skills hooks mcpservers command args env session sessions agent runtime host port bind token auth
    telegram discord memory-lancedb vector vector_store vectorstore llm embedder history_db_path
    collection_name qdrant message_id sender_id chat_id is_group_chat compaction thinking memory
    memorysearch
    """
_OWN_KEYS = frozenset(_OWN_KEYS_WORDS.split())

_LIST = r"(?:[^,、|\n]+[,、|]){2}"
_THE = r"(?:^|; ?)(?:the )?"
_PIPELINE = r"(?:\w+ )?(?:memory|extraction|recall|embedding|rag) pipeline"
_RUNS_ON = r"(?:runs on|is hosted on|is running on|is built on|consists of|uses|includes|comprises)"
_PATTERNS = (
    r"\b(?:available|following|its|these|built-in) (?:\w+ )?tools?(?: include| are|:)",
    rf"\b(?:has|have|with) access to\b{_LIST}",
    rf"\btools?(?: \w+)? ?(?:include|are|available|:){_LIST}",
    rf"{_THE}(?:system|memory|agent) (?:architecture|set-?up|configuration|stack)\b",
    rf"{_THE}{_PIPELINE} (?:consists|has|is made)\b|{_THE}{_PIPELINE}\b[^.]*?{_LIST}",
    rf"{_THE}(?:workspace|environment|runtime|config(?:uration)?|set-?up|(?:tech )?stack)(?: \w+)? ?:{_LIST}",
    rf"{_THE}(?:workspace|environment|set-?up) (?:contains|includes|has|consists of):?{_LIST}",
    rf"{_THE}(?:system|gateway|agent|assistant|environment) {_RUNS_ON}\b{_LIST}",
    r"\bruntime: agent=",
    r"(?:系統|系统|記憶|记忆)(?:架構|架构|組成|组成|管線|管线|配置)",
    r"可用(?:的)?工具|工具(?:列表|清單|清单)",
)
_SHAPES = tuple(map(re.compile, _PATTERNS))

_METADATA = re.compile(
    r"\(untrusted metadata\):"
    r"|\b(?:telegram|discord|whatsapp|slack|signal)(?: user| chat)? id (?:is|:)"
    r"|\b(?:message|chat|channel|sender|thread) id (?:is|:) ?-?\w"
    r"|\bsession(?: key| id)? is agent:"
    r"|^(?:the )?timestamp of (?:the|this) (?:message|conversation)\b"
)
