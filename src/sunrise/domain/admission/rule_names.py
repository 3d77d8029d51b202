"""The rules of admission by name."""

from __future__ import annotations

from enum import StrEnum


class RuleName(StrEnum):
    """The rules by the names that settings and receipts use."""

    NEAR_DUPLICATE = "near_duplicate"
    RECALL_LOOP = "recall_loop"
    BOOT_FILE = "boot_file"
    HEARTBEAT = "heartbeat"
    CRON_CHATTER = "cron_chatter"
    ACKNOWLEDGEMENT = "acknowledgement"
    ONLY_REDACTED = "only_redacted"
    UNSUPPORTED_PROFILE = "unsupported_profile"
    SYSTEM_DUMP = "system_dump"
    TRANSIENT_STATE = "transient_state"
    HELD_BACK = "held_back"


REPEATS = frozenset({RuleName.NEAR_DUPLICATE, RuleName.RECALL_LOOP})
"""The rules whose rows repeat a kept row: of the others the first is hidden."""

BY_FORM = frozenset(
    {RuleName.HEARTBEAT, RuleName.CRON_CHATTER, RuleName.ACKNOWLEDGEMENT, RuleName.ONLY_REDACTED}
)
"""The rules that go by the form of a row and are sure of it. Others judge what it says, and may be wrong."""
