"""What was refused to whom, line by line, in a file that only grows: codes and refs, never a text."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Final

from sunrise.adapters.private_files import append_private
from sunrise.errors import StoreError
from sunrise.ports import Clock

AUDIT_FILE: Final = "serve-audit.jsonl"
MAX_BYTES: Final = 8 * 1024 * 1024
"""A file that has grown to this gets a new name, in place of the one before it."""

AUDITED: Final = frozenset({
    "token_in_url", "token_missing", "token_unknown", "host_not_allowed", "origin_not_allowed",
    "right_not_allowed", "scope_not_allowed", "trusted_more",
})  # fmt: skip
"""The reasons that are noted."""


class Audit:
    """Appends to ``serve-audit.jsonl`` in a home."""

    def __init__(self, home: Path, *, clock: Clock) -> None:
        self._path = home / AUDIT_FILE
        self._clock = clock
        self._lock = threading.Lock()

    def note(self, reason: str, *, request_id: str, client: str, route: str, scope: str | None) -> bool:
        """Append one refusal; False where the disk does not take it. What is refused stays refused."""
        line = {
            "atMs": self._clock.now_ms(),
            "reason": reason,
            "requestId": request_id,
            "client": client,
            "route": route,
            # What is no name of a scope may hold anything; two that are alike can still be told.
            "scopeSha256": None if scope is None else _digest(scope),
        }
        try:
            with self._lock:
                if append_private(self._path, json.dumps(line)) > MAX_BYTES:
                    self._path.replace(self._path.with_suffix(".1.jsonl"))
        except (StoreError, OSError):
            return False
        return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
