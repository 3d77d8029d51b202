"""Which memories an operator asks for, as a value and as the SQL filter that the table is asked with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Final

from sunrise.domain.filters import DEFAULT_SCOPE, both, check_scope, sql_text
from sunrise.domain.importance import ImportanceLabel
from sunrise.domain.records import RecordState
from sunrise.domain.trust import QUARANTINED, TRUSTED, UNKNOWN_NAME, UNTRUSTED
from sunrise.errors import DataError

END_OF_TIME: Final = float(2**53)
"""In milliseconds: a double holds no later moment exactly. Whatever says it is later has no known age."""

_TIERS = (TRUSTED, UNTRUSTED, QUARANTINED)
_KNOWN_AGE = f"createdAt >= 0.0 AND createdAt < {END_OF_TIME!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """
    What memories must be to be meant; a field of None asks for nothing.

    ``label`` and ``trust`` may be ``unknown``. A memory without a scope is in the default one, one without a
    state is active. Times are epoch milliseconds; a memory of unknown age is in no stretch of time.

    Raises:
        DataError: There is no such label, tier or state; reason ``bad_filter``. The scope is no name; reason
            ``bad_scope``.
    """

    scope: str | None = None
    category: str | None = None
    label: str | None = None
    trust: str | None = None
    state: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None

    def __post_init__(self) -> None:
        check_scope(self.scope)
        _check("label", self.label, tuple(map(str, ImportanceLabel)))
        _check("trust", self.trust, (*_TIERS, UNKNOWN_NAME))
        _check("state", self.state, tuple(map(str, RecordState)))

    def to_dict(self) -> dict[str, Any]:
        """
        Return what is asked for, by name.

        >>> MemoryFilter(scope="ops").to_dict()
        {'scope': 'ops'}
        """
        return {name: value for name, value in asdict(self).items() if value is not None}

    def where(self, columns: Collection[str]) -> str | None:
        """
        Return the filter for a table with these columns, or None when everything is meant.

        A column that the table does not have yet counts as empty in every row.

        >>> MemoryFilter(scope="ops", trust="unknown").where(["scope"])
        "scope = 'ops'"
        >>> MemoryFilter(category="fact").where(["id"])
        'false'
        """
        trust = None if self.trust is None else _of_tier(self.trust, known="trust_tier" in columns)
        times = (self.since_ms, self.until_ms)
        return both(
            _is(self.scope, "scope", columns, empty=DEFAULT_SCOPE),
            _is(self.category, "category", columns),
            _is(self.label, "importance_label", columns, empty=UNKNOWN_NAME),
            trust,
            _is(self.state, "state", columns, empty=RecordState.ACTIVE),
            None if times == (None, None) else _in_time(*times, known="createdAt" in columns),
        )


def in_any_of(scopes: Collection[str] | None, columns: Collection[str]) -> str | None:
    """
    Return the filter of memories in one of these scopes, or None when everything is meant.

    >>> in_any_of(("ops", "dev"), ["id", "scope"])
    "(scope = 'ops' OR scope = 'dev')"
    >>> in_any_of((), ["id"]), in_any_of(("global",), ["id"]), in_any_of(None, ["id"])
    ('false', None, None)
    """
    if scopes is None:
        return None
    wanted = [_is(scope, "scope", columns, empty=DEFAULT_SCOPE) for scope in scopes]
    if None in wanted:
        return None
    clauses = [one for one in wanted if one is not None]
    return f"({' OR '.join(clauses)})" if clauses else "false"


def begins_with(column: str, beginning: str) -> str:
    """
    Return the filter of rows whose text begins so: a range, which an index of the column answers.

    >>> begins_with("id", "3f0c")
    "id >= '3f0c' AND id < '3f0d'"
    """
    from_here = f"{column} >= {sql_text(beginning)}"
    after = _text_after(beginning)
    return from_here if after is None else f"{from_here} AND {column} < {sql_text(after)}"


def of_unknown_age() -> str:
    """Return the filter of rows that say no moment of any calendar."""
    return f"(createdAt IS NULL OR NOT ({_KNOWN_AGE}))"


def created_between(first: float, last: float) -> str:
    """
    Return the filter of rows that were created in a stretch of time, both ends included.

    >>> created_between(5.0, 7.0)
    'createdAt >= 5.0 AND createdAt <= 7.0'
    """
    return f"createdAt >= {first!r} AND createdAt <= {last!r}"


def _check(name: str, value: str | None, known: Collection[str]) -> None:
    if value is not None and value not in known:
        msg = f"no such {name}: {value!r}; there are {', '.join(known)}"
        raise DataError(msg, reason="bad_filter")


def _is(wanted: str | None, column: str, columns: Collection[str], *, empty: str | None = None) -> str | None:
    """Return the filter of rows with a value, where ``empty`` is what a row without one counts as."""
    if wanted is None:
        return None
    if column not in columns:
        return None if wanted == empty else "false"
    if wanted == empty:
        return f"({column} IS NULL OR {column} IN ({sql_text(wanted)}, ''))"
    return f"{column} = {sql_text(wanted)}"


def _of_tier(tier: str, *, known: bool) -> str | None:
    if tier != UNKNOWN_NAME:
        return f"trust_tier = {sql_text(tier)}" if known else "false"
    tiers = ", ".join(map(sql_text, _TIERS))
    return f"(trust_tier IS NULL OR trust_tier NOT IN ({tiers}))" if known else None


def _in_time(since_ms: int | None, until_ms: int | None, *, known: bool) -> str:
    if not known:
        return "false"
    first = max(0.0, float(since_ms or 0))
    last = END_OF_TIME if until_ms is None else float(until_ms)
    return f"createdAt >= {first!r} AND createdAt < {min(last, END_OF_TIME)!r}"


def _text_after(beginning: str) -> str | None:
    """Return the first text after all that begin so, by code points; None where there is none."""
    for end in range(len(beginning), 0, -1):
        code = ord(beginning[end - 1])
        if code < 0x10FFFF:
            # Half a surrogate pair stands in no store.
            following = 0xE000 if code == 0xD7FF else code + 1
            return beginning[: end - 1] + chr(following)
    return None
