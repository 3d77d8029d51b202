"""The row filters that readers of the memories table push down, as SQL text with every value quoted."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sunrise.errors import DataError

DEFAULT_SCOPE: Final = "global"
"""Where a memory without a scope belongs."""


def sql_text(value: str) -> str:
    """
    Return a SQL string literal: single quotes around, those inside doubled, nothing else has a meaning.

    >>> sql_text("O'Brien")
    "'O''Brien'"

    Raises:
        DataError: The text holds half a surrogate pair, which no store can take; reason ``bad_text``.
    """
    if not value.isprintable() and any("\ud800" <= char <= "\udfff" for char in value):
        raise DataError("a value holds half a surrogate pair", reason="bad_text")
    return "'" + value.replace("'", "''") + "'"


def visible(
    *,
    scope: str,
    columns: Collection[str],
    include_archived: bool = False,
    include_untrusted: bool = True,
) -> str | None:
    """
    Return the filter of what a reader in a scope may see, or None when nothing needs hiding.

    A memory without a scope is in the default one. Quarantined memories are never seen, archived ones only
    when asked for. A column that the table does not have yet counts as empty in every row.

    >>> visible(scope="agent:1", columns=["id", "scope"])
    "scope = 'agent:1'"
    >>> visible(scope="global", columns=["id", "state"])
    "(state IS NULL OR state <> 'archived')"
    >>> visible(scope="agent:1", columns=["id"])
    'false'
    """
    return both(
        _in_scope(scope, known="scope" in columns),
        shown(columns, include_archived=include_archived, include_untrusted=include_untrusted),
    )


def shown(
    columns: Collection[str], *, include_archived: bool = False, include_untrusted: bool = True
) -> str | None:
    """
    Return the filter of what a reader may see in the scopes that are theirs, or None where all of it is.

    >>> shown(["trust_tier"], include_untrusted=False)
    "(trust_tier IS NULL OR trust_tier NOT IN ('quarantined', 'untrusted'))"
    """
    clauses = []
    if "state" in columns and not include_archived:
        clauses.append("(state IS NULL OR state <> 'archived')")
    if "trust_tier" in columns:
        hidden = "<> 'quarantined'" if include_untrusted else "NOT IN ('quarantined', 'untrusted')"
        clauses.append(f"(trust_tier IS NULL OR trust_tier {hidden})")
    return both(*clauses)


def check_scope(scope: str | None) -> None:
    """
    Check that a scope is a name that a store can take.

    Raises:
        DataError: It holds control characters, reason ``bad_scope``, or half a surrogate pair, ``bad_text``.
    """
    if any(one < " " or "\x7f" <= one <= "\x9f" for one in scope or ""):
        raise DataError("the name of a scope holds no control characters", reason="bad_scope")
    sql_text(scope or "")


def in_scope(scope: str, *, columns: Collection[str]) -> str | None:
    """
    Return the filter of all that is in a scope, hidden or not; None where all of the table is.

    >>> in_scope("agent:1", columns=["scope"]), in_scope("global", columns=[])
    ("scope = 'agent:1'", None)
    """
    return _in_scope(scope, known="scope" in columns)


def of_model(model_id: str) -> str:
    """
    Return the filter of rows whose vector a model made.

    >>> of_model("use/1")
    "embedding_model = 'use/1'"
    """
    return f"embedding_model = {sql_text(model_id)}"


def both(*clauses: str | None) -> str | None:
    """
    Return one filter that holds when all do; None lets everything through.

    >>> both("a = 1", None, "b = 2")
    'a = 1 AND b = 2'
    >>> both(None) is None
    True
    """
    return " AND ".join(clause for clause in clauses if clause) or None


def _in_scope(scope: str, *, known: bool) -> str | None:
    if scope == DEFAULT_SCOPE:
        # One version of the plugin writes an empty text where it means no scope.
        return f"(scope IS NULL OR scope IN ({sql_text(DEFAULT_SCOPE)}, ''))" if known else None
    return f"scope = {sql_text(scope)}" if known else "false"
