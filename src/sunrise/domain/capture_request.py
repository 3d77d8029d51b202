"""What is asked of auto-capture and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sunrise.domain.auto_capture_receipt import AutoCaptureReceipt
from sunrise.domain.filters import check_scope
from sunrise.domain.turn_request import NO_SESSION, check_keys


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """
    The messages of a session as the gateway hands them over when a turn ends, oldest first.

    They may hold the whole session at each turn. ``scope`` is the explicit one of the session; without it the
    tags before a statement count. In a group only messages count that say that the owner sent them.

    Raises:
        DataError: The name of a session is none, reason ``bad_session``, or the scope is none, ``bad_scope``.
    """

    messages: Sequence[Mapping[str, Any]]
    session_id: str = NO_SESSION
    session_key: str | None = None
    agent_id: str | None = None
    scope: str | None = None
    in_group: bool = False

    def __post_init__(self) -> None:
        check_scope(self.scope)
        check_keys(session=self.session_id, session_key=self.session_key)


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """The memories that were made or written anew, and the receipt."""

    refs: tuple[str, ...]
    receipt: AutoCaptureReceipt
