"""What was taken out of a text that was kept already: the text without it, its kinds, and what it was."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sunrise.domain.secret_fields import with_like_marks, without_secrets
from sunrise.domain.secrets import redact

_MARKS = re.compile(r"(?:\[redacted:[a-z0-9-]+\])+")
_KIND = re.compile(r"\[redacted:([a-z0-9-]+)\]")

SHORTEST_SEARCHED = 8
"""A shorter value, or one that is a mere word, stands in any file and would say nothing there."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """
    A text without its secrets, and the kinds of what was taken out, sorted.

    ``values`` are the secrets themselves. They are for a search while the process lives, and never written.
    """

    text: str
    kinds: tuple[str, ...] = ()
    values: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RedactedField:
    """What kind of secret was taken out of which field of which record; never what it was."""

    record_ref: str
    field: str
    kind: str


@dataclass(frozen=True, slots=True)
class SecretRecord:
    """A row that holds a secret: its table, what it is known by there, and what there is to take out."""

    table: str
    key: tuple[str | int, ...]
    fields: tuple[RedactedField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsFound:
    """
    What a look through a store found: rows seen by table, the rows that hold a secret, and the secrets.

    ``values`` are for a search while the process lives, and never written.
    """

    seen: Mapping[str, int]
    records: tuple[SecretRecord, ...]
    values: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretMemory:
    """
    A memory that holds a secret, and its texts without it.

    ``texts`` are the columns that change, ``text`` is the redacted text in any case. ``address`` says where
    the row stands, for one whose id is missing or stands there twice.
    """

    id: str | None
    address: int
    texts: Mapping[str, str]
    text: str
    embedding_model: str | None
    fields: tuple[RedactedField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySecrets:
    """
    What a look through the memories table found.

    ``rows`` are of the newest version. Stained is what reads a file that holds a secret: fragments of the
    newest version, other versions, and tags. ``values`` are the secrets, for a search while the process
    lives, and never written. ``unfinished`` tells of a sweep that was killed.
    """

    seen: int
    rows: tuple[SecretMemory, ...] = ()
    values: frozenset[str] = frozenset()
    stained_fragments: frozenset[int] = frozenset()
    stained_versions: tuple[int, ...] = ()
    stained_tags: tuple[str, ...] = ()
    unfinished: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.rows or self.stained_fragments or self.stained_versions or self.unfinished)


def scrubbed(text: str) -> Scrubbed:
    """
    Return a plain text without its secrets.

    >>> scrubbed("log in with password: hunter2!").kinds
    ('password',)
    """
    after = redact(text)
    if not after.kinds:
        return Scrubbed(text)
    return Scrubbed(after.text, after.kinds, frozenset(_taken(text, after.text)))


def scrubbed_json(
    text: str,
    *,
    dumps: Callable[[object], str],
    scrub: Callable[[str], Scrubbed] | None = None,
    scrub_value: Callable[[object], object] = without_secrets,
) -> Scrubbed:
    """
    Return a JSON text without the secrets in its texts; what is no JSON is taken as plain text.

    Where something else is taken out than secrets, *scrub* and *scrub_value* say how.

    >>> scrubbed_json('{"password": "swordfish"}', dumps=json.dumps).text
    '{"password": "[redacted:field]"}'
    """
    try:
        before = json.loads(text)
        after = scrub_value(before)
    except (ValueError, RecursionError):
        return (scrub or scrubbed)(text)
    # Under a secret's name a mark may be taken for the secret, and would be marked again and again.
    if after == before or with_like_marks(dumps(after)) == with_like_marks(dumps(before)):
        return Scrubbed(text)
    return Scrubbed(dumps(after), kinds_taken(before, after) or ("secret",), values_taken(before, after))


def kinds_taken(before: object, after: object) -> tuple[str, ...]:
    """
    Return the kinds of secrets that were taken out of a JSON value, sorted.

    >>> kinds_taken(["[redacted:token]", "x"], ["[redacted:token]", "[redacted:field]"])
    ('field',)
    """
    old, new = (
        Counter(kind for text in _texts(value) for kind in _KIND.findall(text)) for value in (before, after)
    )
    return tuple(sorted(new - old))


def values_taken(before: object, after: object) -> frozenset[str]:
    """
    Return the secrets that were taken out of a JSON value.

    >>> sorted(values_taken({"pin": "password: hunter2!"}, {"pin": "password: [redacted:password]"}))
    ['hunter2!']
    """
    return frozenset(
        value
        for old, new in zip(_texts(before), _texts(after), strict=False)
        if old != new
        for value in _taken(old, new)
    )


def searchable(values: Iterable[str]) -> frozenset[str]:
    """
    Return the secrets that are worth a search through files.

    >>> sorted(searchable(["root", "swordfish", "hunter2-hunter2"]))
    ['hunter2-hunter2']
    """
    return frozenset(
        value for value in values if len(value) >= SHORTEST_SEARCHED and not value.strip().isalpha()
    )


def _taken(before: str, after: str) -> Iterator[str]:
    """Yield what stood where the marks stand now."""
    pieces = _MARKS.split(after)
    start = len(pieces[0])
    for number, piece in enumerate(pieces[1:], start=2):
        end = len(before) - len(piece) if number == len(pieces) else before.find(piece, start + 1)
        if not start < end:
            return
        # A mark that was there before is no secret.
        if not _MARKS.fullmatch(value := before[start:end]):
            yield value
        start = end + len(piece)


def _texts(value: object) -> Iterator[str]:
    """Yield every text of a JSON value in its order, the names of fields too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
