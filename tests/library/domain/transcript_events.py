"""Events of a transcript, and the rows that they give."""

from __future__ import annotations

import json
from typing import Any

from sunrise.domain.episodes import EpisodeRow, EventRows, event_rows
from sunrise.domain.sessions import Session, session_of

MAIN = session_of("s1", session_key="agent:main:main")
MS = 1_795_812_854_069
LEAKED = "gh" + "p_" + "a1B2c3D4e5" * 4


def dumps(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def rows(
    message: Any, *, session: Session = MAIN, stored_texts: dict[str, str] | None = None, **event: Any
) -> EventRows:
    whole = {"type": "message", "id": "e1", "message": message, **event}
    return event_rows(whole, session=session, dumps=dumps, fallback_ms=7, now_ms=9, stored_texts=stored_texts)


def user(text: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": MS, **fields}


def blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def call(name: str, arguments: Any, *, call_id: str = "call_a1") -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(text: str, *, tool: str = "exec", details: Any = None, **fields: Any) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": "call_a1", "toolName": tool, "content": blocks(text),
            "details": details, "isError": False, "timestamp": MS, **fields}  # fmt: skip


def only(taken: EventRows) -> EpisodeRow:
    (episode,) = taken.episodes
    return episode
