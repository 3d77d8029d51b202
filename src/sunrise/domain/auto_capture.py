"""
What is kept of what the owner says without being asked for: his preferences and decisions, a few a turn.

The messages of a session are read anew after every turn, as the gateway repeats them. A candidate's key holds
neither its place nor its time, which the gateway changes, so what was read before gives the same keys.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from hashlib import sha256
from typing import Any, Final

from sunrise.domain.capture_phrases import levelled
from sunrise.domain.capture_signs import CaptureCategory, CaptureSkip, Verdict, verdict_on
from sunrise.domain.capture_statements import Statement, statements_in
from sunrise.domain.episodes import EpisodeRow, EpisodeType, event_rows
from sunrise.domain.own_words import Foreign
from sunrise.domain.scope_policy import ResolvedScope, ScopePolicy, ScopeSource, written_scope
from sunrise.domain.sessions import Session
from sunrise.domain.text.cleaning import clip
from sunrise.domain.text.script import detect_lang
from sunrise.domain.times import BAD_TIME
from sunrise.domain.trust import TRUSTED
from sunrise.errors import ConfigurationError, DataError

MAX_MESSAGES: Final = 24
"""The newest of the owner's messages that are read again each turn."""
MAX_MESSAGE_CHARS: Final = 8000
MAX_STATEMENTS: Final = 40
"""Of one message; the rest of a longer one is a document."""
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS

