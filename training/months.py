"""Months of what an agent's memory captures, each by another author, with a label for every row."""

from __future__ import annotations

import json
import lzma
import random
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from sunrise.domain.admission.candidate import Candidate

FOLDER: Final = Path(__file__).parent / "months"

HELD_OUT: Final = ("rotterdam", "vienna")
"""The months that nothing is learned from."""

_KINDS: Final = {
    "operator": "message",
    "agent": "memory_capture",
    "tool": "tool",
    "web": "tool",
    "import": "note",
    "system": "event",
}


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A row as it stands in the spool, and what its author says it is: ``useful`` or a kind of junk."""

    at: str
    kind: str
    source_kind: str
    tool_name: str | None
    text: str
    label: str

    @property
    def is_useful(self) -> bool:
        """Whether the row is worth keeping."""
        return self.label == "useful"

    @property
    def ts_ms(self) -> int:
        """When the row was captured, in milliseconds since 1970."""
        return round(datetime.fromisoformat(self.at).timestamp() * 1000)

    def candidate(self, key: str) -> Candidate:
        """Return the row as admission looks at it, without its analysed text."""
        return Candidate(
            key=key,
            ts_ms=self.ts_ms,
            kind=self.kind,
            tool_name=self.tool_name,
            text=self.text,
            terms="",
            source_kind=self.source_kind,
        )

    def spooled(self, number: int) -> dict[str, object]:
        """Return the row as a line of the spool."""
        line: dict[str, object] = {
            "observationId": number,
            "ts": self.at,
            "kind": self.kind,
            "source_kind": self.source_kind,
            "agent_id": "main",
            "summary": self.text,
        }
        return line if self.tool_name is None else {**line, "tool_name": self.tool_name}


@dataclass(frozen=True, slots=True)
class Month:
    """Rows in the order in which they came, and the boot files of the agent."""

    name: str
    boot_texts: tuple[str, ...]
    rows: tuple[LabelledRow, ...]

    def noisy(self, share: float, seed: int = 0) -> Month:
        """Return the month with a wrong source on a share of its rows: all else stays as it is."""
        chance = random.Random(seed)  # noqa: S311 (no secret)
        rows = tuple(_elsewhere(row, chance) if chance.random() < share else row for row in self.rows)
        return replace(self, rows=rows)


def read_month(name: str) -> Month:
    """Return the month of a name."""
    with lzma.open(FOLDER / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        boot = json.loads(next(lines))["boot"]
        rows = tuple(LabelledRow(*json.loads(line)) for line in lines)
    return Month(name, tuple(boot), rows)


def month_names() -> tuple[str, ...]:
    """Return the names of all months."""
    return tuple(sorted(path.name.removesuffix(".jsonl.xz") for path in FOLDER.glob("*.jsonl.xz")))


def owners_said() -> tuple[list[Candidate], list[bool]]:
    """Return what owners of other agents said in several languages, and whether it is worth keeping."""
    lines = (FOLDER.parent / "owners.jsonl").read_text(encoding="utf-8").splitlines()
    said = [json.loads(line) for line in lines]
    rows = [
        Candidate(f"owner:{at}", 0, "message", None, one["text"], "", "operator")
        for at, one in enumerate(said)
    ]
    return rows, [one["keep"] for one in said]


def _elsewhere(row: LabelledRow, chance: random.Random) -> LabelledRow:
    source = chance.choice([one for one in _KINDS if one != row.source_kind])
    tool = chance.choice(("exec", "read", "web_fetch")) if source in ("tool", "web") else None
    return replace(row, source_kind=source, kind=_KINDS[source], tool_name=tool)
