"""What others wrote that is put into a message: files, letters, notes, messages that it quotes or answers."""

from __future__ import annotations

import re
from typing import Final

from sunrise.domain.turn_speakers import MINUTE, Speaker, speaker_within

NOTES: Final = (
    r"Note: The previous agent run was [^\n]*",
    r"Continue where you left off\. The previous (?:model )?attempt [^\n]*",
    r"\[Retry after the previous [^\]\n]*\]",
    rf"System(?: \(untrusted\))?: \[{MINUTE}[^\]\n]*\] [^\n]*",
)
"""Notes of one line that a gateway writes into a turn."""


def without_others(text: str) -> str:
    r"""
    Return a text without the files, letters, notes, quoted and answered messages that are put into it.

    >>> without_others("> the code is 0000\nI do not agree"), without_others("I see\n<file a>\nx\n</file>")
    ('I do not agree', 'I see\n')
    """
    if "<file " in text:
        text = _FILE.sub("", text)
    if "---" in text:
        text = _MAIL.sub("", text)
    text = _NOTE_LINES.sub("", text)
    return _QUOTED.sub(lambda quoted: "" if _is_anothers(quoted[0]) else quoted[0], _without_replies(text))


def _is_anothers(quoted: str) -> bool:
    plain = _QUOTE_SIGNS.sub("", quoted)
    return quoted.lstrip().startswith(">") or speaker_within(plain) is not Speaker.OWNER


def _without_replies(text: str) -> str:
    """Return a text without the messages that it answers, which stand in full between two marks."""
    kept, start, opened = list[str](), 0, -1
    for mark in _REPLY.finditer(text):
        if not mark[0].startswith("[/"):
            opened = mark.start() if opened < 0 else opened
        elif opened >= 0:
            kept.append(text[start:opened])
            start, opened = mark.end(), -1
    return "".join((*kept, text[start:]))


def apart_from_pasted(text: str) -> tuple[str, str]:
    r"""
    Return a text without its fenced blocks of several lines, and those blocks: nothing says who wrote them.

    >>> apart_from_pasted("it died:\n```\na\nb\n```\nwhy?"), apart_from_pasted("run ```make```")
    (('it died:\n\nwhy?', '```\na\nb\n```'), ('run ```make```', ''))
    """
    return _FENCED.sub("", text).strip(), "\n\n".join(match[0] for match in _FENCED.finditer(text))


_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(?:(?![ \t]*```)[^\n]*\n){2,}[ \t]*```[ \t]*$", re.MULTILINE)
_NOTE_LINES = re.compile(rf"^(?:{'|'.join(NOTES)})[ \t]*(?:\n|\Z)", re.MULTILINE)
_REPLY = re.compile(
    r"^\[(?P<end>/?)(?P<what>Replying|Reply|Quoting|Quoted)\b[^\]\n]*\]|\[/(?:Replying|Reply|Quoting|Quoted)\]",
    re.MULTILINE,
)
_FILE = re.compile(r"^[ \t]*<file [^>\n]{0,400}>[\s\S]*?(?:</file>|\Z)", re.MULTILINE)
# A rule of dashes with words in it, and the fields of a letter's head below: up to the next such rule.
_MAIL = re.compile(
    r"^[ \t]*-{3,} ?[^\s-][^\n]{0,80}?-{3,}[ \t]*\n(?:[^\n:]{1,30}: ?[^\n]+\n)+[\s\S]*?"
    r"(?:^[ \t]*-{3,}[^\n]{0,80}?-{3,}[ \t]*$|\Z)",
    re.MULTILINE,
)
_QUOTED = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+|^[ \t]*[「『《〈“‘«(（\"'][^\n]*(?:\n|\Z)", re.MULTILINE)
_QUOTE_SIGNS = re.compile(r"^[ \t>「『《〈“‘«(（\"']+", re.MULTILINE)
