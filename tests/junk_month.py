"""A month of an agent's memory as an audit of a public store found it: 97.8 % junk, labelled by its maker."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.junk_month_texts import BOOT_FILES, JUNK, RECALLED
from tests.junk_month_useful import USEFUL

START_MS = 1_772_323_200_000
DAY_MS = 86_400_000

SHARES = {
    "boot_file": 0.527,
    "system_dump": 0.082,
    "profile": 0.052,
    "heartbeat": 0.06,
    "cron": 0.05,
    "transient": 0.085,
    "acknowledgement": 0.03,
    "metadata": 0.032,
    "loop": 0.082,
}
"""How the junk is made up: the first three as audited, what the audit counts as the rest by estimate."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A capture record and what its maker knows of it; ``category`` is ``useful`` or one of the shares."""

    record: dict[str, Any]
    category: str
    template: int

    @property
    def useful(self) -> bool:
        return self.category == "useful"


@dataclass(frozen=True, slots=True)
class Month:
    rows: tuple[Labelled, ...]
    boot_texts: tuple[str, ...]
    recalled: tuple[str, ...]
    """The texts that the agent was shown again and again, and that it took for news."""


def junk_month(seed: int, *, rows: int = 10_000, half: int | None = None, label_noise: float = 0.0) -> Month:
    """
    Return a month; ``half`` 0 or 1 takes every other junk template only.

    With the probability ``label_noise`` a row's kind, source and tool are those of another row. The owner's
    rows keep theirs, and no other gets them: who wrote a line is bound where it was written, not a label.
    """
    rng = Random(seed)
    made = _useful(rng) + _junk(rng, round(rows * 0.978), half)
    rng.shuffle(made)
    # What the owner tells of himself he tells on the first day, before anything is made of it.
    made.sort(key=lambda row: not (row.useful and row.template < 10))
    labels = [{name: row.record.get(name) for name in _METADATA} for row in made if not _is_owners(row)]
    placed = []
    for index, row in enumerate(made):
        record = dict(row.record)
        if rng.random() < label_noise and not _is_owners(row):
            record.update(rng.choice(labels))
        record["ts"] = START_MS + index * 31 * DAY_MS // len(made)
        record["session_key"] = f"agent:main:{index // 40}"
        record["agent_id"] = "main"
        placed.append(Labelled(record, row.category, row.template))
    return Month(tuple(placed), tuple(BOOT_FILES.values()), RECALLED)


_METADATA = ("kind", "source_kind", "tool_name")
_CHOICE = re.compile(r"\{([^{}]*\|[^{}]*)\}")
_NUMBER = re.compile(r"\{n\}")

# An extractor's own words around a fact.
_BEFORE = (
    "", "", "", "", "", "Note: ", "Important: ", "Remember that ", "Fact: ", "Key point: ", "- ", "记住：",
    "It was noted that ", "According to the context, ", "The conversation indicates that ", "Memory: ",
)  # fmt: skip
_AFTER = (
    "",
    "",
    "",
    "",
    "",
    "",
    " (important)",
    " Keep in mind.",
    " [session context]",
    " 重要。",
    " as stated",
)
_SYNONYMS = (
    ("should", "is supposed to"), ("must", "has to"), ("before", "prior to"), ("always", "at all times"),
    ("uses", "makes use of"), ("user", "human"), ("assistant", "AI"), ("important", "significant"),
    ("without", "with no"), ("short", "concise"),
)  # fmt: skip
_LOOSE = frozenset({"boot_file", "system_dump", "profile", "transient"})


def _is_owners(row: Labelled) -> bool:
    return bool(row.record["source_kind"] == "operator")


def _useful(rng: Random) -> list[Labelled]:
    made = []
    for index, (source, kind, tool, template, copies) in enumerate(USEFUL):
        numbers = rng.sample(range(11, 98), copies)
        for number in numbers:
            text = _NUMBER.sub(str(number), template)
            made.append(Labelled(_record(source, kind, tool, text), "useful", index))
    return made


def _junk(rng: Random, count: int, half: int | None) -> list[Labelled]:
    made: list[Labelled] = []
    for category, share in SHARES.items():
        templates = [
            (index, *entry) for index, entry in enumerate(JUNK[category]) if half is None or index % 2 == half
        ]
        for _ in range(round(count * share)):
            index, source, kind, tool, template = rng.choice(templates)
            text = _restated(rng, template, loose=category in _LOOSE)
            made.append(Labelled(_record(source, kind, tool, text), category, index))
    return made


def _record(source: str, kind: str, tool: str | None, text: str) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": kind, "summary": text, "source_kind": source}
    return {**record, "tool_name": tool} if tool else record


def _restated(rng: Random, template: str, *, loose: bool) -> str:
    """Return one of the many wordings of a template; a loose one is reworded beyond its own choices."""
    text = _NUMBER.sub(lambda _: str(rng.randint(2, 99)), template)
    while _CHOICE.search(text):
        text = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), text)
    if not loose:
        return text
    for word, other in _SYNONYMS:
        if rng.random() < 0.3:
            text = re.sub(rf"\b{word}\b", other, text)
    clauses = text.split("; ")
    if len(clauses) > 1 and rng.random() < 0.4:
        rng.shuffle(clauses)
        text = "; ".join(clauses)
    if rng.random() < 0.06 and len(text.split()) > 8:
        text = " ".join(text.split()[: -rng.randint(1, 3)]) + "..."
    return rng.choice(_BEFORE) + text + rng.choice(_AFTER)
