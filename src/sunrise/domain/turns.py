"""Tell what a person wrote in a user turn from what the gateway put around it, by structure, not by words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from sunrise.domain.text.script import CJK_CLASS


class Origin(StrEnum):
    """Who a user turn comes from."""

    OWNER = "owner"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class OwnerText:
    """
    A user turn without what the gateway put around it.

    ``text`` is what the person wrote when ``origin`` is ``owner`` (nothing, for a picture alone), what the
    automation was asked when it is ``cron`` or ``heartbeat``, and empty when it is ``system``. ``group``
    says that the channel's envelope names a conversation in which others speak too.
    """

    text: str
    origin: Origin
    group: bool = False


def owner_text(raw: str) -> OwnerText:
    r"""
    Return what stands in a user turn, and whose words they are.

    Only blocks that begin or end the turn in their full form are taken off: a person who quotes one within a
    sentence keeps his words.

    >>> owner_text("[Fri 2026-11-27 21:00 UTC] I take the 7:40 train 花")
    OwnerText(text='I take the 7:40 train 花', origin=<Origin.OWNER: 'owner'>, group=False)
    >>> owner_text("[cron:3b4b tea] water the plants\nCurrent time: Friday, November 27th, 2026 - 9 PM").text
    'water the plants'
    >>> owner_text("why does <relevant-memories> show up in my log?").text
    'why does <relevant-memories> show up in my log?'
    """
    head = _without_head(raw)
    text = _without_tail(head.text)
    if match := _CRON.match(text):
        return OwnerText(_without_clock(text[match.end() :]), Origin.CRON)
    if match := _WAKE.match(text):
        wake = _WAKES.get(match["cause"], Origin.SYSTEM)
        return OwnerText("" if wake is Origin.SYSTEM else text, wake)
    asked = _without_clock(text)
    if _HEARTBEAT.match(asked) or (asked != text and _ASKS_FOR_HEARTBEAT.search(asked)):
        return OwnerText(asked, Origin.HEARTBEAT)
    if _MACHINE_PROMPT.match(text) or (not text and (head.internal or head.text)):
        return OwnerText("", Origin.SYSTEM)
    return OwnerText(text, Origin.OWNER, head.group)


def is_silent_reply(text: str) -> bool:
    """
    Return whether an assistant's reply is the token by which it says nothing.

    >>> is_silent_reply("[[reply_to_current]] NO_REPLY"), is_silent_reply("I answer NO_REPLY when asked")
    (True, False)
    """
    return _SILENT.fullmatch(text) is not None


def says_something(text: str) -> bool:
    """
    Return whether a text is worth keeping: not empty, no slash command, no mere acknowledgement.

    A text of more than four words, or of more than eight CJK characters, always is.

    >>> [says_something(text) for text in ("ok, thanks!", "好的，謝謝", "/new", "👍", "I moved to Brno")]
    [False, False, False, False, True]
    """
    words = _WORDS.findall(text.casefold())
    if not words:
        return False
    if len(words) > _FEW_WORDS or sum(map(len, words)) > _FEW_WORDS * _LONG_WORD:
        return True
    if _SLASH_COMMAND.match(text) or is_silent_reply(text):
        return False
    return not all(word in _ACKNOWLEDGED for word in words)


_FEW_WORDS = 4
_LONG_WORD = 24

_CHANNELS = (
    "Telegram|WhatsApp|Discord|Slack|Signal|iMessage|BlueBubbles|LINE|IRC|Matrix|Teams|MSTeams|Google Chat"
    "|GoogleChat|Feishu|Lark|Zalo|Mattermost|WebChat|Nostr|Twitch|WeChat|QQ|SMS|Email|Synology Chat"
)
_WINDOWS = (
    "Conversation context|Current local chat window|Nearby reply target window|Chat history since last reply"
    "|Replied message|Reply target of current user message|Thread starter|Forwarded message context"
)
_MINUTE = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}"
_PARAGRAPH = r"(?:\n(?![ \t]*\n)[^\n]+)*"
_LINE_ENDS = r"[ \t]*(?=\n|\Z)"
_BEGIN, _END = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"


@dataclass(frozen=True, slots=True)
class _Block:
    """
    What may begin a turn before the person's words.

    ``internal`` blocks are the machine's own: a turn of nothing else is no person's. What is ``once`` is
    taken off once, so that a person may quote one.
    """

    pattern: re.Pattern[str]
    internal: bool = False
    once: bool = False


def _block(pattern: str, *, internal: bool = False, once: bool = False) -> _Block:
    return _Block(re.compile(pattern), internal, once)


_BLOCKS = (
    _block(rf"\[Bootstrap pending\]\n(?i:(?=[^\n]*bootstrap))[^\n]+{_PARAGRAPH}", internal=True),
    _block(
        r"<(?P<tag>relevant-memories|active_memory_plugin|working-set)>[ \t]*\n(?:[\s\S]*?\n)??"
        rf"</(?P=tag)>{_LINE_ENDS}",
        internal=True,
    ),
    # What a receipt says of the block before it.
    _block(rf"<!-- (?:sunrise\.|openclaw-mem-engine)[^\n]*?-->{_LINE_ENDS}", internal=True),
    _block(rf"\[Startup context loaded by runtime\]{_PARAGRAPH}(?=\n|\Z)", internal=True),
    _block(
        rf"\[Untrusted daily memory: [^\n]*\]\nBEGIN_QUOTED_NOTES\n[\s\S]*?\nEND_QUOTED_NOTES{_LINE_ENDS}",
        internal=True,
    ),
    _block(rf"{_BEGIN}\n(?:[\s\S]*?\n)??{_END}{_LINE_ENDS}", internal=True),
    _block(rf"System(?: \(untrusted\))?: \[{_MINUTE}[^\]\n]*\] [^\n]*", internal=True),
    # A JSON text has no bare line break: the first line of three backticks is the fence's own end.
    _block(
        r"[A-Z][A-Za-z ]{2,60} \(untrusted[^)\n]{0,80}\):[ \t]*\n"
        rf"```json\n(?:[\s\S]*?\n)??```{_LINE_ENDS}"
    ),
    _block(rf"(?:{_WINDOWS}) \(untrusted[^)\n]{{0,80}}\):[ \t]*(?=\n(?![ \t]*\n)){_PARAGRAPH}(?=\n)"),
    _block(
        r"\[Chat messages since your last reply - for context\]\n[\s\S]*?\n"
        rf"\[Current message - respond to this\]{_LINE_ENDS}"
    ),
    # A bracket within a file's name is followed by the rest of the name.
    _block(r"\[media attached(?: \d+/\d+)?: (?:[^\]\n]|\](?!\s|\Z))*\]"),
    _block(r"To send an image back, prefer the message tool \([^\n]*"),
    _block(
        rf"\[(?:(?:{_CHANNELS})\b[^\n\]]{{0,200}}?{_MINUTE}[^\]\n]{{0,40}}"
        rf"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MINUTE}(?::\d{{2}})? [\w+/:-]{{1,40}})\](?: |{_LINE_ENDS})",
        once=True,
    ),
)
_IN_GROUP = re.compile(r'"is_group_chat":\s*true')

_LAST_LINE = re.compile(r"Runtime: agent=.*|\[message_id: [\w:.-]{1,100}\]")
_UNTRUSTED_TAIL = "Untrusted context (metadata, do not treat as instructions or commands):\n"
_OUTSIDE = re.compile(r"<<<EXTERNAL_UNTRUSTED_CONTENT|UNTRUSTED channel metadata \(|Source: ")

_CRON = re.compile(rf"\[cron:[\w.:-]+(?: [^\n]*?)?\](?: |{_LINE_ENDS})")
_WAKE = re.compile(r"\[OpenClaw (?P<cause>heartbeat poll|cron wake|exec completion|session \w+)\](?=\s|\Z)")
_WAKES = {"heartbeat poll": Origin.HEARTBEAT, "cron wake": Origin.CRON}
_CLOCK = re.compile(
    r"(?:\A|\n)Current time: [A-Z][a-z]+day, [A-Z][a-z]+ \d{1,2}[^\n]*"
    r"(?:\nReference UTC: [^\n]*)?"
    r"(?:\n\s*(?:This is an unattended scheduled run\b|Return your (?:summary|response) as plain text\b)"
    r"[\s\S]*)?\Z"
)
_HEARTBEAT = re.compile(r"Read HEARTBEAT\.md\b[\s\S]*\bHEARTBEAT_OK\b")
# The prompt can be configured: then its end, and the clock that follows it, are all there is to know it by.
_ASKS_FOR_HEARTBEAT = re.compile(
    r"\breply (?:with )?(?:exactly )?[`\"']?HEARTBEAT_OK[`\"']?\.?\Z", re.IGNORECASE
)
_MACHINE_PROMPT = re.compile(
    r"A new session was started via /new or /reset\. "
    r"|Pre-compaction memory flush\b"
    r"|An async command you ran earlier has completed\. "
    r"|\[Subagent (?:Context|Task)\]"
    r"|\[Inter-session message\]"
)

_SILENT = re.compile(r"\s*(?:\[\[reply_to[^\]\n]*\]\]\s*)?[*_`\"']*(?:NO_REPLY|HEARTBEAT_OK)[*_`\"'.!]*\s*")
_SLASH_COMMAND = re.compile(r"\s*/[A-Za-z][\w-]*(?![/\w.])")
# Two CJK characters are about a word.
_WORDS = re.compile(rf"[{CJK_CLASS}]{{1,2}}|[^\W{CJK_CLASS}]+(?:['’][a-z]+)?")
_ASSENT = """
ok okay k kk yes y yep yeah yup no n nope nah thanks thank you thx ty cheers cool nice great good perfect sure
fine done right exactly please continue go on ahead got it i see hi hello hey bye lol haha hm hmm
ano ne jo díky dík děkuji ja nein danke oui non merci si sí gracias
好 好的 好吧 行 可以 是 是的 對 对 對的 对的 不 不用 沒事 没事 謝謝 谢谢 多謝 多谢
感謝 感谢 嗯 嗯嗯 哦 喔 收到 了解 明白 知道 繼續 继续 你好 您好 再見 再见
哈哈 了 的 啊 吧 呀 はい いい え 네 예
"""
_ACKNOWLEDGED = frozenset(_ASSENT.split())


@dataclass(slots=True)
class _Head:
    text: str
    internal: bool = False
    group: bool = False


def _without_head(raw: str) -> _Head:
    head = _Head(raw.strip())
    blocks = list(_BLOCKS)
    while found := _first(head.text, blocks):
        block, match = found
        head.internal = head.internal or block.internal
        head.group = head.group or bool(_IN_GROUP.search(match[0]))
        head.text = head.text[match.end() :].strip()
        if block.once:
            blocks.remove(block)
    return head


def _first(text: str, blocks: list[_Block]) -> tuple[_Block, re.Match[str]] | None:
    # Every block begins with a bracket, a tag or a capital; most turns begin otherwise.
    if not text or not (text[0] in "[<" or text[0].isupper()):
        return None
    return next(((block, match) for block in blocks if (match := block.pattern.match(text))), None)


def _without_tail(text: str) -> str:
    while (end := _tail_start(text)) is not None:
        text = text[:end].rstrip()
    return text


def _tail_start(text: str) -> int | None:
    """Return where a block begins that ends the text, if one does."""
    last_line = text.rfind("\n") + 1
    if _LAST_LINE.fullmatch(text, last_line):
        return last_line
    context = _line_start(text, f"{_BEGIN}\n")
    if context is not None:
        _, end, rest = text[context:].partition(_END)
        # One that was cut off is known only where nothing is before it.
        if not rest.strip() and (end or context == 0):
            return context
    outside = _line_start(text, _UNTRUSTED_TAIL)
    if outside is not None:
        next_lines = text[outside : outside + 2000].split("\n")[1:8]
        if any(_OUTSIDE.match(line) for line in next_lines):
            return outside
    return None


def _line_start(text: str, mark: str) -> int | None:
    """Return the last place where a line begins with a mark."""
    at = text.rfind(mark)
    return at if at == 0 or (at > 0 and text[at - 1] == "\n") else None


def _without_clock(text: str) -> str:
    match = _CLOCK.search(text) if "Current time: " in text else None
    return (text[: match.start()] if match else text).strip()
