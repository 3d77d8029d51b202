"""Kept statements by what marks them: order numbers, versions, identifiers, that few other rows hold."""

from __future__ import annotations

from collections.abc import Sequence

from sunrise.domain.admission.echoes import said
from sunrise.domain.admission.meaning import Seen

_MOST = 16
"""So many statements, the newest, are held for a mark: what more of them hold marks none."""


class MarkedStatements:
    """
    Finds kept statements that vectors may miss: said in another language, or within a long row.

    Lives as long as one run.
    """

    def __init__(self) -> None:
        self._holding: dict[str, list[Seen]] = {}

    def add(self, seen: Seen) -> None:
        """Note a statement of a row that is kept."""
        if seen.key is None:
            return
        for mark in filter(_is_rare, said(seen.row or seen.text).marks):
            held = self._holding.setdefault(mark, [])
            held.append(seen)
            del held[:-_MOST]

    def holding(self, marks: frozenset[str]) -> Sequence[Seen]:
        """
        Return the statements of rows that hold every one of these marks that is rare.

        >>> told = MarkedStatements()
        >>> told.add(Seen("order 10467 is late", "k1"))
        >>> [one.key for one in told.holding(frozenset({"10467", "tea"}))], told.holding(frozenset({"10468"}))
        (['k1'], ())
        """
        lists = [self._holding.get(mark, []) for mark in marks if _is_rare(mark)]
        if not lists:
            return ()
        shortest = min(lists, key=len)
        return tuple(one for one in shortest if all(one in others for others in lists))


def _is_rare(mark: str) -> bool:
    return len(mark) > 2 and (any(map(str.isdigit, mark)) or any(one in mark for one in "_./-"))
