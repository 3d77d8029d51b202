"""
What of a turn the owner wrote himself: without what was put in, pasted, quoted or forwarded.

:func:`sunrise.domain.turns.owner_text` takes off what a gateway puts around a turn, and keeps what a person
quotes. Here nothing is kept that may be another's, because each line may become a memory in the owner's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Foreign(StrEnum):
    """Why a line is not the owner's."""

    QUOTED = "quoted"
    MATERIAL = "material"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class OwnLine:
    """One line, and whose it is when it is not the owner's."""

    text: str
    foreign: Foreign | None = None


def without_foreign_blocks(text: str) -> str:
    r"""
    Return a text without fenced code, injected blocks and comments, wherever they stand.

    What was cut off before its end is left out to the end of the text: it is nobody's words. The lines around
    a block do not become neighbours.

    >>> without_foreign_blocks("I like tea\n```json\n{}\n```\nand rain")
    'I like tea\n\nand rain'
    """
    if not any(sign in text for sign in ("`", "~", "<", "BEGIN_")):
        return text
    plain = _without_tagged(_INJECTED.sub("", _FENCE.sub("", text)))
    return _FENCE.sub("", _CUT_OFF.sub("", plain))


def own_lines(text: str) -> tuple[OwnLine, ...]:
    r"""
    Return the lines of a turn, each with whose it is.

    Material is a request to work on a text, and all that follows it: to translate, to sum up, to answer it.

    >>> [(line.text, line.foreign) for line in own_lines("> I like rain\nme too")]
    [('> I like rain', <Foreign.QUOTED: 'quoted'>), ('me too', None)]
    >>> [line.foreign for line in own_lines("Translate this:\nI prefer tea")]
    [<Foreign.MATERIAL: 'material'>, <Foreign.MATERIAL: 'material'>]
    """
    whole = _BETWEEN.sub("", without_foreign_blocks(text))
    lines = [line.strip() for line in _WINDOW.sub("", whole).split("\n")]
    spoken = sum(_SPEAKER.match(line) is not None for line in lines)
    found: list[OwnLine] = []
    rest: Foreign | None = None
    for line in lines:
        if _FORWARDED.match(line):
            rest = Foreign.QUOTED
        foreign = rest or _foreign(line, is_transcript=spoken >= _SPEAKERS)
        ahead = _MATERIAL.match(line) if foreign is None else None
        found.append(OwnLine(ahead[0] if ahead else line, Foreign.MATERIAL if ahead else foreign))
        if ahead:
            rest = Foreign.MATERIAL
            if line[ahead.end() :].strip():
                found.append(OwnLine(line[ahead.end() :], rest))
    return tuple(found)


def _without_tagged(text: str) -> str:
    """Leave out what stands between tags; each kind of tag is looked for to the end of the text but once."""
    kept: list[str] = []
    start, unclosed = 0, set[str]()
    for opening in _OPENING.finditer(text):
        tag = opening["tag"]
        if opening.start() < start or tag in unclosed:
            continue
        closing = text.find(f"</{tag}>", opening.end())
        if closing < 0:
            unclosed.add(tag)
            continue
        kept.append(text[start : opening.start()])
        start = closing + len(tag) + 3
    return "".join((*kept, text[start:]))


def _foreign(line: str, *, is_transcript: bool) -> Foreign | None:
    if line.startswith((">", "》", "|")) or (is_transcript and _SPEAKER.match(line)) or _ROLE.match(line):
        return Foreign.QUOTED
    return Foreign.MACHINE if _MACHINE.search(line) or _is_code(line) else None


def _is_code(line: str) -> bool:
    signs = sum(letter in _CODE_SIGNS for letter in line)
    return signs >= _MANY_SIGNS and signs * 3 > len(line)


_SPEAKERS = 2
_MANY_SIGNS = 6
_CODE_SIGNS = frozenset('{}[]()<>=;|&$#@\\/*+_^~%"`:.,')

_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAGS = r"relevant-memories|active_memory_plugin|working-set|memory-context|system-reminder|available_skills"
_OPENING = re.compile(rf"<(?P<tag>{_TAGS})\b[^>\n]{{0,200}}>")
_CUT_OFF = re.compile(rf"^[ \t]*<(?:{_TAGS})\b[^>\n]{{0,200}}>[ \t]*$.*", re.MULTILINE | re.DOTALL)
_INJECTED = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|^BEGIN_QUOTED_NOTES$.*?(?:^END_QUOTED_NOTES$|\Z)"
    r"|<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)"
    r"|<<<EXTERNAL_UNTRUSTED_CONTENT.*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT[^\n]*|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BETWEEN = re.compile(
    r"^\[(?P<what>Replying to|Quoted|Reply to)\b[^\]\n]*\].*?(?:^\[/[A-Z][a-z]+(?: to)?\]|^[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
