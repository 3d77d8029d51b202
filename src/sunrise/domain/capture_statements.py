"""A turn as the statements that may become memories, each with the scope tags that hold for it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sunrise.domain.own_words import Foreign, own_lines, without_foreign_blocks
from sunrise.domain.scope_policy import without_scope_tags


@dataclass(frozen=True, slots=True)
class Statement:
    """
    One sentence of a turn.

    ``tags`` are the scope tags of its line, or those that stand alone on the line before. Statements of one
    ``paragraph`` have no empty line between them.
    """

    text: str
    tags: str = ""
    paragraph: int = 0
    foreign: Foreign | None = None


def statements_in(text: str) -> tuple[Statement, ...]:
    r"""
    Return the statements of a turn in order; a line that is not the owner's is one, whatever it holds.

    >>> [(one.text, one.tags) for one in statements_in("[SCOPE: home]\n- I like tea. No sugar!")]
    [('I like tea.', '[SCOPE: home]'), ('No sugar!', '[SCOPE: home]')]
    """
    found: list[Statement] = []
    pending, paragraph = "", 0
    text = unicodedata.normalize("NFC", text)
    # Where a block is taken out it leaves an empty line, which does not part a tag from what it is for.
    is_whole = without_foreign_blocks(text) == text
    for line in own_lines(text):
        if not line.text.strip():
            pending, paragraph = "" if is_whole else pending, paragraph + 1
            continue
        body = without_scope_tags(line.text) if line.foreign is None else line.text
        tags = line.text[: len(line.text) - len(body)].strip()
        if tags and not body.strip():
            pending = tags
            continue
        pieces = sentences(body) if line.foreign is None else (body,)
        found += [Statement(piece, tags or pending, paragraph, line.foreign) for piece in pieces]
        pending = ""
    return tuple(found)


def sentences(line: str) -> tuple[str, ...]:
    """
    Return a line's sentences without list marks, whichever writing they are in.

    >>> sentences("- 我不吃辣。以後點餐要避開！ok?")
    ('我不吃辣。', '以後點餐要避開！', 'ok?')
    >>> sentences("Use v2.5, e.g. the docker one. thanks")
    ('Use v2.5, e.g. the docker one.', 'thanks')
    """
    pieces = (piece.strip() for piece in _CUT.split(_LIST_MARK.sub("", line, count=1)))
    return tuple(piece for piece in pieces if _LETTER.search(piece))


_LETTER = re.compile(r"[^\W_]")
_LIST_MARK = re.compile(r"\A\s*(?:(?:[-*•·+▪◦]|\d{1,2}[.)、])\s+|[•·▪◦・](?=\S)|\d{1,2}[)、](?=\S))+")
_CUT = re.compile(
    r"(?<=[。！？])(?![」』”\"）)])|(?<=[!?])\s+"
    r"|(?:(?<=[a-z\u00c0-\u024f\uac00-\ud7a3)\]\"'0-9]\.)|(?<=[A-Z]{2}\.))"
    r"(?<!e\.g\.)(?<!i\.e\.)(?<! vs\.)(?<!etc\.)(?<!approx\.)(?<! Dr\.)(?<! Mr\.)(?<!Mrs\.)(?<! Ms\.)(?<! n"
    r"o\.)\s+"
    r"|(?<=\.\.\.)\s+|(?<=…)\s*(?=\S)"
)
