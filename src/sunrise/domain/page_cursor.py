"""The opaque text that says where a page of a list ended, so that the next one begins right after it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sunrise.errors import DataError


@dataclass(frozen=True, slots=True)
class PageEnd:
    """
    The last row of a page: when it was created (None is unknown) and its id.

    ``given`` is how many rows of this very time and id were given so far: an agent may write an id twice.
    """

    created: float | None
    id: str
    given: int = 1


def written_cursor(end: PageEnd, filters: Mapping[str, Any]) -> str:
    """
    Return the cursor of a page's end, for the list of these filters alone.

    >>> read_cursor(written_cursor(PageEnd(5.0, "a"), {"scope": "ops"}), {"scope": "ops"})
    PageEnd(created=5.0, id='a', given=1)
    """
    said = json.dumps([end.created, end.id, end.given, _digest(filters)], separators=(",", ":"))
    return base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")


def read_cursor(cursor: str, filters: Mapping[str, Any]) -> PageEnd:
    """
    Return the page's end that a cursor says.

    Raises:
        DataError: It is no cursor of ours, or of a list with other filters; reason ``bad_cursor``.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        created, row_id, given, digest = json.loads(base64.urlsafe_b64decode(padded))
        end = PageEnd(None if created is None else float(created), row_id, given)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise DataError("the cursor is none of ours", reason="bad_cursor") from error
    if not isinstance(row_id, str) or type(given) is not int or given < 1:
        raise DataError("the cursor is none of ours", reason="bad_cursor")
    if digest != _digest(filters):
        raise DataError("the cursor is of a list with other filters", reason="bad_cursor")
    return end


def _digest(filters: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(filters, sort_keys=True).encode()).hexdigest()[:8]
