"""The session of an agent that an event stands in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sunrise.domain.capture_identity import short_name
from sunrise.domain.turn_speakers import is_group


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of the session that an event stands in. Build it with :func:`session_of`."""

    session_id: str
    session_key: str | None = None
    agent_id: str | None = None
    in_group: bool = False


def session_of(
    session_id: str, *, session_key: str | None, agent_id: str | None = None, in_group: bool = False
) -> Session:
    """
    Return the session under the key that hooks name it by; the key names the agent too.

    Runs of a scheduled job share one entry in the store, while hooks name each run by its own key. A key of
    a group or a channel says that others speak there, whatever ``in_group`` says.

    >>> session_of("9a23", session_key="agent:main:cron:3b4b").session_key
    'agent:main:cron:3b4b:run:9a23'
    >>> session_of("9a23", session_key="agent:main:main").agent_id
    'main'
    """
    session_key = short_name(session_key)
    if session_key and _CRON_JOB.fullmatch(session_key):
        session_key = f"{session_key}:run:{session_id}"
    named = _AGENT.match(session_key or "")
    in_group = in_group or is_group(session_key or "")
    return Session(session_id, session_key, named[1] if named else short_name(agent_id), in_group)


_CRON_JOB = re.compile(r"agent:[^:]+:cron:[^:]+")
_AGENT = re.compile(r"agent:([^:]+):")
