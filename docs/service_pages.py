"""Reference pages of the service: its addresses, its problems, and the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs.markdown import page, table
from sunrise.serve.http_app import openapi_document
from sunrise.serve.problems import REASONS
from sunrise.serve.tokens import Right

_INTRODUCTION = (
    "What `sunrise serve` answers. [The whole of it](openapi.json) as an OpenAPI document. Bodies are JSON; a"
    " problem is `application/problem+json` (RFC 9457) with a `reason` from the table below and the id of the"
    " request, which stands in the log too."
)
_TOKENS = (
    "A request carries its token as `Authorization: Bearer`. That of `HOME/serve.token` may do everything;"
    " those of `HOME/serve.tokens.toml` have rights and scopes. Where there is no token none is wanted, and"
    " the service listens on this machine only."
)
_RIGHTS: Mapping[Right, str] = {
    Right.READ: "recall, and whatever shows memories",
    Right.WRITE: "events, and whatever changes memories",
    Right.ADMIN: "receipts of runs, counters, imports, revivals, files of exports, secrets, quarantine",
}
_MCP = (
    "`/mcp` speaks MCP over streamable HTTP, without sessions; `sunrise mcp` speaks it on standard input and"
    " output. The tools are `memory_recall(query, limit, scope)`, `memory_store(text, category, importance,"
    " scope, replaces, idempotency_key)`, `memory_forget(id, query, scope)`,"
    " `memory_erase(id, query, scope)`, `memory_list(limit, cursor, scope,"
    " category)`, `memory_stats(scope)`, `memory_get(ref, scope)`,"
    " `memory_export(format, scope, category, file)` and"
    " `memory_import(lines, file, dedupe, scope, dry_run)`; each answers with one block of JSON, that of"
    " `/v1/recall`, `/v1/store` and so on; an export stands in it under `lines`. A receipt of a run is the"
    " resource `sunrise://receipts/{run_id}`."
)


def openapi_page() -> str:
    """Return the OpenAPI document as it is checked in."""
    return json.dumps(openapi_document(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def service_page() -> str:
    """Return the page of the service."""
    reasons = [(f"`{name}`", str(meaning.status), meaning.title) for name, meaning in REASONS.items()]
    rights = [(f"`{right}`", meaning) for right, meaning in _RIGHTS.items()]
    return page(
        "Service",
        _INTRODUCTION,
        "## Addresses",
        table(("method", "address", "what it does"), list(_addresses())),
        "## MCP",
        _MCP,
        "## Tokens",
        _TOKENS,
        table(("right", "needed for"), rights),
        "## Reasons",
        table(("reason", "status", "meaning"), reasons),
    )


def _addresses() -> Iterator[tuple[str, str, str]]:
    paths: dict[str, dict[str, Any]] = openapi_document()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield method.upper(), f"`{path}`", operation["description"]