DEFAULT_CATEGORIES: Final = frozenset({CaptureCategory.PREFERENCE, CaptureCategory.DECISION})


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoCapturePolicy:
    """
    What is captured, and how much of it.

    What the owner ordered to be remembered is kept in any category. ``max_items`` counts tasks too.

    Raises:
        ConfigurationError: A figure is out of its bounds, or a category is none.
    """

    enabled: bool = True
    categories: frozenset[CaptureCategory] = DEFAULT_CATEGORIES
    max_items: int = 4
    capture_todo: bool = False
    max_todo_per_turn: int = 1
    todo_dedupe_window_hours: int = 24
    todo_stale_ttl_days: int = 7

    def __post_init__(self) -> None:
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                msg = f"{name} must be from {least} to {most}, not {value}"
                raise ConfigurationError(msg)
        try:
            categories = frozenset(CaptureCategory(one) for one in self.categories)
        except ValueError as error:
            msg = f"categories must be among {', '.join(CaptureCategory)}"
            raise ConfigurationError(msg) from error
        object.__setattr__(self, "categories", categories)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureCandidate:
    """
    One statement that may become a memory.

    ``key`` is the same however often the session is read. ``turn`` counts the turns of this reading.
    ``replaces`` is the key of a kept text that says less. ``reasons`` name the signs that spoke for it
    where no phrase did.
    """

    key: str
    text: str
    category: CaptureCategory
    scope: ResolvedScope
    lang: str
    explicit: bool = False
    created_ms: int | None = None
    turn: int = 0
    replaces: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in the messages of a session, and why the rest of them was left."""

    candidates: tuple[CaptureCandidate, ...] = ()
    messages: int = 0
    skipped_messages: Mapping[str, int] = field(default_factory=dict)
    statements: int = 0
    filtered: Mapping[str, int] = field(default_factory=dict)


def extracted(
    messages: Sequence[object],
    *,
    session: Session,
    policy: AutoCapturePolicy,
    scopes: ScopePolicy,
    scope: str | None = None,
    zone: tzinfo = UTC,
) -> Extraction:
    """
    Return the candidates in the messages of a session, as the hook ``agent_end`` has them, oldest first.

    Only words that are surely the owner's are read: in a group those of a message that says so. ``scope`` is
    the explicit one of the session; else the tags before a statement count. A time without a zone is in
    *zone*.

    >>> said = {"role": "user", "content": "Thanks! From now on, write dates as YYYY-MM-DD."}
    >>> found = extracted([said], session=Session("s1"), policy=AutoCapturePolicy(), scopes=ScopePolicy())
    >>> [(one.text, one.category.value) for one in found.candidates], dict(found.filtered)
    ([('From now on, write dates as YYYY-MM-DD.', 'preference')], {'acknowledged': 1})
    """
    reading = _Reading(session, policy, scopes, scope, zone)
    if policy.enabled:
        reading.read(messages)
    return Extraction(
        candidates=tuple(reading.candidates),
        messages=reading.messages,
        skipped_messages=sorted_counts(reading.skipped),
        statements=reading.statements,
        filtered=sorted_counts(reading.filtered),
    )


def is_stale_todo(created_ms: int | None, *, now_ms: int, policy: AutoCapturePolicy) -> bool:
    """
    Return whether a task is too old to be brought up; one without a time never is.

    >>> is_stale_todo(0, now_ms=8 * DAY_MS, policy=AutoCapturePolicy())
    True
    """
    return created_ms is not None and now_ms - created_ms > policy.todo_stale_ttl_days * DAY_MS


def capture_key(text: str, *, session_id: str, scope: ResolvedScope, day: int | None = None) -> str:
    """
    Return the key of a statement: the same for the same words in the same session and named scope.

    A default scope is left out, so that a change of the setting captures nothing anew. ``day`` is for what
    may be said again.
    """
    named = "" if scope.source is ScopeSource.DEFAULT else scope.scope
    words = " ".join(levelled(text).split()).rstrip(".。!~ ")
    content = "\x1f".join((session_id, named, words, "" if day is None else str(day)))
    return "capture:" + sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def sorted_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """
    Return counts by plain names, sorted, without those of nothing.

    >>> sorted_counts({"b": 1, "a": 2, "c": 0})
    {'a': 2, 'b': 1}
    """
    return {str(name): count for name, count in sorted(counts.items()) if count}


_BOUNDS = {
    "max_items": (1, 4),
    "max_todo_per_turn": (0, 3),
    "todo_dedupe_window_hours": (1, 168),
    "todo_stale_ttl_days": (1, 90),
}
_FOREIGN = {
    Foreign.QUOTED: CaptureSkip.QUOTED,
    Foreign.MATERIAL: CaptureSkip.MATERIAL,
    Foreign.MACHINE: CaptureSkip.MACHINE,
}
_UPGRADED = (CaptureSkip.NO_SIGN, CaptureSkip.TRANSIENT, CaptureSkip.REPORTED, CaptureSkip.REACTION)


class _Reading:
    """One reading of a session's messages."""

    def __init__(
        self,
        session: Session,
        policy: AutoCapturePolicy,
        scopes: ScopePolicy,
        scope: str | None,
        zone: tzinfo,
    ) -> None:
        self.candidates: list[CaptureCandidate] = []
        self.messages = 0
        self.statements = 0
        self.skipped: Counter[str] = Counter()
        self.filtered: Counter[str] = Counter()
        self._session = session
        self._policy = policy
        self._scopes = scopes
        self._scope = scope
        self._zone = zone

    def read(self, messages: Sequence[object]) -> None:
        turns = _turns(messages)
        self.messages = len(turns)
        self.skipped[CaptureSkip.OLDER_MESSAGE] += len(turns[:-MAX_MESSAGES])
        for turn, message in turns[-MAX_MESSAGES:]:
            for episode in self._owners(message):
                self._read_text(episode, turn)

    def _owners(self, message: Mapping[str, Any]) -> list[EpisodeRow]:
        """Return the words of a message that are the owner's; count why the rest is not."""
        event = {"type": "message", "id": "-", "message": message}
        try:
            rows = event_rows(
                event, session=self._session, dumps=_dumps, fallback_ms=0, now_ms=0, zone=self._zone
            )
        except DataError as error:
            is_wrong_time = str(error.reason).startswith(BAD_TIME)
            self.skipped[CaptureSkip.BAD_TIME if is_wrong_time else CaptureSkip.MALFORMED] += 1
            return []
        owners = [episode for episode in rows.episodes if episode.trust_tier == TRUSTED]
        others = [episode for episode in rows.episodes if episode.trust_tier != TRUSTED]
        said = any(episode.type == EpisodeType.USER for episode in others)
        if others or not owners:
            # A message counts once, though several may have waited in it.
            self.skipped[CaptureSkip.NOT_OWNER if said else CaptureSkip.AUTOMATION] += 1
        return owners

    def _read_text(self, episode: EpisodeRow, turn: int) -> None:
        statements = statements_in(clip(episode.text, MAX_MESSAGE_CHARS))
        self.statements += len(statements)
        self.filtered[CaptureSkip.TOO_MANY] += len(statements[MAX_STATEMENTS:])
        created_ms = None if episode.ts_flag else episode.ts_ms
        for statement, verdict in _verdicts(statements[:MAX_STATEMENTS]):
            skip = verdict.skip or self._switched_off(verdict)
            if skip is not None or verdict.category is None:
                self.filtered[skip or CaptureSkip.NO_SIGN] += 1
                continue
            self.candidates.append(self._candidate(statement, verdict, verdict.category, created_ms, turn))

    def _switched_off(self, verdict: Verdict) -> CaptureSkip | None:
        if verdict.category is CaptureCategory.TODO:
            return None if self._policy.capture_todo else CaptureSkip.TODO_OFF
        is_on = verdict.explicit or verdict.category in self._policy.categories
        return None if is_on else CaptureSkip.CATEGORY_OFF

    def _candidate(
        self,
        statement: Statement,
        verdict: Verdict,
        category: CaptureCategory,
        created_ms: int | None,
        turn: int,
    ) -> CaptureCandidate:
        scope = written_scope(self._scope, self._scopes, text=statement.tags)
        is_task = category is CaptureCategory.TODO
        # A task may be set again, so its day belongs to it.
        day = created_ms // DAY_MS if is_task and created_ms is not None else None
        return CaptureCandidate(
            key=capture_key(verdict.text, session_id=self._session.session_id, scope=scope, day=day),
            text=verdict.text,
            category=category,
            scope=scope,
            lang=detect_lang(verdict.text),
            explicit=verdict.explicit,
            created_ms=created_ms,
            turn=turn,
            reasons=verdict.reasons,
        )


