"""Tell what a person wrote in a user turn from what the gateway put around it, by structure, not by words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from sunrise.domain.text.script import CJK_CLASS
from sunrise.domain.trust import TRUSTED, UNTRUSTED, least
from sunrise.domain.turn_blocks import (
    CRON,
    MACHINE_PROMPT,
    WAKE,
    Unwrapped,
    parts_of_queue,
    unwrapped,
    without_head,
    without_private,
    without_tail,
)
from sunrise.domain.turn_quotes import apart_from_pasted
from sunrise.domain.turn_speakers import Speaker, further, speaker_within


class Origin(StrEnum):
    """Who a user turn comes from."""

    OWNER = "owner"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class OwnerText:
    """
    A message of a user turn without what the gateway put around it.

    ``text`` is what the person wrote when ``origin`` is ``owner`` (nothing, for a picture alone), what the
    automation was asked when it is ``cron`` or ``heartbeat``, and empty when it is ``system``. ``speaker``
    is the person, and ``sender`` is how the gateway names him. ``author`` is whose words they are by what
    stands within them alone, whoever sent them.
    """

    text: str
    origin: Origin
    speaker: Speaker = Speaker.OWNER
    sender: str | None = None
    author: Speaker = Speaker.OWNER

    @property
    def trust_tier(self) -> str | None:
        """How far these words are to be trusted; None is unknown."""
        return _TIERS[self.speaker] if self.origin is Origin.OWNER else None


def turn_messages(
    raw: str, *, in_group: bool = False, sender_is_owner: bool | None = None
) -> tuple[OwnerText, ...]:
    r"""
    Return the messages of a user turn, of which several may have waited, each judged by its own marks.

    ``in_group`` says that others speak in the conversation, ``sender_is_owner`` what the gateway knows of the
    sender: it counts for more than how a message names him, but where messages name several. That another
    message stands within the text it does not change.

    Only blocks that begin or end a message in their full form are taken off: a person who quotes one within a
    sentence keeps his words. Private parts are left out.

    >>> [one.trust_tier for one in turn_messages("[Telegram Ana id:7 2026-03-08 21:53 UTC] I moved")]
    ['trusted']
    >>> [one.trust_tier for one in turn_messages("[Telegram Us id:-7 2026-03-08 21:53 UTC] Mal (6): I moved")]
    ['untrusted']
    """
    messages = _messages(without_private(raw.replace("\r\n", "\n")))
    if in_group:
        messages = [replace(one, speaker=further(one.speaker, Speaker.UNKNOWN)) for one in messages]
    if sender_is_owner is False:
        messages = [replace(one, speaker=Speaker.OTHER) for one in messages]
    if sender_is_owner is True and _have_one_sender(messages):
        messages = [replace(one, speaker=one.author) for one in messages]
    return tuple(messages)


def messages_by_author(
    raw: str, *, in_group: bool = False, sender_is_owner: bool | None = None
) -> tuple[OwnerText, ...]:
    r"""
    Return the messages of a user turn, and apart from them what the owner pasted into his: nothing says who
    wrote that.

    >>> [(one.text, one.trust_tier) for one in messages_by_author("it died:\n```\na\nb\n```")]
    [('it died:', 'trusted'), ('```\na\nb\n```', None)]
    """
    found: list[OwnerText] = []
    for message in turn_messages(raw, in_group=in_group, sender_is_owner=sender_is_owner):
        said, pasted = message.text, ""
        if message.origin is Origin.OWNER and message.speaker is Speaker.OWNER:
            said, pasted = apart_from_pasted(said)
        found.append(replace(message, text=said))
        if pasted:
            found.append(replace(message, text=pasted, speaker=Speaker.UNKNOWN))
    return tuple(found)


def owner_text(raw: str) -> OwnerText:
    r"""
    Return what stands in a user turn, and whose words they are; several messages stand one below the other.

    >>> owner_text("[Fri 2026-11-27 21:00 UTC] I take the 7:40 train 花").text
    'I take the 7:40 train 花'
    >>> owner_text("[cron:3b4b tea] water the plants\nCurrent time: Friday, November 27th, 2026 - 9 PM").text
    'water the plants'
    >>> owner_text("why does <relevant-memories> show up in my log?").text
    'why does <relevant-memories> show up in my log?'
    """
    first, *others = turn_messages(raw)
    if not others:
        return first
    said = [one for one in (first, *others) if one.origin is Origin.OWNER] or [first]
    return OwnerText(
        "\n\n".join(one.text for one in said if one.text),
        said[0].origin,
        further(*(one.speaker for one in said)),
    )


def tier_by_speaker(text: str) -> str | None:
    r"""
    Return the most that a text is to be trusted by the marks of other speakers in it; None is unknown.

    >>> tier_by_speaker("the code is 0000"), tier_by_speaker("the code is 0000\n[from: Mal (666)]")
    ('trusted', 'untrusted')
    """
    return least(*(_TIERS[one.speaker] for one in turn_messages(text)))


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


_TIERS = {Speaker.OWNER: TRUSTED, Speaker.UNKNOWN: None, Speaker.OTHER: UNTRUSTED}


def _have_one_sender(messages: list[OwnerText]) -> bool:
    return len({(one.sender, one.speaker is Speaker.OWNER) for one in messages}) == 1


def _messages(raw: str) -> list[OwnerText]:
    around = without_head(raw)
    if MACHINE_PROMPT.match(around.text):
        return [OwnerText("", Origin.SYSTEM)]
    parts = parts_of_queue(around.text)
    if parts is None:
        return [_message(without_tail(around))]
    found, least_far = list[OwnerText](), around.speaker
    if around.in_group:
        least_far = further(least_far, Speaker.UNKNOWN)
    for text, is_named in parts:
        part = unwrapped(text)
        part.hear(further(least_far, Speaker.UNKNOWN) if is_named else least_far)
        one = _message(part)
        found.append(one)
        if one.speaker is not Speaker.OWNER and not part.is_closed:
            # What follows may be his own text that imitates a message; nothing says where that ends.
            least_far = further(least_far, Speaker.UNKNOWN)
    return found


def _message(around: Unwrapped) -> OwnerText:
    text = around.text
    author = further(around.author, speaker_within(text))
    speaker = further(around.speaker, author)
    if match := CRON.match(text):
        return OwnerText(_without_clock(text[match.end() :]), Origin.CRON, speaker)
    if match := WAKE.match(text):
        wake = _WAKES.get(match["cause"], Origin.SYSTEM)
        return OwnerText("" if wake is Origin.SYSTEM else text, wake, speaker)
    asked = _without_clock(text)
    if _HEARTBEAT.match(asked) or (asked != text and _ASKS_FOR_HEARTBEAT.search(asked)):
        return OwnerText(asked, Origin.HEARTBEAT, speaker)
    if MACHINE_PROMPT.match(text) or (not text and around.internal):
        return OwnerText("", Origin.SYSTEM)
    sender = None if speaker is Speaker.OWNER else around.sender
    return OwnerText(text, Origin.OWNER, speaker, sender, author)


def _without_clock(text: str) -> str:
    match = _CLOCK.search(text) if "Current time: " in text else None
    return (text[: match.start()] if match else text).strip()
