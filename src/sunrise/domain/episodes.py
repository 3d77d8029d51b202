"""The rules that turn one event of an OpenClaw transcript into episodes and observations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping
from datetime import UTC, tzinfo
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from sunrise.domain.capture import (
    MAX_DETAIL_BYTES,
    CaptureRow,
    Dumps,
    RejectReason,
    capture_row,
    map_strings,
)
from sunrise.domain.capture_identity import MAX_KEY, short_name
from sunrise.domain.capture_origin import OF_THE_READER
from sunrise.domain.memory_tools import STORE, is_json_object, memory_operation, stored_memory_id
from sunrise.domain.scoring.task_markers import has_task_marker
from sunrise.domain.secret_fields import without_secrets
from sunrise.domain.secrets import redact
from sunrise.domain.sessions import Session
from sunrise.domain.text.cleaning import clean, clip
from sunrise.domain.times import time_of
from sunrise.domain.trust import UNTRUSTED
from sunrise.domain.turns import Origin, OwnerText, is_silent_reply, messages_by_author, says_something
from sunrise.errors import DataError

MAX_TEXT_BYTES = 1024 * 1024
"""A longer text is cut here and ends with a mark that names its size."""

SUMMARY_CHARS = 200
"""How much of a tool's result its observation holds, as in the capture plugin."""


MAX_CALL_ID = 1000


class EpisodeType(StrEnum):
    """What happened."""

    USER = "conversation.user"
    ASSISTANT = "conversation.assistant"
    AUTOMATION = "conversation.automation"
    TOOL_CALL = "tool.call"
    TOOL_RESULT = "tool.result"


class EpisodeRow(NamedTuple):
    """One thing said, called or answered, as it enters the ledger. A tuple: transcripts hold millions."""

    key: str
    ts_ms: int
    ts_flag: str | None
    type: str
    session_id: str
    session_key: str | None
    agent_id: str | None
    scope: str | None
    trust_tier: str | None
    source_kind: str
    source_ref: str
    tool_name: str | None
    tool_call_id: str | None
    text: str
    detail_json: str


class EventRows(NamedTuple):
    """
    What one event gives.

    An observation stands beside the key of its episode. ``redacted`` says that a secret was taken out.
    """

    episodes: tuple[EpisodeRow, ...] = ()
    observations: tuple[tuple[CaptureRow, str], ...] = ()
    redacted: bool = False


def event_rows(
    event: Mapping[str, Any],
    *,
    session: Session,
    dumps: Dumps,
    fallback_ms: int,
    now_ms: int,
    zone: tzinfo = UTC,
    stored_texts: MutableMapping[str, str] | None = None,
) -> EventRows:
    """
    Return the episodes and observations of one event; nothing for events that no one said or did.

    Episodes are keyed by session and event, so reading an event again, from whichever file, adds nothing.
    An observation of a tool's result is keyed as :func:`sunrise.domain.capture_identity.record_key` keys the
    capture plugin's row of that call: the same, as long as the session's key is known and the call's id is no
    mere counter; otherwise the time belongs to the key and the two sources stay apart. A provider that gives
    one id to two calls of a session has one observation for both, but two episodes. An owner's note has the
    key of its episode.

    A call through ``tool_call`` is told once, by the outer call and result, unwrapped; the
    ``openclaw.nested-tool.v1`` message between them says the same again and gives nothing.

    What a tool of the agent's own memory answers is an episode and no observation. A store that succeeded is
    one of what the agent stored: ``stored_texts`` carries the texts of such calls, by their ids, from the
    event of the call to that of its result.

    A time without a zone is in *zone*.

    Raises:
        DataError: The event is not shaped as a message, or nests too deep, or its time is none.
    """
    if event.get("type") != "message":
        return EventRows()
    message = event.get("message")
    if not isinstance(message, dict):
        raise DataError("the message is no object", reason=RejectReason.WRONG_TYPE)
    rule = _ROLES.get(str(message.get("role")))
    if rule is None:
        return EventRows()
    stated_ms = time_of(message, zone=zone)
    if stated_ms is None:
        stated_ms = time_of(event, zone=zone)
    turn = _Turn(event, message, session, dumps, now_ms)
    turn.stored_texts = {} if stored_texts is None else stored_texts
    turn.ts_ms, turn.ts_flag = (fallback_ms, "missing") if stated_ms is None else (stated_ms, None)
    rule(turn)
    return EventRows(tuple(turn.episodes), tuple(turn.observations), turn.redacted)


_NOT_OWNERS = re.compile(r"agent:[^:]+:(?:cron|subagent|heartbeat)\b")
_WRAPPER = "tool_call"


