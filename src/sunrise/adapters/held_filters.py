"""
SQL filters read by rows in memory: the part of SQL that this project writes.

A filter is one text for the table and for what is held of it. Asked of the table, it costs a look at every
fragment, which after some hundred commits takes a tenth of a second. What this reader does not understand is
asked of the table as before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask = npt.NDArray[np.bool_]
Condition = Callable[[pa.RecordBatch], Any]
"""Says for each row of a batch whether it passes the filter: true, false, or null where SQL says null."""

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign><>|!=|<=|>=|[=<>(),]))"
)
_COMPARED: Final[dict[str, Callable[..., Any]]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_UNKNOWN: Final = pa.scalar(None, pa.bool_())
_WORDS: Final = frozenset({"AND", "OR", "NOT", "IN", "IS", "NULL", "TRUE", "FALSE"})


_KNOWN: Final = 64
"""So many filters are kept as they were read."""


class UnreadableFilterError(Exception):
    """The filter says something that only the table understands."""


@lru_cache(_KNOWN)
def conditions(where: str) -> tuple[tuple[str, Condition], ...]:
    """
    Return the conditions that must all hold, each with its text.

    >>> [text for text, _ in conditions("a = 'x' AND (b IS NULL OR b <> 'y')")]
    ["a = 'x'", "(b IS NULL OR b <> 'y')"]

    Raises:
        UnreadableFilterError: It says something that only the table understands.
    """
    return _Reader(where).conjuncts()


def mask(condition: Condition, rows: pa.RecordBatch) -> Mask:
    """
    Return which rows a condition lets through.

    Raises:
        UnreadableFilterError: A column is not there, or of another type than what it is compared with.
    """
    try:
        found = condition(rows)
    except (KeyError, pa.ArrowException) as error:
        raise UnreadableFilterError(str(error)) from error
    if isinstance(found, pa.BooleanScalar):
        return np.full(len(rows), found.as_py() is True)
    passed: Mask = pc.fill_null(found, fill_value=False).to_numpy(zero_copy_only=False)
    return passed


class _Reader:
    """Reads one filter by recursive descent."""

    def __init__(self, where: str) -> None:
        self._where, self._at = where, 0
        self._tokens = _tokens(where)

    def conjuncts(self) -> tuple[tuple[str, Condition], ...]:
        found = list[tuple[str, Condition]]()
        while True:
            begin = self._at
            condition = self._negated()
            found.append((self._text_since(begin), condition))
            if not self._took("AND"):
                break
        if self._kind() == "OR":
            # The whole is one condition.
            self._at = 0
            condition = self._any_of()
            found = [(self._text_since(0), condition)]
        if self._at < len(self._tokens):
            raise UnreadableFilterError(self._where)
        return tuple(found)

    def _any_of(self) -> Condition:
        parts = [self._all_of()]
        while self._took("OR"):
            parts.append(self._all_of())
        return _folded(pc.or_kleene, parts)

    def _all_of(self) -> Condition:
        parts = [self._negated()]
        while self._took("AND"):
            parts.append(self._negated())
        return _folded(pc.and_kleene, parts)

    def _negated(self) -> Condition:
        if self._took("NOT"):
            inner = self._negated()
            return lambda rows: pc.invert(inner(rows))
        return self._primary()

    def _primary(self) -> Condition:
        if self._took("("):
            inner = self._any_of()
            self._need(")")
            return inner
        for word in ("TRUE", "FALSE"):
            if self._took(word):
                always = pa.scalar(word == "TRUE")
                return lambda _rows: always
        return self._about(self._name())

    def _about(self, column: str) -> Condition:
        if self._took("IS"):
            wants_null = not self._took("NOT")
            self._need("NULL")
            look = pc.is_null if wants_null else pc.is_valid
            return lambda rows: look(rows.column(column))
        is_negated = self._took("NOT")
        if self._took("IN"):
            return _one_of(column, self._list(), is_negated=is_negated)
        sign = self._next()
        if is_negated or sign not in _COMPARED:
            raise UnreadableFilterError(self._where)
        return _compared(column, _COMPARED[sign], self._value())

    def _list(self) -> list[Any]:
        self._need("(")
        values = [self._value()]
        while self._took(","):
            values.append(self._value())
        self._need(")")
        return values

    def _value(self) -> Any:
        token = self._next()
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        try:
            return float(token) if re.search(r"[.eE]", token) else int(token)
        except ValueError as error:
            raise UnreadableFilterError(self._where) from error

    def _name(self) -> str:
        token = self._next()
        if not token.isidentifier() or token.upper() in _WORDS:
            raise UnreadableFilterError(self._where)
        return token

    def _took(self, wanted: str) -> bool:
        if self._kind() != wanted:
            return False
        self._at += 1
        return True

    def _need(self, wanted: str) -> None:
        if not self._took(wanted):
            raise UnreadableFilterError(self._where)

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise UnreadableFilterError(self._where)
        self._at += 1
        return self._tokens[self._at - 1][0]

    def _kind(self) -> str:
        return self._tokens[self._at][0].upper() if self._at < len(self._tokens) else ""

    def _text_since(self, begin: int) -> str:
        return self._where[self._tokens[begin][1] : self._tokens[self._at - 1][2]]


def _tokens(where: str) -> list[tuple[str, int, int]]:
    found, at = list[tuple[str, int, int]](), 0
    text = where.rstrip()
    while at < len(text):
        one = _TOKEN.match(text, at)
        if one is None or one.lastgroup is None:
            raise UnreadableFilterError(where)
        found.append((one[one.lastgroup], one.start(one.lastgroup), one.end()))
        at = one.end()
    return found


def _folded(join: Callable[..., Any], parts: Sequence[Condition]) -> Condition:
    if len(parts) == 1:
        return parts[0]
    return lambda rows: reduce(join, (part(rows) for part in parts))


def _one_of(column: str, values: list[Any], *, is_negated: bool) -> Condition:
    def is_let_through(rows: pa.RecordBatch) -> Any:
        asked = rows.column(column)
        found = pc.is_in(asked, value_set=pa.array(values, asked.type))
        return pc.if_else(pc.is_valid(asked), pc.invert(found) if is_negated else found, _UNKNOWN)

    return is_let_through


def _compared(column: str, compare: Callable[..., Any], value: Any) -> Condition:
    def is_let_through(rows: pa.RecordBatch) -> Any:
        asked = rows.column(column)
        is_text = pa.types.is_string(asked.type) or pa.types.is_large_string(asked.type)
        if is_text != isinstance(value, str):
            raise UnreadableFilterError(column)
        if pa.types.is_floating(asked.type) and pc.any(pc.is_nan(asked)).as_py():
            # The table puts what is no number above all numbers.
            raise UnreadableFilterError(column)
        return compare(asked, pa.scalar(value, asked.type if is_text else None))

    return is_let_through
