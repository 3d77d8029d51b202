"""What a row states, one statement at a time, without what an extractor wraps around it."""

from __future__ import annotations

import json
import re

MAX_STATEMENTS = 12
"""A row of more statements is a document, and is not judged by what each of them says."""


def bare(text: str) -> str:
    """
    Return a text without JSON around its one sentence, and without comments of HTML.

    >>> bare('{"fact": "Tea is at four.", "category": "habit"}')
    'Tea is at four.'
    """
    text = _COMMENT.sub("", text).strip() if "<!--" in text else text.strip()
    if not (text.startswith("{") and text.endswith("}") and len(text) <= _LONGEST_JSON):
        return text
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if (listed := _listed(fields)) is not None:
        return listed
    told = [value.strip() for value in fields.values() if isinstance(value, str)]
    sentence = max(told, key=len, default="")
    plain = all(not isinstance(value, (dict, list)) for value in fields.values())
    one = plain and len(fields) <= _FIELDS and " " not in "".join(v for v in told if v != sentence)
    return sentence if one and _SENTENCE_LIKE.search(sentence) else text


def statements_of(text: str) -> tuple[str, ...]:
    """
    Return what a text states, cut at lines and sentences, each without its bullet, label and mark.

    A text of too many statements gives none.

    >>> statements_of("- [rule] Tea is at four. Also: NB: milk goes in last (importance 7)")
    ('Tea is at four.', 'milk goes in last')
    """
    whole = bare(text)
    whole = whole if _AROUND.fullmatch(whole) else _TAIL.sub("", whole)
    cut = [part for piece in _CUT.split(whole) if piece and (part := _unwrapped(piece))]
    told = tuple(part for part in cut if len(part) >= _SHORTEST and _WORD.search(part))
    return told if len(told) <= MAX_STATEMENTS else ()


def clauses_of(statement: str) -> tuple[str, ...]:
    """
    Return the parts of a statement that strings several together, without what introduces them.

    >>> clauses_of("Overview of it: tea is at four, while cake is eaten on Sunday")
    ('Overview of it', 'tea is at four', 'cake is eaten on Sunday')
    """
    return tuple(part for one in _CLAUSE.split(statement) if len(part := one.strip()) >= _SHORTEST)


def unframed(statement: str) -> str:
    """
    Return what a statement says the agent, its memory or its context told: the frame is no news.

    >>> unframed("the agent was reminded by its memory that tea is at four")
    'tea is at four'
    """
    inner = statement[match.end() :] if (match := _FRAME.match(statement)) else statement
    return inner if len(inner) >= _SHORTEST else statement


def told_in(text: str) -> str:
    """Return a text without what an extractor wraps around all of it."""
    return _TAIL.sub("", bare(text))


def _listed(fields: dict[str, object]) -> str | None:
    """Return the sentences of an object that holds nothing but one list of them, a line each."""
    lists = [value for value in fields.values() if isinstance(value, list)]
    if len(lists) != 1 or not lists[0] or not all(isinstance(one, str) for one in lists[0]):
        return None
    return "\n".join(lists[0]) if len(fields) <= _FIELDS else None


def _without_head(piece: str) -> str:
    """Return a piece without its bullet, label, day, or the one pair of marks around all of it."""
    if (around := _AROUND.fullmatch(piece)) is not None:
        return around["all"] or around["bold"] or around["tag"]
    return piece[match.end() :] if (match := _HEAD.match(piece)) else piece


def _unwrapped(piece: str) -> str:
    piece = piece.strip()
    for _ in range(_LAYERS):
        inner = _without_head(piece)
        inner = inner if _AROUND.fullmatch(inner) else _TAIL.sub("", inner)
        if len(inner) < _SHORTEST or inner == piece or not _WORD.search(inner):
            break
        piece = inner
    return piece


_LONGEST_JSON = 4000
_FIELDS = 4
_LAYERS = 4
_SHORTEST = 4

_WORD = re.compile(r"[^\W\d_]{2}")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SENTENCE_LIKE = re.compile(r"\w\s+\w+\s+\w|[\u3400-\u9fff]{4}")
_CUT = re.compile(
    r"\n+|\s/\s|(?<=[。！？；])|(?<=;)(?:\s+|(?=[\u3400-\u9fff]))|(?<=[.!?])\s+(?=[A-Z\u3400-\u9fff`\[(-])|(?:另外|此外|還有|还有)[，,:：]|\b(?:Also|Further"
    r"|Besides)[,:] "
)
_AROUND = re.compile(
    r"[（(\[](?P<all>[^()（）\[\]]{4,})[)）\]]|\*\*(?P<bold>[^*]{8,})\*\*|<(?P<name>[\w-]{1,20})>(?P<tag>[^<>]{8,})</(?P=name)>"
)
_CLAUSE = re.compile(
    r"(?<!\d)[,，](?!\d)|[;；、。]|[:：](?=\s|[\u3400-\u9fff])|\b(?:while|whereas|as well as|and also)\b"
)
_HEAD = re.compile(
    r"\s*(?:[-*•>]+\s+|\d{1,2}[.)]\s+|\[[^\]\n\d]{1,20}\][:：]?\s*|【[^】\d]{1,10}】\s*"
    r"|(?:\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2})[:：] *|\[[^\]\n]{1,40}\]\s+(?=\S{2,})"
    r"|(?!教[訓训]|原因)[\u3400-\u9fff]{1,10}[:：] *(?=\S)|[^\W\d]{1,8}：\s*"
    r"|(?!lesson|mistake|cause|because|workaround|decision)(?:[A-Za-z][\w'-]*)(?: [\w'.-]+){0,5}: +(?=\S)"
    r"|(?:according to|as stated in|as per|per|based on) [^,:;]{1,40}[,:] )",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"(?:the )?(?:ai |system )?(?:agent|assistant|bot)(?: has| had)? (?:(?:confirm|state|acknowledge|note"
    r"|recall"
    r"|remember|learn|observe|report|mention)(?:e?d|s)|knows|understood|was (?:reminded|informed|told)"
    r"(?: by its memory)?)(?: that| of|:) ?"
    r"|it (?:is|was|has been) \w+ that |(?:the )?(?:memory(?: search)?|search|files?|context|session"
    r"|conversation"
    r"|notes?|records?)(?: \w+){0,2} (?:shows?|showed|says|said|returned|holds|indicates?"
    r"|states?)(?: that|:)? "
    r"|(?:furthermore|moreover|additionally|also|as (?:stored|noted|agreed) in memory),? "
    r"|(?:助理|代理|我)?(?:想起|記得|记得|回想起|得知)(?:[:：]| ?)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s*(?:[（(][^()（）]{1,30}[)）]|\[[^\]]{1,20}\])\s*[.。;；]?\s*$")