class _Turn:
    """One message with what every row of it shares, and the rows it has given so far."""

    def __init__(
        self, event: Mapping[str, Any], message: dict[str, Any], session: Session, dumps: Dumps, now_ms: int
    ) -> None:
        self.message = message
        self.session = session
        self.episodes: list[EpisodeRow] = []
        self.observations: list[tuple[CaptureRow, str]] = []
        self.redacted = False
        self.dumps = dumps
        self._now_ms = now_ms
        # Old transcripts have no ids: then the event is called by what it says.
        self._event_id = short_name(event.get("id")) or f"sha256:{_digest(dumps(event))}"
        self.ts_ms = 0
        self.ts_flag: str | None = None
        self.stored_texts: MutableMapping[str, str] = {}

    def add(
        self,
        kind: EpisodeType,
        text: str,
        *,
        detail: dict[str, Any],
        source_kind: str,
        trust: str | None = None,
        part: int = 0,
        tool: str | None = None,
        call_id: str | None = None,
    ) -> EpisodeRow:
        safe_text, text_redacted = _safe_text(text)
        detail_json, detail_redacted = self._safe_detail(detail)
        self.redacted = self.redacted or text_redacted or detail_redacted
        key = f"{self.session.session_id}#{self._event_id}"
        episode = EpisodeRow(
            key=_bounded(f"{key}/{part}" if part else key),
            ts_ms=self.ts_ms,
            ts_flag=self.ts_flag,
            type=str(kind),
            session_id=self.session.session_id,
            session_key=self.session.session_key,
            agent_id=self.session.agent_id,
            scope=None,
            trust_tier=trust,
            source_kind=source_kind,
            source_ref=f"session:{key}",
            tool_name=tool,
            tool_call_id=call_id,
            text=safe_text,
            detail_json=detail_json,
        )
        self.episodes.append(episode)
        return episode

    def observe(
        self,
        episode: EpisodeRow,
        *,
        kind: str,
        summary: str,
        detail: dict[str, Any],
        trust: str | None,
        stored_as: str | None = None,
    ) -> None:
        """Add an observation of an episode; with the id of a memory, of what the agent stored as it."""
        record = {
            "ts": None if self.ts_flag else self.ts_ms,
            "kind": kind,
            "tool_name": None if stored_as else episode.tool_name,
            "summary": summary,
            "session_key": self.session.session_key,
            "agent_id": self.session.agent_id,
            "source_kind": episode.source_kind,
            "source_ref": episode.source_ref,
            "detail": detail,
        }
        if episode.tool_call_id:
            record["tool_call_id"] = episode.tool_call_id
        row, redacted = capture_row(
            record,
            dumps=self.dumps,
            fallback_ms=self.ts_ms,
            now_ms=self._now_ms,
            limits=OF_THE_READER,
        )
        row = row._replace(memory_id=stored_as, trust_tier=trust, ts_flag=self.ts_flag)
        if stored_as:
            # The key stays that of the call's row in a capture file, and in ledgers of earlier versions.
            row = row._replace(kind="note", source_kind="agent")
        if not episode.tool_call_id:
            row = row._replace(key=_bounded(f"episode:{episode.key}"))
        self.redacted = self.redacted or redacted
        self.observations.append((row, episode.key))

    def _safe_detail(self, detail: dict[str, Any]) -> tuple[str, bool]:
        if not detail:
            return "{}", False
        cleaned = map_strings(detail, clean)
        safe = without_secrets(cleaned)
        text = self.dumps(safe)
        size = len(text.encode())
        if size > MAX_DETAIL_BYTES:
            text = self.dumps({"_truncated": True, "original_bytes": size})
        return text, safe != cleaned


def _user(turn: _Turn) -> None:
    marks = turn.message.get("__openclaw")
    is_owner = marks.get("senderIsOwner") if isinstance(marks, dict) else None
    raw = _text(turn.message.get("content"))
    messages = messages_by_author(raw, in_group=turn.session.in_group, sender_is_owner=is_owner)
    for part, said in enumerate(messages):
        if said.text:
            _message(turn, said, part=part)


def _message(turn: _Turn, said: OwnerText, *, part: int) -> None:
    if _is_automation(turn, said):
        detail = {"origin": str(said.origin)} if said.origin is not Origin.OWNER else {}
        turn.add(EpisodeType.AUTOMATION, said.text, detail=detail, source_kind="system", part=part)
        return
    trust, detail = said.trust_tier, {"sender": said.sender} if said.sender else {}
    episode = turn.add(
        EpisodeType.USER, said.text, detail=detail, source_kind="operator", trust=trust, part=part
    )
    # What another said is no note of the owner.
    if trust != UNTRUSTED and says_something(said.text):
        kind = "task" if has_task_marker(said.text) else "note"
        turn.observe(episode, kind=kind, summary=episode.text, detail={}, trust=trust)