# What a channel tells beside a message, in plain lines under a heading, up to the next empty line.
_WINDOW = re.compile(
    r"^[A-Z][A-Za-z ]{2,60} \((?:untrusted|metadata)[^)\n]{0,80}\):[ \t]*$(?:\n(?![ \t]*$)[^\n]+)*",
    re.MULTILINE,
)
_FORWARDED = re.compile(
    r"-{2,} ?(?:forwarded|original) message|begin forwarded message|\[?forwarded (?:from|message)\b|fwd?: "
    r"|on .{4,80} wrote:$|(?:轉發|转发|轉寄|转寄|轉傳|转传|引用)(?:自|訊息|讯息|消息|的)?[^：:\n]{0,20}[：:]"
    r"|[-—]{2,} ?(?:轉|转)|転送(?:元|メール|メッセージ)?[：:]|전달(?:된 메시지)?[：:]",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\s*(?:\*\*)?\[?(?:user|assistant|human|ai|bot|system|agent|tool|用[戶户]|助理|助手|系統|系统"
    r"|ユーザー?|アシスタント"
    r"|사용자|어시스턴트)\]?(?:\*\*)?\s?[：:](?!//)",
    re.IGNORECASE,
)
_LABELS = (
    r"todo|to-do|task|reminder|action item|decision|decided|agreed|conclusion|rule|policy|preference|note"
    r"|remember|fact"
    r"|update|fyi|ps|btw|important|also|待辦|待办|規則|规则|原則|原则|決定|决定|決議|决议|結論|结论|偏好"
    r"|(?:請|请)?[記记]住|注意"
    r"|備註|备注|ルール|方針|好み|メモ|規則|규칙|결정|결론|원칙|메모|할 ?일"
)
_SPEAKER = re.compile(
    rf"(?!(?:{_LABELS})\b ?[：:])(?:\[[\d:, /apm-]{{4,20}}\] ?)?"
    r"[^\W\d_][\w .'-]{0,24}(?: \([^)\n]{1,20}\))? ?[：:] ?\S",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"^\s*(?:\$|#!|>>>|\.\.\.|%) ?\S|^\s*(?:diff --git|@@|\+\+\+|---) |^\s*[+-](?:\s{2,}|[\w.]+[(=;])"
    r"|^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d\b|^\s*\d\d:\d\d:\d\d"
    r"|^\s*\[?(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|TRACE)\b(?:\]|:| \S)"
    r"|\bERR! |\b(?:Traceback|stderr|stdout|exit(?:ed with)? code|errno)\b"
    r"|(?:終了コード|退出碼|退出码|錯誤碼|错误码|종료 ?코드)[はが是为為은는이]"
    r"|^\s*at \S+[(:]\S*\d+|^\s*File \""
    r"|^\s*(?:import|from|def|class|return|const|let|var|function|public|private|async|await|if|for|while"
    r"|elif|else|try|except|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\b[^.?!。]*[;:{(=]\s*$"
    r"|^\s*(?:const|let|var|export|int|string|auto) \w+ ?=|^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) \S+ "
    r"|^\s*(?://|/\*|\*/|#include|# ?TODO|--|<!)|^\s*\"?[\w.-]+\"?\s?[=:]\s?[\"\[{]|^\s*[\w.]+\(.*\)[;:]?\s*$"
    r"|^\s*<\/?[a-z][\w-]*[^>]*>|[;{]\s*$|^\s*[A-Z_]{3,}=|^\s*[\w.-]+ ?= ?\S+\s*$|=>|\);|&&|\|\|"
    r"|^\s*(?:\[media attached|<media:|\[message_id|To send an image back|Runtime: agent=|System: \[)"
    r"|^\s*System \(untrusted\): \["
)
_TEXTS = (
    r"(?:text|message|e-?mail|mail|log|transcript|article|sentence|paragraph|quote|conversation|output"
    r"|draft)s?"
)
_MATERIAL = re.compile(
    r"(?:(?:please|pls|can you|could you|help me(?: to)?|now|then|ok|okay|hey|and)\W+)*"
    r"(?:translat\w+|summar\w+|proof-?read\w*|re(?:phrase|write|word)\b|paraphras\w+|polish|correct|edit"
    r"|review"
    r"|improve|fix|explain|analy[sz]e|classify|reply to|respond to|check|look at|read|parse|convert"
    r"|extract)\b"
    r"[^:.?!]{0,60}:(?!//)\s*"
    rf"|.{{0,40}}\b(?:here(?:'s| is| are)|(?:this|the following)(?: is)?(?: the| an?| my)? {_TEXTS})\b"
    r"[^:.?!]{0,40}:(?!//)\s*"
    rf"|.{{0,40}}\b(?:he|she|they|docs?|readme|error|{_TEXTS}) (?:says?|said|wrote|shows?"
    rf"|reads?)[^:.?!]{{0,30}}:\s*"
    r"|[^：:，。]{0,12}(?:翻譯|翻译|摘要|總結|总结|潤飾|润饰|潤色|润色|改寫|改写|校對"
    r"|校对)[^：:。？]{0,20}[：:]\s*"
    r"|[^：:，。]{0,12}(?:分析|解釋|解释|檢查|检查|看|讀|读)(?:一下)?(?:這|这|以下"
    r"|下面)[^：:。？]{0,20}[：:]\s*"
    r"|(?:以下|下面|這是|这是)(?![^：:]{0,12}[記记])[^：:。？]{0,20}[：:]\s*|(?:原文|例句|例如|例文)[：:]\s*"
    r"|[^：:、。]{0,20}(?:訳し|翻訳|要約|添削|校正|直し)[^：:。？]{0,20}[：:]\s*|(?:次の|以下の"
    r"|この)文[^：:。？]{0,20}[：:]\s*"
    r"|[^：:.]{0,20}(?:번역|요약|교정|다듬)[^：:.?]{0,20}[：:]\s*|(?:다음|아래)(?:은|는| 문장"
    r"| 글)[^：:.?]{0,20}[：:]\s*",
    re.IGNORECASE,
)
