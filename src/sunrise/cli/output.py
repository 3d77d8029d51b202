"""The one way a command prints its result."""

from __future__ import annotations

import json
from typing import Any

from sunrise.domain.secret_fields import without_secrets
from sunrise.domain.secrets import redact


def say(data: dict[str, Any], text: str, *, as_json: bool) -> None:
    """Print for a person, or the same as JSON for a program; neither is shown a secret."""
    print(json.dumps(without_secrets(data), ensure_ascii=False) if as_json else redact(text).text)
