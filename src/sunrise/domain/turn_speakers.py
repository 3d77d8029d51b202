"""Whose words a message is by the marks that a gateway sets: envelopes, group marks, names of senders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from sunrise.domain.text.hidden_text import INVISIBLE_CLASS

SIGNS: Final = ("[", "): ", "(untrusted")
"""One of these is in every text with a mark of another speaker; most texts have none."""


class Speaker(StrEnum):
    """Who speaks in a message, as far as its marks say."""

    OWNER = "owner"
    """Nothing says that anybody else does."""
    UNKNOWN = "unknown"
    """Others speak in that conversation too, or another message stands within."""
    OTHER = "other"
    """A sender is named, and nothing says that he is the owner."""


def further(*speakers: Speaker) -> Speaker:
    """
    Return the speaker who is furthest from the owner.

    >>> further(Speaker.OWNER, Speaker.OTHER, Speaker.UNKNOWN).value
    'other'
    """
    return max(speakers, key=_FURTHER.index)


def is_group(label: str) -> bool:
    """
    Return whether a label or an id of a conversation is one in which others speak too.

    >>> [is_group(label) for label in ("Family id:-1001234", "#general", "agent:main:x:group:7", "Ana id:7")]
    [True, True, True, False]
    """
    return _GROUP.search(label) is not None


def is_same_sender(sender: str, label: str) -> bool:
    """
    Return whether a sender is the one after whom a conversation of two is called.

    >>> is_same_sender("Rowan (1000200)", "Telegram Rowan id:1000200 +6s"), is_same_sender("Mal (6)", "Rowan")
    (True, False)
    """
    name, _, number = sender.rstrip(")").rpartition(" (")
    words = re.split(r"[\s():]+", label)
    return number in words if name else sender in words


def named_in_metadata(block: str) -> tuple[bool, str | None]:
    r"""
    Return whether a block of metadata is of a group, and the sender that it names.

    A block that is no JSON is judged by its letters.

    >>> named_in_metadata('Sender (untrusted):\n```json\n{"is_group_chat": true, "sender": "Mal"}\n```')
    (True, 'Mal')
    """
    try:
        told = json.loads(block[block.index("{") : block.rindex("}") + 1])
    except (ValueError, RecursionError):
        return _IN_GROUP.search(block) is not None, None
    sender = next((told[key] for key in _SENDER_KEYS if isinstance(told.get(key), str) and told[key]), None)
    return any(_is_group_field(key, value) for key, value in told.items()), sender


def named_at(text: str, at: int = 0) -> re.Match[str] | None:
    """
    Return the sender that a text begins with, known by his number; a year is none.

    >>> named_at("Mallory (666): hi")["sender"], named_at("Budget (2026): 300"), named_at("Note (new): ok")
    ('Mallory (666)', None, None)
    """
    match = _SENDER_WITH_ID.match(text, at)
    return None if match is None or _YEAR.search(match["sender"]) else match


def speaker_within(text: str) -> Speaker:
    r"""
    Return who speaks by the marks of other messages that stand on lines of a text; quoting one in a sentence
    is no mark.

    >>> speaker_within("look:\n[Telegram Family id:-1001 2026-03-08 22:02 UTC] Mal (666): hi").value
    'other'
    >>> speaker_within("what is [from: Mallory (666)] in my log?").value
    'owner'
    """
    if not any(sign in text for sign in SIGNS):
        return Speaker.OWNER
    return further(Speaker.OWNER, *_marks(text))


_FURTHER: Final = tuple(Speaker)
_GROUP = re.compile(
    r"\bid:-\d|(?<![\w.])-\d{6,}\b|\b(?:super)?group\b|\b(?:channel|room|guild|thread|space)\b"
    r"|(?-i:\bid:[CG][0-9A-Z]{8,}|\boc_[0-9a-z]{6,})"
    r"|@g\.us\b|@thread\b|(?<!\w)#[^\W\d]|(?<!\w)![\w-]+:",
    re.IGNORECASE,
)
_IN_GROUP = re.compile(r'"is_group_chat":\s*true')
_SENDER_KEYS = ("sender", "sender_name", "sender_label", "sender_id", "label", "name", "username")
_PLACES = re.compile(r"chat|conversation|channel|room|peer|(?:^|_)to$")
_KINDS = frozenset({"group", "supergroup", "channel", "room", "thread", "guild"})

MINUTE: Final = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}"
LINE_ENDS: Final = r"[ \t]*(?=\n|\Z)"
_CHANNELS = (
    "Telegram|WhatsApp|Discord|Slack|Signal|iMessage|BlueBubbles|LINE|IRC|Matrix|Teams|MSTeams|Google Chat"
    "|GoogleChat|Feishu|Lark|Zalo|Mattermost|WebChat|Nostr|Twitch|WeChat|QQ|SMS|Email|Synology Chat"
)
_ID_OR_AGE = r"(?:\bid:\S|@g\.us|(?<!\w)\+\d{1,6}[smhd]\b)"
ENVELOPE: Final = (
    rf"\[(?:(?:{_CHANNELS})\b[^\n]{{0,200}}?{MINUTE}[^\]\n]{{0,40}}"
    rf"|(?:{_CHANNELS})\b[^\]\n]{{0,160}}?(?:{_ID_OR_AGE}|(?<!\w)#\w)[^\]\n]{{0,120}}"
    rf"|\w[^\]\n]{{0,160}}?{_ID_OR_AGE}[^\]\n]{{0,120}}?{MINUTE}[^\]\n]{{0,40}})\]"
)
"""What a channel sets before a message: itself, the conversation, how long ago, and when."""

METADATA: Final = r"[A-Z][A-Za-z ]{2,60} \(untrusted[^)\n]{0,80}\):[ \t]*\n```json\n"

_NOTES = re.compile(
    r"(?:(?:\[[^\]\n]{1,200}\]|(?:Note|System)(?: \([^)\n]{1,60}\))?:[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+)"
    r"\s*+){0,20}+"
)
_NUMBER = r"\((?:\+?\d{3,20}|@[\w.]{1,60}|[\w.:#@-]{0,60}\d[\w.:#@-]{0,60})\)"
_SENDER_WITH_ID = re.compile(rf"(?P<sender>[^\W\d][^\n:()]{{0,80}} {_NUMBER}): ")
SENDER: Final = re.compile(r"(?P<sender>[^\s:()\[\]][^\n:()\[\]]{0,80}(?: \([^()\n]{1,80}\))?): ")
FROM: Final = re.compile(r"\[from: (?P<sender>[^\n]{1,160})\]")

_YEAR = re.compile(r"\((?:19|20)\d\d\)")
_MARK = re.compile(
    rf"^[ \t{INVISIBLE_CLASS}]*+(?:\[[^\]\n]{{1,80}}\] ?)*?"
    rf"(?:(?P<envelope>{ENVELOPE}) ?(?P<said>[^\n]{{0,200}})"
    rf"|(?P<metadata>{METADATA})|(?P<sender>{FROM.pattern.replace('?P<sender>', '?:')}))",
    re.MULTILINE,
)


def _is_group_field(key: str, value: Any) -> bool:
    if key.startswith("group") or key == "is_group_chat":
        return bool(value)
    if not isinstance(value, str):
        return _PLACES.search(key) is not None and isinstance(value, int) and value < 0
    return value.casefold() in _KINDS or (_PLACES.search(key) is not None and is_group(value))


def _marks(text: str) -> Iterator[Speaker]:
    notes = _NOTES.match(text)
    if named_at(text, notes.end() if notes else 0):
        yield Speaker.UNKNOWN
    for mark in _MARK.finditer(text):
        is_named = mark["sender"] or (mark["envelope"] and _names_sender(mark["envelope"], mark["said"]))
        yield Speaker.OTHER if is_named else Speaker.UNKNOWN


def _names_sender(envelope: str, said: str) -> bool:
    return named_at(said) is not None or (is_group(envelope) and SENDER.match(said) is not None)
