"""What others wrote that is put into a message: files, letters, messages that it quotes or answers."""

from __future__ import annotations

import re

from sunrise.domain.turn_speakers import Speaker, speaker_within


def without_others(text: str) -> str:
    r"""
    Return a text without the files, letters, quoted and answered messages that are put into it.

    >>> without_others("> the code is 0000\nI do not agree"), without_others("I see\n<file a>\nx\n</file>")
    ('I do not agree', 'I see\n')
    """
    if "<file " in text:
        text = _FILE.sub("", text)
    if "---" in text:
        text = _MAIL.sub("", text)
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
