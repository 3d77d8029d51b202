"""
Tell a prompt for which nothing needs to be looked up: a greeting, a thank you, a thumb, a command, a poll.

A prompt is known by its whole form and never by a word in it: "ok" is nothing, "ok, deploy it" is a task.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from typing import Final

from sunrise.domain.text.han_folding import fold_han
from sunrise.domain.text.hidden_text import INVISIBLE_CLASS
from sunrise.domain.text.script import CJK_CLASS
from sunrise.domain.trivial_forms import ACKNOWLEDGEMENT, ENDINGS, NODS, PARTICLES, PARTS, forms
from sunrise.domain.turns import Origin, is_silent_reply, owner_text, says_something


class Trivial(StrEnum):
    """Why a prompt is not looked up. The values are the codes of receipts."""

    EMPTY = "empty"
    PUNCTUATION = "punctuation"
    EMOJI = "emoji"
    GREETING = "greeting"
    FAREWELL = "farewell"
    ACKNOWLEDGEMENT = "acknowledgement"
    SLASH_COMMAND = "slash_command"
    HEARTBEAT = "heartbeat"
    SILENT_REPLY = "silent_reply"
    SYSTEM_EVENT = "system_event"


def trivial_reason(prompt: str) -> str | None:
    """
    Return the code of why nothing should be recalled for a prompt, or None.

    What the gateway puts around a person's words does not count. A scheduled job and a task for a subagent
    ask for something, a start of a session does not.

    >>> [str(trivial_reason(prompt)) for prompt in ("hi~", "好的👌", "?", "/new", "了解です。", "nginx?")]
    ['greeting', 'acknowledgement', 'punctuation', 'slash_command', 'acknowledgement', 'None']
    >>> [trivial_reason(prompt) for prompt in ("ok, deploy it", "好的，部署吧", "/etc/hosts is broken")]
    [None, None, None]
    """
    turn = owner_text(prompt)
    if turn.origin is Origin.CRON:
        return None
    if turn.origin is Origin.SYSTEM:
        return None if _TASK.search(prompt) else Trivial.SYSTEM_EVENT
    if turn.origin is Origin.HEARTBEAT or _HEARTBEAT.match(turn.text):
        return Trivial.HEARTBEAT
    return _reason(turn.text)


_TASK = re.compile(r"^\[(?:Subagent (?:Context|Task)|Inter-session message)\]", re.MULTILINE)

_HEARTBEAT = re.compile(
    # The first releases asked by one word, later ones by a sentence, with another ending each.
    r"\W*heartbeat(?:[ _-](?:ok|poll|check|ping|tick))?(?:\s+(?:/think:?\s*\w+|ultrathink))?\W*\Z"
    r"|read heartbeat\.md if (?:it )?exists(?: \(workspace context\))?\. "
    r"|run the following periodic tasks\b[^\n]*:\s*\n[\s\S]*\b(?:heartbeat_ok|heartbeat_respond)\b",
    re.IGNORECASE,
)

_LONG: Final = 160
"""No form is longer; what is written more often than that says something."""

_MOST_WORDS: Final = 6
_LONGEST_RUN: Final = 18

_PICTURE = re.compile(
    "[\u00a9\u00ae\u2122\u2139\u2300-\u23ff\u24c2\u25a0-\u27bf\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]|[#*0-9]\ufe0f?\u20e3"
)
_FACE = re.compile(
    r"[:;=]['-]?[)(\]\[dpo3*/\\|x]+(?![\w/])|<3+(?!\w)|\((?:[^\w()\s]|[ωツдД๑ㅂوノヮ])+\)[ノوシ]?|ツ",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(f"[{INVISIBLE_CLASS}]")
_SAYS = re.compile(r"[^\W_]")
_VOTE = re.compile(r"\s*[+＋][1１][\s!.~]*")
_WORD = re.compile(rf"[{CJK_CLASS}]+|[^\W_{CJK_CLASS}]+(?:'[^\W_{CJK_CLASS}]+)*")
_CJK = re.compile(f"[{CJK_CLASS}]")
_STRETCHED = re.compile(r"(.)\1{2,}")
_REPEATED = re.compile(r"(.{1,6}?)\1+")

_COMMAND = re.compile(
    r"/(?P<name>[a-z][a-z0-9_-]*)(?:@\w+)?:?(?:\s+(?P<rest>[\s\S]*))?\Z", re.IGNORECASE | re.ASCII
)
_FOLDER_NAMES = """
bin boot dev etc home lib lib64 media mnt opt proc root sbin srv sys tmp usr users var volumes
"""
_FOLDERS = frozenset(_FOLDER_NAMES.split())
# A name and a verb are a sentence about a path: "/login returns 500".
_TELLS = re.compile(
    r"(?:is|isn't|are|aren't|was|were|has|had|does|doesn't|did|didn't|returns|gives|throws|shows|fails|failed"
    r"|keeps|hangs|needs|should|must|can|can't|cannot|will|won't|still|seems|looks|contains|holds|got|went"
    r"|broke)\b|[是會会沒没有壞坏掛挂滿满]|返回|[のがはに]|에서",
    re.IGNORECASE,
)


def _reason(text: str) -> str | None:
    plain = unicodedata.normalize("NFKC", text) if len(text) <= _LONG else text
    if not plain.strip():
        return Trivial.EMPTY
    if is_silent_reply(plain):
        return Trivial.SILENT_REPLY
    if _is_command(plain):
        return Trivial.SLASH_COMMAND
    shown = _FACE.sub(" ", _PICTURE.sub(" ", text))
    if not _SAYS.search(shown):
        return Trivial.PUNCTUATION if shown == text else Trivial.EMOJI
    return _form(shown) if len(text) <= _LONG else None


def _form(text: str) -> str | None:
    if _VOTE.fullmatch(text):
        return Trivial.ACKNOWLEDGEMENT
    kind = _kind_of(_words(text))
    return None if kind is None else Trivial(kind)


def _is_command(text: str) -> bool:
    match = _COMMAND.match(text.strip())
    if match is None or match["name"].lower() in _FOLDERS:
        return False
    return not _TELLS.match(match["rest"] or "")


def _words(text: str) -> list[str]:
    return _WORD.findall(_folded(text))


def _folded(text: str) -> str:
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return fold_han(visible.casefold().replace("’", "'"))


def _kind_of(words: list[str]) -> str | None:
    """Return the kind of the first form if the words are nothing but forms, one after the other."""
    if len(words) == 1 and not says_something(words[0]):
        return _kind_of_form(words[0])
    reached: dict[int, str] = {0: ""}
    for start in range(len(words)):
        if start not in reached:
            continue
        for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1):
            kind = _kind_of_words(words[start:end], is_first=start == 0)
            if kind is not None:
                reached.setdefault(end, reached[start] or kind)
    return reached.get(len(words))


def _kind_of_words(words: list[str], *, is_first: bool) -> str | None:
    if len(words) > 1:
        return _forms().get(" ".join(words))
    word = words[0]
    if word in ENDINGS and not is_first:
        return ACKNOWLEDGEMENT
    if _CJK.match(word):
        return _kind_of_run(word, is_first=is_first)
    return None if word in PARTS else _kind_of_word(word)


def _kind_of_word(word: str) -> str | None:
    """Return the kind of a word, however long it is drawn out: "hiii", "hahaha", "okok"."""
    drawn = (word, _STRETCHED.sub(r"\1\1", word), _STRETCHED.sub(r"\1", word))
    kind = next(filter(None, map(_kind_of_form, drawn)), None)
    if kind is None and (match := _REPEATED.fullmatch(word)):
        kind = _kind_of_form(match[1]) or _kind_of_form(match[1] * 2)
    return kind


def _kind_of_run(run: str, *, is_first: bool) -> str | None:
    """Return the kind of words without spaces between them; particles may follow any of them."""
    particles = _particles()
    if not run.strip(NODS) or (not is_first and not run.strip(particles)):
        return ACKNOWLEDGEMENT
    plain = (run, run.replace("ー", ""), run.rstrip(particles))
    kind = next(filter(None, map(_kind_of_word, filter(None, plain))), None)
    return kind or _kind_of_pieces(run.replace("ー", ""), particles)


def _kind_of_pieces(run: str, particles: str) -> str | None:
    reached: dict[int, str] = {0: ""}
    for start in range(len(run)):
        if start not in reached:
            continue
        if start and run[start] in particles:
            reached.setdefault(start + 1, reached[start])
        # One character alone is a part of too many words.
        for end in range(start + 2, min(start + _LONGEST_RUN, len(run)) + 1):
            kind = _kind_of_form(run[start:end])
            if kind is not None:
                reached.setdefault(end, reached[start] or kind)
    return reached.get(len(run))


def _kind_of_form(form: str) -> str | None:
    kind = _forms().get(form)
    if kind is None and len(form) <= _LONGEST_RUN and not says_something(form):
        return ACKNOWLEDGEMENT
    return kind


@lru_cache(maxsize=1)
def _forms() -> dict[str, str]:
    return {" ".join(_words(form)): kind for form, kind in forms().items()}


@lru_cache(maxsize=1)
def _particles() -> str:
    return _folded(PARTICLES)
