"""Take the Markdown that an agent keeps as memory apart: one note for each bullet or paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from sunrise.domain.importance import parse_importance
from sunrise.domain.text.cleaning import clip

_HEADING = re.compile(r" {0,3}(#{1,6})(?: (.*))?")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})")
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,}")
_BULLET = re.compile(r"( *)(?:[-*+]|\d{1,3}[.)])(?: +|$)")
_FENCE = re.compile(r" *(`{3,}|~{3,})")
# A code span is matched first, so that a comment shown as code stays. No comment reaches over the beginning
# of another: a page of beginnings without an end is still read in one go.
_COMMENT = re.compile(r"(`+[^`]*`+)|<!--((?:(?!<!--).)*?)-->", re.DOTALL)
_ANNOTATION = re.compile(r"\s*(trigger|importance|project)\s*:(.*)", re.DOTALL | re.IGNORECASE)
# "**Name:**" with nothing behind it: a field of a template that nobody has filled in.
_EMPTY_FIELD = re.compile(r"(\*\*|__)(?:(?!\1).)+(?:[:：]\1|\1 *[:：])")
# A line of front matter: a field, or what belongs to the field above it, a deeper line or an item for one.
_FIELD = re.compile(r"""[\w"'$@][^:]*:(?: |$)""")
_OWN_FIELD = re.compile(r"[a-z][\w-]*:(?: |$)")
_BELOW_A_FIELD = (" ", "- ", "#", "]", "}")
_UNDER_CHARS = 200


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """
    One bullet, paragraph or user's turn with where it stands and what its annotations say.

    ``importance`` is a score from 0 to 1, ``under`` the beginning of the bullet
    that this one is nested in, ``at`` a time that
    the note itself states.
    """

    text: str
    line: int
    heading: tuple[str, ...] = ()
    under: str | None = None
    importance: float | None = None
    triggers: tuple[str, ...] = ()
    project: str | None = None
    at: datetime | None = None


def split_notes(text: str) -> tuple[MemoryNote, ...]:
    r"""
    Return the notes of a Markdown text: one for each bullet or paragraph, code fences kept whole.

    Front matter, comments and fields without a value are no notes. The annotations ``trigger``,
    ``importance`` (1 to 10) and ``project`` are taken out of the text into their fields.

    >>> (note,) = split_notes("# Tea\n- sencha at 16:00 <!-- importance: 7 -->")
    >>> note.text, note.heading, note.importance
    ('sencha at 16:00', ('Tea',), 0.7)
    """
    lines = [line.rstrip().expandtabs(4) for line in text.removeprefix("\ufeff").split("\n")]
    reading = _Reading()
    index = _front_matter_end(lines)
    while index < len(lines):
        past_comment = None if reading.fence else _past_comment(lines, index)
        if past_comment is None:
            reading.take(lines[index], number=index + 1)
            index += 1
        else:
            index = past_comment
    reading.close()
    return tuple(reading.notes)


def note_key(note: MemoryNote, *, path: str, owner: str | None = None) -> str:
    """
    Return the key by which a note is taken once: its file, its headings and what it says.

    Wrapping a note anew, moving it below the same heading and changing its annotations keep its key.
    ``path`` is relative to the workspace and ``owner`` the agent whose workspace it is, where there are more.
    """
    parts = (owner or "", path, *note.heading, " ".join(note.text.split()))
    return "markdown:" + sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(slots=True)
class _Block:
    """The lines of the note that is being read; of each, whether it belongs to a code fence."""

    line: int
    indent: int | None
    """How far a bullet is set in; None for a paragraph."""

    above: str | None = None
    """What the bullet says that this one is nested in."""

    lines: list[tuple[str, bool]] = field(default_factory=list)
    says: str | None = None


