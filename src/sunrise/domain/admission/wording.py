"""How a claim is taken out of what an extractor puts around it, and the marks of something that happened."""

from __future__ import annotations

import re


def claim_of(text: str) -> str:
    """
    Return a text in lower case without what an extractor says before the fact itself.

    >>> claim_of("Note: it was noted that the Agent is calm")
    'the agent is calm'
    """
    claim = text.lower().replace("’", "'")
    return claim[match.end() :] if (match := _LEAD.match(claim)) else claim


def tells_event(claim: str) -> bool:
    """
    Return whether a claim tells what happened, was found or was decided: that is worth keeping.

    >>> [tells_event(claim) for claim in ("updated agents.md with the rule", "the agent reads agents.md")]
    [True, False]
    """
    return opens_with_event(claim) or _EVENT.search(claim) is not None


def opens_with_event(claim: str) -> bool:
    """
    Return whether a claim begins by telling what someone did.

    >>> opens_with_event("the agent has moved the backup"), opens_with_event("the agent has a calm voice")
    (True, False)
    """
    return _DID.match(claim) is not None


_LEAD = re.compile(
    r"(?:\s*(?:[-*•>]+\s+"
    r"|(?:note|fact|important|key (?:point|fact|takeaway)|memory|reminder|summary|rule|info|context)\s?: "
    r"|(?:it (?:was|is|has been) (?:noted|stated|mentioned|important|said|established|observed)"
    r"(?: to (?:note|remember))?|remember|note|keep in mind|be aware)(?: that)? "
    r"|(?:according to|as stated in|as per|based on|per) (?:the )?[\w. ]{1,40}, "
    r"|(?:the )?(?:current )?(?:context|conversation|document|text|file|transcript|system prompt|prompt|"
    r"instructions?) (?:indicates?|states?|says?|mentions?|shows?|notes?|specif(?:y|ies)) (?:that )?"
    r"|(?:記住|记住|注意|重要|備註|备注|提醒)[：:，, ]*))+"
)

_DID = re.compile(
    r"(?:i |we |the agent |agent |the assistant |assistant |the user |user )?(?:have |has |had )?(?:just )?"
    r"(?:updated|added|removed|fixed|changed|moved|edited|renamed|deleted|replaced|created|rewrote|decided|"
    r"found|discovered|learned|deployed|rolled|restarted|resolved|reported|migrated|installed|upgraded|"
    r"cancelled|bought|paid|merged|reverted|agreed|asked|chose|shortened|moved|corrected|committed|switched)\b"
)
_EVENT = re.compile(
    r"\b(?:decided|decision|root cause|because of (?:a|an|the) (?:bug|error|failure)|failed|fails|failure|"
    r"crashed|outage|incident|broke|lesson(?=:| learned| from)|security review|was (?:changed|updated|added"
    r"|removed|edited|renamed|moved|replaced)|were (?:changed|updated|added|removed)"
    r"|now (?:says|contains|holds|requires)|resolved|fixed|timed out|err_\w+|error)\b"
    r"|失敗|失败|故障|修復|修复|已更新|更新了|已修改|修改了|決定|决定|原因|錯誤|错误|改到|改為|改为|新增了|刪除了|删除了"
)
