"""A row that asks to be admitted, and what must be equal for two of them to say the same thing."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from sunrise.domain.text.analysis import MAX_CHARS
from sunrise.domain.text.script import CJK_CLASS


@dataclass(frozen=True, slots=True)
class Candidate:
    """
    What admission looks at in a captured row.

    ``terms`` is the analysed text, as :func:`sunrise.domain.text.analysis.terms` gives it.
    """

    key: str
    ts_ms: int
    kind: str
    tool_name: str | None
    text: str
    terms: str
    source_kind: str
    session_key: str | None = None
    agent_id: str | None = None
    scope: str | None = None
    trust_tier: str | None = None
    importance_label: str | None = None
    memory_id: str | None = None

    @property
    def is_note(self) -> bool:
        """
        Whether the row is a note that somebody wrote into a memory file on purpose, not a turn or a result.

        Only the reader of Markdown files gives such keys. What it takes from saved sessions are turns: they
        are messages of the owner or of the system, and not facts.
        """
        if _NOTE_KEY.fullmatch(self.key) is None:
            return False
        return self.source_kind == "agent" or (self.source_kind == "operator" and self.kind == "fact")

    @property
    def is_owners_note(self) -> bool:
        """Whether the row is a note of ``MEMORY.md`` or ``USER.md``, for which the owner answers."""
        return self.source_kind == "operator" and self.is_note


def fingerprint_text(candidate: Candidate) -> str:
    """
    Return what is equal for two rows exactly when they say the same thing, from the same kind of source.

    The terms stand for writing without spaces, in either form of Chinese. They lose what may turn a meaning:
    endings (worked, works), signs and units (-5, 5%, x != y), pictures, words too long for a term, and what
    is beyond the analysed length. So the words of all other writing stand beside them as they were written,
    without regard to case, and without the punctuation around them.

    >>> def said(text):
    ...     return fingerprint_text(Candidate("k", 0, "note", None, text, text.lower(), "agent"))
    >>> said("Bob pays Alice") == said("bob pays alice"), said("I work") == said("I worked")
    (True, False)
    """
    names = (
        candidate.source_kind,
        candidate.kind,
        candidate.tool_name,
        candidate.scope,
        candidate.agent_id,
        candidate.trust_tier,
        candidate.importance_label,
        candidate.memory_id,
    )
    parts = ("" if name is None else f"={name}" for name in names)
    return "\x1f".join((*parts, candidate.terms, _as_written(candidate.text)))


def _as_written(text: str) -> str:
    rest = text[MAX_CHARS:]
    if not text.isascii():
        # What the terms hold in reading order: characters of writing without spaces, and its punctuation.
        text = _UNSPACED.sub(" ", unicodedata.normalize("NFKC", text))
    words = [chunk.lstrip(_AROUND).rstrip(_AROUND_END) for chunk in text.casefold().split()]
    return " ".join(filter(None, words)) + rest


_NOTE_KEY = re.compile(r"markdown:[0-9a-f]{32}")
_UNSPACED = re.compile(rf"[{CJK_CLASS}、。「」『』《》〈〉【】]+")
_AROUND = ".,;:\"'()[]{}`*_…“”‘’"
_AROUND_END = _AROUND + "!"
