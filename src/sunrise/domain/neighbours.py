"""What was said just before and after in the same session: an answer seldom stands alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

from sunrise.domain.ranking import Memory

SESSION: Final = "session:"
"""How the source of a memory begins that was said in a conversation."""

_SHARE: Final = 0.4
"""So much of its best neighbour's relevance is added to a memory's own."""

_STEPS: Final = 5
"""So many of the memories that were found before it and after it are its neighbours, each a fifth less so."""

_APART_MS: Final = 3_600_000


def lifts(memories: Iterable[Memory], relevance: Mapping[str, float]) -> dict[str, float]:
    """
    Return what the neighbours of memories add to their relevance, by ref.

    Neighbours were found too, are of one session and of different moments within an hour. Memories that came
    in bulk, or of which nobody knows the session, have none.

    >>> said = [Memory(id=n, ref=n, text="", scope="", created_at_ms=at, source_ref="session:1")
    ...         for at, n in enumerate("abc")]
    >>> {ref: round(lift, 3) for ref, lift in lifts(said, {"a": 1.0, "b": 0.2, "c": 0.1}).items()}
    {'a': 0.08, 'b': 0.4, 'c': 0.32}
    """
    found: dict[str, float] = {}
    told = sorted(
        (one.source_ref, one.created_at_ms, one.ref)
        for one in memories
        if one.source_ref is not None and one.created_at_ms is not None and one.source_ref.startswith(SESSION)
    )
    for _, session in groupby(told, key=lambda one: one[0]):
        turns = [(created, ref) for _, created, ref in session]
        for at, (created, ref) in enumerate(turns):
            for steps, (later, other) in enumerate(turns[at + 1 : at + 1 + _STEPS]):
                if not 0 < later - created <= _APART_MS:
                    continue
                share = _SHARE * (1 - steps / _STEPS)
                for one, beside in ((ref, other), (other, ref)):
                    found[one] = max(found.get(one, 0.0), share * relevance[beside])
    return {ref: lift for ref, lift in found.items() if lift > 0.0}