@dataclass(slots=True)
class _Reading:
    """Where the reader stands in a Markdown text, and the notes it has gathered."""

    notes: list[MemoryNote] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    block: _Block | None = None
    bullets: list[_Block] = field(default_factory=list)
    fence: str = ""
    fence_indent: int = 0
    after_blank: bool = False

    def take(self, line: str, *, number: int) -> None:
        """Take one line, whatever it is."""
        if self.fence:
            self._take_code(line)
        elif not line:
            self.after_blank = True
        elif match := _FENCE.match(line):
            self._open_fence(line, match[1], number)
        elif not self._take_structure(line, number):
            self._take_text(line, number)

    def close(self) -> None:
        """End the note that is being read."""
        if self.block is not None and (note := _note(self.block, tuple(title for _, title in self.headings))):
            self.notes.append(note)
        self.block = None
        self.after_blank = False

    def _take_structure(self, line: str, number: int) -> bool:
        """Take a heading, a rule or a bullet; False when the line is none of them."""
        if match := _HEADING.fullmatch(line):
            self._open_heading(len(match[1]), match[2] or "")
        elif self._is_title() and (match := _UNDERLINE.fullmatch(line)):
            title = self.block.lines[0][0].strip() if self.block else ""
            self.block = None
            self._open_heading(1 if match[1][0] == "=" else 2, title)
        elif _RULE.fullmatch(line):
            self.close()
        elif match := _BULLET.match(line):
            self._open_bullet(line[match.end() :], len(match[1]), number)
        else:
            return False
        return True

    def _is_title(self) -> bool:
        """Whether the block could be a heading that the next line underlines."""
        block = self.block
        return block is not None and block.indent is None and len(block.lines) == 1 and not self.after_blank

    def _open_heading(self, level: int, title: str) -> None:
        self.close()
        self.bullets.clear()
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, _title(title)))

    def _open_bullet(self, text: str, indent: int, number: int) -> None:
        self.close()
        while self.bullets and (self.bullets[-1].indent or 0) >= indent:
            self.bullets.pop()
        self.block = _Block(number, indent, above=self.bullets[-1].says if self.bullets else None)
        self.block.lines.append((text, False))
        self.bullets.append(self.block)
        # A bullet may begin with a fence.
        if match := _FENCE.match(text):
            self.block.lines[-1] = (text, True)
            self.fence, self.fence_indent = match[1], indent + 2

    def _open_fence(self, line: str, marker: str, number: int) -> None:
        indent = len(line) - len(line.lstrip())
        self._go_on(indent, number)
        self.fence, self.fence_indent = marker, indent
        self._take_code(line, opens=True)

    def _take_code(self, line: str, *, opens: bool = False) -> None:
        shown = line[min(self.fence_indent, len(line) - len(line.lstrip())) :]
        if self.block is not None:
            self.block.lines.append((shown, True))
        mark = line.strip()
        if not opens and mark.startswith(self.fence) and not mark.strip(self.fence[0]):
            self.fence = ""

    def _take_text(self, line: str, number: int) -> None:
        block = self._go_on(len(line) - len(line.lstrip()), number)
        block.lines.append((line.strip(), False))

    def _go_on(self, indent: int, number: int) -> _Block:
        """Return the block that a line set in this far belongs to: the open one or a new paragraph."""
        block = self.block
        if block is not None and self.after_blank and (block.indent is None or indent <= block.indent):
            self.close()
            block = None
        if block is None:
            if indent == 0:
                self.bullets.clear()
            self.block = block = _Block(number, None, above=self.bullets[-1].says if self.bullets else None)
        elif self.after_blank:
            block.lines.append(("", False))
        self.after_blank = False
        return block


def _note(block: _Block, heading: tuple[str, ...]) -> MemoryNote | None:
    text, annotations = _block_text(block)
    block.says = clip(text, _UNDER_CHARS) or None
    if not text or _EMPTY_FIELD.fullmatch(text):
        return None
    triggers = (phrase.strip() for phrase in annotations.get("trigger", "").split(","))
    return MemoryNote(
        text=text,
        line=block.line,
        heading=heading,
        under=block.above,
        importance=_annotated_importance(annotations.get("importance")),
        triggers=tuple(phrase for phrase in triggers if phrase),
        project=annotations.get("project") or None,
    )


def _block_text(block: _Block) -> tuple[str, dict[str, str]]:
    """Return the text of a block without its comments, and what its annotations say."""
    parts: list[str] = []
    annotations: dict[str, str] = {}
    prose: list[str] = []
    for line, is_code in [*block.lines, ("", True)]:
        if not is_code:
            prose.append(line)
            continue
        if prose:
            text, found = _without_comments("\n".join(prose))
            annotations.update(found)
            parts += [piece.strip() for piece in text.split("\n")]
            prose = []
        parts.append(line)
    return "\n".join(parts).strip("\n ").strip(), annotations


def _title(text: str) -> str:
    title = _without_comments(text)[0].strip()
    # "## Title ##" is closed, "## C#" is not.
    opened = title.rstrip("#")
    return opened.rstrip() if not opened or opened.endswith(" ") else title


def _without_comments(text: str) -> tuple[str, dict[str, str]]:
    annotations: dict[str, str] = {}

    def drop(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        if annotation := _ANNOTATION.fullmatch(match[2]):
            annotations[annotation[1].lower()] = annotation[2].strip()
        return ""

    return _COMMENT.sub(drop, text), annotations


def _annotated_importance(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        tenths = float(value)
    except ValueError:
        importance = parse_importance(value)
        return importance.score if importance else None
    return tenths / 10 if 1 <= tenths <= 10 else None


def _front_matter_end(lines: list[str]) -> int:
    """
    Return the line behind the front matter, 0 where there is none.

    Some tools put a block of their own before the one that is there, so that a second one may follow. What
    stands between two rules and does not read as fields is text.
    """
    end = _fields_end(lines, 0, _FIELD)
    begin = next((index for index in range(end, len(lines)) if lines[index]), end) if end else 0
    # Below the first block, lines such as "Time zone: Lisbon" are more likely a fact between two rules.
    return (end and _fields_end(lines, begin, _OWN_FIELD)) or end


def _fields_end(lines: list[str], begin: int, field: re.Pattern[str]) -> int:
    """Return the line behind a block of YAML fields that begins at a line, 0 where none does."""
    if lines[begin : begin + 1] != ["---"] or "---" not in lines[begin + 1 :]:
        return 0
    end = lines.index("---", begin + 1)
    block = [line for line in lines[begin + 1 : end] if line]
    # A slip in one line leaves the others what they are.
    fields = sum(_FIELD.match(line) is not None or line.startswith(_BELOW_A_FIELD) for line in block)
    if block and (field.match(block[0]) is None or fields * 2 <= len(block)):
        return 0
    return end + 1


def _past_comment(lines: list[str], index: int) -> int | None:
    """Return the line behind a comment of several lines that begins here, or None where none begins."""
    line = lines[index].lstrip()
    if not line.startswith("<!--") or "-->" in line:
        return None
    return next((end + 1 for end in range(index + 1, len(lines)) if "-->" in lines[end]), None)
