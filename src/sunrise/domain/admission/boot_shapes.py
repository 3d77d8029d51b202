"""How a text reads that was taken from a boot file: by its grammar, without the file at hand."""

from __future__ import annotations

import re

_BOOT_HINTS_WORDS = """
    agent assist ai chatbot companion you agents.md soul.md identity.md user.md tools.md heartbeat.md
    bootstrap.md memory.md claude.md gemini.md persona.md 助理 助手 代理 智能 你是
    """
BOOT_HINTS = frozenset(_BOOT_HINTS_WORDS.split())
"""Index terms of which one is in every text that has such a shape."""

_BOOT_NAMES = r"\b(?:agents|soul|identity|user|tools|heartbeat|bootstrap|memory|claude|gemini|persona)\.md\b"
_AGENT = r"(?:the |an |this |our |your )?(?:ai |llm )?(?:agent|assistant|chatbot|ai|companion)"
_CLAUSE = r"(?:^|[;.。；] ?)(?:(?:in|on|at|during|when|before|after) [^,;.]{1,30}?,? )?"
_REPORTS = (
    r"(?:reports|finds|sees|detects|confirms|suspects|recommends|proposes|crashes|returns|costs|needs|wants|was"
    r"|offers|thinks|drops|leaks|blocks|times|hangs)\b"
)
_DUTY = (
    r"(?:must|should|shall|cannot|can't|never|always|ought|has to|needs to|isn't|does not|doesn't|do not"
    r"|(?:will|may|can) (?:never|not|always|only)|is (?:also )?(?:supposed|expected|instructed|required"
    r"|configured|designed|allowed|told|called|named|meant|an?|not|to))"
)
_OWN = (
    r"(?:name|role|persona|tone|style|vibe|emoji|identity|purpose|job|goal|memory|personality|behaviou?r"
    r"|character|voice|rules?|instructions?|creature|boundar\w+|values?)"
)
_SAYS = (
    r"(?:says?|states?|contains?|holds?|keeps?|defines?|must|should|is|lists?|has to|may|can|cannot"
    r"|never|will|instructs?|serves?|describes?|mentions?|specif(?:y|ies)|tells?)"
)
_READS = r"(?:reads?|reading|loads?|loading|consults?|reviews?|follows?)"
_TOLD = r"(?:always|never|not|read|follow|act|respond|answer|keep|use)"
_HAN_AGENT = r"(?:助理|助手|代理|智能體|智能体)"
_HAN_OWN = r"的(?:名字|名稱|名称|角色|身份|人設|人设|風格|风格)"
_HAN_DUTY = r"必須|必须|應該|应该|應|应|需要|不得|不能|不要|不可|不會|不会|絕不|绝不|總是|总是|会|會|是"

_PATTERNS = (
    # A duty or a habit of the agent's own, in the present, and without a figure that would make it a fact.
    rf"{_CLAUSE}{_AGENT} (?:also )?{_DUTY}\b(?![^.;]*\d)",
    rf"{_CLAUSE}{_AGENT} (?!{_REPORTS})[a-z]+[^s\W]s\b(?! been| \w+ed\b|[^.;]*\d)",
    rf"{_CLAUSE}{_AGENT}'s (?:full )?{_OWN}\b",
    r"\bis (?:not )?an? (?:[\w-]+,? (?:and )?){0,4}(?:ai assistant|chatbot|companion)\b",
    # The agent addressed.
    r"^you are (?:an? |the )?(?:\w+ )?(?:helpful|ai\b|assistant|agent|expert|not a chatbot)",
    rf"^(?:you (?:(?:must|should) {_TOLD}|have access|wake up)\b|your (?:name|role|task|persona|goal) is\b)",
    # A boot file as the source, or as what is to be read.
    rf"{_BOOT_NAMES}(?: file)? {_SAYS}\b",
    rf"\b{_READS}\b[^.]{{0,40}}{_BOOT_NAMES}",
    rf"\b(?:rules|guidelines|instructions|listed|defined|described) (?:of|in|from|by) {_BOOT_NAMES}",
    rf"^(?:keep|update|write|store|use|check|put) [^.;]{{0,30}}{_BOOT_NAMES}",
    # Chinese: the assistant's name, its duties and its habits.
    rf"{_HAN_AGENT}(?:{_HAN_OWN}|{_HAN_DUTY})",
    rf"^你是(?:一個|一个|一名)?[^，。]{{0,12}}{_HAN_AGENT}",
)
BOOT_SHAPES = tuple(map(re.compile, _PATTERNS))
"""They are looked for in a claim, in lower case; one that tells an event has none of them."""
