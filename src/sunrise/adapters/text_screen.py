"""Looks through many texts at once for secrets and for orders to the model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from sunrise.adapters.payload_gate import suspects
from sunrise.adapters.secret_gate import redact_column
from sunrise.domain.payloads import screen
from sunrise.domain.secrets import redact

_FEW = 200
"""To make the gates takes as long as to look at so many texts one by one."""


class ColumnScreen:
    """Implements :class:`sunrise.ports.TextScreen`: one pass over all texts, then a look at the few."""

    def without_secrets(self, texts: Sequence[str]) -> tuple[Sequence[str], Collection[int]]:
        """Return the texts with every secret replaced, and the numbers of those that had one."""
        if len(texts) <= _FEW:
            redactions = [redact(text) for text in texts]
            held = {place for place, one in enumerate(redactions) if one.kinds}
            return [one.text for one in redactions], held
        column = redact_column(pa.array(texts, pa.large_string()))
        return (column.texts.to_pylist() if column.kinds else texts), column.kinds.keys()

    def orders(self, texts: Sequence[str], *, owners: Collection[int]) -> Mapping[int, Sequence[str]]:
        """Return why texts look like orders to the model, by number; ``owners`` are the owner's words."""
        few = len(texts) <= _FEW
        places = range(len(texts)) if few else suspects(pa.array(texts, pa.large_string()))
        found = {place: screen(texts[place], owner=place in owners) for place in places}
        return {place: reasons for place, reasons in found.items() if reasons}