def _turns(messages: Sequence[object]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the messages of users, each with the number of its turn: an answer begins a new one."""
    found: list[tuple[int, Mapping[str, Any]]] = []
    turn = 0
    for message in messages:
        role = message.get("role") if isinstance(message, Mapping) else None
        if role == "user" and isinstance(message, Mapping):
            found.append((turn, message))
        elif role == "assistant":
            turn += 1
    return found


def _verdicts(statements: Sequence[Statement]) -> list[tuple[Statement, Verdict]]:
    """Judge the statements of a message: an order to remember may stand beside what is to be remembered."""
    found: list[tuple[Statement, Verdict]] = []
    ordered: int | None = None
    for statement in statements:
        if statement.foreign is not None:
            found.append((statement, Verdict(statement.text, skip=_FOREIGN[statement.foreign])))
            continue
        verdict = verdict_on(statement.text, explicit=ordered == statement.paragraph)
        if verdict.skip is CaptureSkip.MEMORY_ORDER:
            if statement.text.rstrip().endswith((":", "：")):
                ordered = statement.paragraph
            elif found:
                found[-1] = (found[-1][0], _upgraded(found[-1][1]))
        found.append((statement, verdict))
    return found


def _upgraded(verdict: Verdict) -> Verdict:
    may_be = verdict.category is not None or verdict.skip in _UPGRADED
    return verdict_on(verdict.text, explicit=True) if may_be else verdict


def _dumps(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
