"""Take the files of OpenClaw's session-memory hook apart, and tell what time a memory file speaks of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sunrise.domain.memory_notes import MemoryNote
from sunrise.domain.times import read_time
from sunrise.domain.turn_speakers import Speaker
from sunrise.domain.turns import Origin, owner_text, says_something
from sunrise.errors import DataError

_FILE_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-([01]\d|2[0-3])([0-5]\d)(?=\.md$))?(?:-[^/]*)?\.md")
_OFFSET = re.compile(r"(?:GMT|UTC)?([+-])(\d{1,2})(?::?([0-5]\d))?")
_SESSION = re.compile(r"# Session: (\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?)(?: +(\S+))?\s*")
_SESSION_FIELD = re.compile(r"- \*\*(Session Key|Session ID|Source)\*\*: (.*)")
_CONVERSATION = "Conversation Summary"
_TURN = re.compile(r"(user|assistant): ?(.*)")
_STAMP = re.compile(
    r"^\[(?:[A-Z][a-z]{2} )?(\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?) ([^\]\s]+)\] ", re.MULTILINE
)
_AUTOMATED = frozenset({"cron", "hook", "subagent", "heartbeat"})
_SHARED = frozenset({"group", "channel"})


@dataclass(frozen=True, slots=True)
class SessionNotes:
    """
    What the session-memory hook wrote of one session: the turns of its user.

    ``automated`` says that no person sits behind the session, ``shared`` that others than the owner speak in
    it. ``sealed`` says that every turn stands quoted on a line of its own: where it is False, a reply of the
    assistant could hold lines that look like a user's turn, so the turns prove nothing about who spoke.
    """

    started: datetime | None
    session_key: str | None
    session_id: str | None
    automated: bool
    shared: bool
    sealed: bool
    turns: tuple[MemoryNote, ...]


def read_session(text: str, *, zone: tzinfo) -> SessionNotes | None:
    r"""
    Return the user's turns of a session-memory file, or None for a text that is none.

    Both ways of writing a turn are read: quoted as JSON, and raw over several lines. What the gateway put
    around a person's words is taken off; turns of machines and those that say nothing are left out.

    >>> page = '# Session: 2026-11-28 05:04:22 GMT+8\n\n## Conversation Summary\n\nuser: "I like tea"'
    >>> note = read_session(page, zone=UTC)
    >>> note.started.isoformat(), note.turns[0].text, note.sealed
    ('2026-11-28T05:04:22+08:00', 'I like tea', True)
    """
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    header = _SESSION.fullmatch(lines[0])
    if header is None:
        return None
    fields = {match[1]: match[2] for line in lines if (match := _SESSION_FIELD.fullmatch(line))}
    parts = set(fields.get("Session Key", "").split(":"))
    spoken = list(_turns(lines))
    unquoted = [_unquoted(said) for _, _, said in spoken]
    heard = [
        (line, said if quoted is None else quoted)
        for (role, line, said), quoted in zip(spoken, unquoted, strict=True)
        if role == "user"
    ]
    turns = (_turn(said, line, zone=zone) for line, said in heard)
    return SessionNotes(
        started=_moment(header[1], header[2], zone=zone),
        session_key=fields.get("Session Key"),
        session_id=fields.get("Session ID"),
        automated=not parts.isdisjoint(_AUTOMATED),
        shared=not parts.isdisjoint(_SHARED)
        or any(owner_text(said).speaker is not Speaker.OWNER for _, said in heard),
        sealed=None not in unquoted,
        turns=tuple(turn for turn in turns if turn is not None),
    )


def file_moment(name: str, *, zone: tzinfo) -> datetime | None:
    """
    Return the time that the name of a memory file states, or None where it states none.

    >>> file_moment("2026-11-28-0512.md", zone=UTC).isoformat()
    '2026-11-28T05:12:00+00:00'
    >>> file_moment("MEMORY.md", zone=UTC)
    """
    match = _FILE_DATE.fullmatch(name)
    if match is None:
        return None
    date, hours, minutes = match.groups()
    return _moment(f"{date} {hours or '00'}:{minutes or '00'}", None, zone=zone)


def zone_named(name: str) -> tzinfo | None:
    """
    Return the time zone that a name or an offset states, or None.

    >>> zone_named("GMT+8")
    datetime.timezone(datetime.timedelta(seconds=28800))
    >>> zone_named("Asia/Taipei").key
    'Asia/Taipei'
    """
    if name.upper() in {"GMT", "UTC", "Z"}:
        return UTC
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return timezone(-offset if match[1] == "-" else offset) if offset < timedelta(days=1) else None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _turns(lines: list[str]) -> Iterator[tuple[str, int, str]]:
    """Yield role, line number and words of each turn below the heading of the conversation."""
    heading = f"## {_CONVERSATION}"
    start = lines.index(heading) + 1 if heading in lines else len(lines)
    role, first, said = "", 0, list[str]()
    for number, line in enumerate(lines[start:], start=start + 1):
        if match := _TURN.fullmatch(line):
            if role:
                yield role, first, "\n".join(said).strip()
            role, first, said = match[1], number, [match[2]]
        else:
            said.append(line)
    if role:
        yield role, first, "\n".join(said).strip()


def _unquoted(said: str) -> str | None:
    if not said.startswith('"'):
        return None
    try:
        text = json.loads(said)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def _turn(said: str, line: int, *, zone: tzinfo) -> MemoryNote | None:
    heard = owner_text(said)
    if heard.origin is not Origin.OWNER or not says_something(heard.text):
        return None
    # The stamp right before the owner's words: there may be others in what was quoted above.
    stamps = (match for match in _STAMP.finditer(said) if said[match.end() :].startswith(heard.text[:20]))
    stamp = next(stamps, None)
    at = _moment(stamp[1], stamp[2], zone=zone) if stamp else None
    return MemoryNote(text=heard.text, line=line, heading=(_CONVERSATION,), at=at)


def _moment(text: str, zone_name: str | None, *, zone: tzinfo) -> datetime | None:
    there = (zone_named(zone_name) if zone_name else None) or zone
    try:
        return datetime.fromtimestamp(read_time(text, zone=there) / 1000, there)
    except DataError:
        return None
