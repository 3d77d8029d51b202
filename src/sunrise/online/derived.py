"""What was made of memories, as far as its provenance says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sunrise.domain.records import memory_ref
from sunrise.ports import TombstoneLedger

_MOST: Final = 200


def records_made_of(
    memory_ids: Sequence[str], *, ledger: TombstoneLedger
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Return the records that were made of memories, and of what was made of them; and their memories' ids.

    Raises:
        StoreError: The ledger cannot be read.
    """
    asked = [*map(memory_ref, memory_ids)]
    for name in memory_ids:
        asked += ledger.linked_observations(name)
    told, made, known = dict[str, None](), dict[str, None](), {*memory_ids}
    while asked and len(told) < _MOST:
        found = ledger.made_of(asked)
        asked = []
        for ref, memory_id in found:
            names = [ref] if memory_id is None or memory_id in known else [ref, memory_ref(memory_id)]
            asked += [name for name in names if name not in told]
            told |= dict.fromkeys(names)
            if memory_id is not None and memory_id not in known:
                made[memory_id] = None
    return tuple(told), tuple(made)
