"""What the service answers where it does not do what was asked: problem details with a stable reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sunrise.domain.importance import IMPORTANCE_VALUES
from sunrise.errors import BusyError, DataError, StoreError

PROBLEM_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The status that a reason is answered with, and what it says to a person."""

    status: int
    title: str


REASONS: Final[Mapping[str, Meaning]] = {
    "bad_request": Meaning(400, "the request is not valid HTTP, or its body is no JSON"),
    "bad_host": Meaning(400, "there is no Host header, or more than one"),
    "token_in_url": Meaning(400, "a token stands in the address: send it as `Authorization: Bearer`"),
    "json_too_deep": Meaning(400, "the JSON nests deeper than the service takes"),
    "token_missing": Meaning(401, "the service wants a token: `Authorization: Bearer`"),
    "token_unknown": Meaning(401, "the service does not know this token"),
    "host_not_allowed": Meaning(403, "the Host header names none of this service's hosts"),
    "origin_not_allowed": Meaning(403, "web pages of this origin may not ask"),
    "right_not_allowed": Meaning(403, "the token has no right to do this"),
    "scope_not_allowed": Meaning(403, "the token is bound to other scopes"),
    "trusted_more": Meaning(403, "the memory is trusted more than what the token may say: this takes owner"),
    "not_found": Meaning(404, "there is no such address or record"),
    "unknown_file": Meaning(404, "there is no such file in HOME/imports"),
    "method_not_allowed": Meaning(405, "the address does not take this method"),
    "body_timeout": Meaning(408, "the body did not come in time"),
    "busy": Meaning(409, "another import is at work"),
    "export_too_large": Meaning(413, "the export is too large for one answer: narrow it, or name a file"),
    "body_too_large": Meaning(413, "the body is larger than the service takes"),
    "content_type": Meaning(
        415, "the body must be application/json, or for an import a stream, not compressed"
    ),
    "not_valid": Meaning(422, "a field is missing, unknown or out of range"),
    "bad_text": Meaning(422, "a text holds what no store can take"),
    "bad_limit": Meaning(422, "the limit is out of range"),
    "bad_scope": Meaning(
        422, "the name of the scope is empty, holds control characters, or is refused by the policy"
    ),
    "bad_id": Meaning(422, "the id is none"),
    "bad_prefix": Meaning(422, "the beginning of the id is too short to name one memory"),
    "bad_replaces": Meaning(422, "what is replaced are no refs or ids of memories, or too many"),
    "bad_key": Meaning(422, "the idempotency key is empty or too long"),
    "bad_category": Meaning(422, "the category is no word such as preference, decision or fact"),
    "bad_importance": Meaning(422, f"importance is {IMPORTANCE_VALUES}"),
    "bad_session": Meaning(422, "the name of a session or a turn is empty, too long, or not printed"),
    "bad_expiry": Meaning(422, "the memory would end at a time that no calendar has"),
    "bad_ref": Meaning(422, "the ref is no mem:ID, no obs:NUMBER, and no id of a memory"),
    "bad_filter": Meaning(422, "there is no such label, tier or state"),
    "bad_cursor": Meaning(422, "the cursor is of another list, or none"),
    "bad_timeline": Meaning(422, "name either a ref or a moment, and bounds within range"),
    "bad_batch": Meaning(422, "the size of the batch is out of range"),
    "bad_source": Meaning(422, "name either lines or a file"),
    "bad_file": Meaning(422, "the file is no plain file of HOME/imports or HOME/exports that can be used"),
    "bad_target": Meaning(422, "name either an id or a query"),
    "bad_reason": Meaning(422, "the reason is empty or too long"),
    "rate_limited": Meaning(429, "too many requests of one client"),
    "failed": Meaning(500, "the service failed; its log says where, under this request id"),
    "overloaded": Meaning(503, "every worker is busy, and enough calls wait"),
    "store_failed": Meaning(503, "a store could not be read or written; a retry may help"),
    "no_memories_table": Meaning(503, "the agent has not made its table of memories yet"),
    "no_flows": Meaning(503, "this installation carries no flows: it cannot erase"),
    "request_timeout": Meaning(504, "the answer took longer than the service allows"),
}
"""Every reason with its status, by status."""


class RefusalError(Exception):
    """A request is not done; ``reason`` is one of :data:`REASONS`."""

    def __init__(
        self,
        reason: str,
        detail: str = "",
        *,
        retry_after_s: float = 0.0,
        faults: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(detail or REASONS[reason].title)
        self.reason = reason
        self.detail = detail
        self.retry_after_s = retry_after_s
        self.faults = faults

    @property
    def status(self) -> int:
        """The HTTP status."""
        return REASONS[self.reason].status

    def headers(self) -> dict[str, str]:
        """Return the headers that belong to the answer."""
        found = {"Content-Type": PROBLEM_TYPE, "Cache-Control": "no-store"}
        if self.status == 401:
            found["WWW-Authenticate"] = 'Bearer realm="sunrise"'
        if self.retry_after_s:
            found["Retry-After"] = str(max(1, round(self.retry_after_s)))
        return found

    def to_dict(self, request_id: str) -> dict[str, Any]:
        """Return the problem as RFC 9457 has it; nothing of what was sent stands in it."""
        meaning = REASONS[self.reason]
        problem: dict[str, Any] = {
            "type": "about:blank",
            "title": meaning.title,
            "status": meaning.status,
            "reason": self.reason,
            "requestId": request_id,
        }
        if self.detail:
            problem["detail"] = self.detail
        if self.faults:
            problem["faults"] = [dict(one) for one in self.faults]
        return problem

    def body(self, request_id: str) -> bytes:
        """Return the problem as JSON."""
        return json.dumps(self.to_dict(request_id)).encode()


def fault_of(field: str, error: Mapping[str, Any]) -> dict[str, str]:
    """
    Return what is wrong with a field, and what it takes, where saying so repeats nothing that was sent.

    >>> fault_of("limit", {"type": "less_than_equal", "msg": "Input should be less than or equal to 100"})
    {'field': 'limit', 'code': 'less_than_equal', 'expected': 'Input should be less than or equal to 100'}
    >>> fault_of("lines", {"type": "value_error", "msg": "my secret"})
    {'field': 'lines', 'code': 'value_error'}
    """
    code = str(error["type"])
    fault = {"field": field, "code": code}
    return fault | {"expected": str(error["msg"])} if code in _TELLING else fault


_TELLING: Final = frozenset(
    {
        "literal_error", "greater_than", "greater_than_equal", "less_than", "less_than_equal",
        "string_too_long", "string_too_short", "too_long", "too_short",
        "string_type", "int_type", "float_type", "bool_type", "list_type", "dict_type",
        "missing", "extra_forbidden",
    }
)  # fmt: skip
"""The kinds of errors whose message has the bounds or the values that a field takes, and nothing else."""


def as_refusal(error: RefusalError | DataError | StoreError) -> RefusalError:
    """
    Return how a request is refused for what went wrong; what an error says may hold anything, and stays here.

    >>> as_refusal(StoreError("the disk is full")).reason
    'store_failed'
    """
    if isinstance(error, RefusalError):
        return error
    if isinstance(error, DataError):
        return RefusalError(error.reason if error.reason in REASONS else "not_valid")
    if isinstance(error, BusyError):
        return RefusalError("busy", retry_after_s=10.0)
    return RefusalError("store_failed", retry_after_s=5.0)
