"""A receipt of auto-recall as plain values and back: what explains a turn later must not be bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar

from sunrise.domain.auto_recall import ReceiptPolicy
from sunrise.domain.auto_recall_receipt import (
    AUTO_RECALL_SCHEMA,
    AutoRecallReceipt,
    BudgetNote,
    Fate,
    Outcome,
    ScopeNote,
    WorkingSetNote,
)
from sunrise.domain.recall import Verbosity
from sunrise.domain.tier_selection import QuotaSummary, SelectionMode
from sunrise.errors import DataError


def to_record(receipt: AutoRecallReceipt) -> dict[str, Any]:
    """Return all of a receipt as dicts, lists, strings and numbers, ready for any JSON writer."""
    return {"schema": AUTO_RECALL_SCHEMA, **_plain(receipt)}


def from_record(record: Mapping[str, Any]) -> AutoRecallReceipt:
    """
    Read what :func:`to_record` gave; keys of later versions are passed over.

    Raises:
        DataError: It is of another form; reason ``auto_recall_damaged``.
    """
    try:
        if record["schema"] != AUTO_RECALL_SCHEMA:
            msg = f"a receipt of {record['schema']!r} is not one of auto-recall"
            raise DataError(msg, reason="auto_recall_damaged")
        return _built(AutoRecallReceipt, record, _RECEIPT)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError("a receipt of auto-recall cannot be read", reason="auto_recall_damaged") from error


_Note = TypeVar(
    "_Note", AutoRecallReceipt, BudgetNote, Outcome, QuotaSummary, ReceiptPolicy, ScopeNote, WorkingSetNote
)
_Readers = Mapping[str, Callable[[Any], Any]]


def _built(kind: type[_Note], said: Mapping[str, Any], readers: _Readers) -> _Note:
    names = {one.name for one in fields(kind)}
    return kind(**{name: readers.get(name, _same)(value) for name, value in said.items() if name in names})


def _same(value: Any) -> Any:
    return value


def _note(kind: type[_Note], **readers: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda said: None if said is None else _built(kind, said, readers)


_outcome = _note(Outcome, fate=Fate)

_RECEIPT: Final[_Readers] = {
    "scope": _note(ScopeNote, fallbacks=tuple),
    "selection_mode": SelectionMode,
    "quota": _note(QuotaSummary),
    "outcomes": lambda said: tuple(map(_outcome, said)),
    "fts_top": tuple,
    "vec_top": tuple,
    "fused_top": tuple,
    "working_set": _note(WorkingSetNote),
    "budget": _note(BudgetNote, dropped=tuple),
    "warnings": tuple,
    "receipts": _note(ReceiptPolicy, verbosity=Verbosity),
}


_AS_IT_IS: Final = frozenset({str, int, float, bool, type(None)})
_OF_AN_OUTCOME: Final = tuple(one.name for one in fields(Outcome))


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is Outcome:
        # A receipt has a hundred of them, and all that they hold is plain.
        return {name: getattr(value, name) for name in _OF_AN_OUTCOME} | {"fate": str(value.fate)}
    if names := getattr(kind, "__dataclass_fields__", None):
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, str) else value
