"""The one way a command prints its result."""

from __future__ import annotations

import json
from typing import Any


def say(data: dict[str, Any], text: str, *, as_json: bool) -> None:
    """Print for a person, or the same as JSON for a program."""
    print(json.dumps(data, ensure_ascii=False) if as_json else text)