def _is_automation(turn: _Turn, said: OwnerText) -> bool:
    provenance = turn.message.get("provenance")
    sent_by = provenance.get("kind") if isinstance(provenance, dict) else None
    return (
        said.origin is not Origin.OWNER
        or sent_by in ("internal_system", "inter_session")
        or bool(_NOT_OWNERS.match(turn.session.session_key or ""))
    )


def _assistant(turn: _Turn) -> None:
    content = turn.message.get("content")
    text = _text(content)
    if text.strip() and not is_silent_reply(text):
        turn.add(EpisodeType.ASSISTANT, text, detail={}, source_kind="agent")
    for part, block in enumerate(content if isinstance(content, list) else (), start=1):
        if isinstance(block, dict) and block.get("type") == "toolCall":
            _call(turn, block, part=part)


def _call(turn: _Turn, block: dict[str, Any], *, part: int) -> None:
    tool, arguments = short_name(block.get("name")), block.get("arguments")
    if tool == _WRAPPER and isinstance(arguments, dict) and isinstance(arguments.get("id"), str):
        tool = short_name(arguments["id"].rpartition(":")[2])
        arguments = arguments.get("args")
    call_id = short_name(block.get("id"), limit=MAX_CALL_ID)
    if call_id and memory_operation(tool) == STORE and isinstance(arguments, dict):
        said = arguments.get("text")
        if isinstance(said, str) and said.strip():
            turn.stored_texts[call_id] = said
    # A call has no text to be found by but what was called with what.
    shown = "" if arguments is None else turn.dumps(without_secrets(map_strings(arguments, clean)))
    turn.add(
        EpisodeType.TOOL_CALL,
        f"{tool or ''} {shown}".strip(),
        detail={"arguments": arguments},
        source_kind="tool",
        part=part,
        tool=tool,
        call_id=call_id,
    )


def _result(turn: _Turn) -> None:
    message = turn.message
    tool, content, details = (
        short_name(message.get("toolName")),
        message.get("content"),
        message.get("details"),
    )
    if tool == _WRAPPER and (inner := _unwrapped(details)):
        tool, content, details = inner
    failed = message.get("isError") is True
    episode = turn.add(
        EpisodeType.TOOL_RESULT,
        _text(content),
        detail={"details": details, "is_error": failed},
        source_kind="tool",
        trust="untrusted",
        tool=tool,
        call_id=short_name(message.get("toolCallId"), limit=MAX_CALL_ID),
    )
    operation = memory_operation(tool)
    if operation is not None:
        if operation == STORE and not failed:
            _stored(turn, episode, details)
        return
    summary = clip(episode.text.strip(), SUMMARY_CHARS)
    if summary:
        detail = {"is_error": True} if failed else {}
        turn.observe(episode, kind="tool", summary=summary, detail=detail, trust="untrusted")


def _stored(turn: _Turn, episode: EpisodeRow, details: object) -> None:
    memory_id = stored_memory_id(details, episode.text)
    text = turn.stored_texts.pop(episode.tool_call_id or "", None)
    if text is None and not is_json_object(episode.text):
        # The call was read by an earlier run; what a plugin answers begins with what was stored.
        text = clip(episode.text.strip(), SUMMARY_CHARS)
    if memory_id and text:
        detail = {"memory_id": memory_id}
        turn.observe(episode, kind="tool", summary=text, detail=detail, trust=None, stored_as=memory_id)


def _unwrapped(details: object) -> tuple[str | None, object, object] | None:
    if not isinstance(details, dict):
        return None
    tool, result = details.get("tool"), details.get("result")
    if not isinstance(tool, dict) or not isinstance(result, dict):
        return None
    return short_name(tool.get("name")), result.get("content"), result.get("details")


_ROLES: Mapping[str, Callable[[_Turn], None]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _result,
}


def _text(content: object) -> str:
    """Return the text of a message: all of its text blocks, a line each."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))


def _safe_text(text: str) -> tuple[str, bool]:
    cut = ""
    if (
        len(text) * 4 > MAX_TEXT_BYTES
        and (size := len(raw := text.encode("utf-8", "surrogatepass"))) > MAX_TEXT_BYTES
    ):
        text = raw[:MAX_TEXT_BYTES].decode("utf-8", "ignore")
        cut = f"\n[truncated: {size} bytes]"
    cleaned = clean(text)
    redaction = redact(cleaned)
    return redaction.text + cut, redaction.text != cleaned


def _bounded(key: str) -> str:
    return key if len(key) <= MAX_KEY else f"sha256:{_digest(key)}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
