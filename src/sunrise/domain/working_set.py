"""
The working set of a scope: what an agent must have before it every turn, and the memory that says each thing.

It is pinned before all else and kept under an id of its own, ``working_set:<scope>``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Self

from sunrise.domain.fence import FencedItem, line_of
from sunrise.domain.trust import UNKNOWN_NAME
from sunrise.domain.working_set_sections import Section
from sunrise.errors import DataError

ID_PREFIX: Final = "working_set:"
WORKING_SET_SCHEMA: Final = "sunrise.working_set.v1"
PROMPT: Final = "prompt"
"""The ref of a goal that was asked for and that no memory holds."""


def working_set_id(scope: str) -> str:
    """
    Return the id under which the working set of a scope is kept.

    >>> working_set_id("global")
    'working_set:global'
    """
    return f"{ID_PREFIX}{scope}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingItem:
    """
    One thing to keep in mind, and the memory that says it.

    ``date`` is the time of the memory as people are shown it. What is asked has none, so that its line stays.
    """

    section: Section
    ref: str
    text: str
    created_ms: int | None = None
    date: str = ""
    importance: str = ""
    trust: str = ""

    @property
    def fenced(self) -> FencedItem:
        """The item as a pinned line."""
        return FencedItem(
            ref=self.ref,
            kind=self.section,
            importance=self.importance,
            trust=self.trust or UNKNOWN_NAME,
            date=self.date,
            text=self.text,
            pinned=True,
        )


@dataclass(frozen=True, slots=True)
class Stale:
    """A memory that belonged in a section once, and the code of why it does not any more."""

    ref: str
    section: Section
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSet:
    """
    The working set of one scope.

    ``items`` stand in the order of sections, in each the oldest first: a new one comes behind those that were
    there. ``left_out`` counts the others by reason. ``asked_now`` says that the goal is the prompt's own.
    """

    scope: str
    items: tuple[WorkingItem, ...] = ()
    stale: tuple[Stale, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    asked_now: bool = False

    @property
    def id(self) -> str:
        """The id under which it is kept."""
        return working_set_id(self.scope)

    @property
    def digest(self) -> str:
        """A hash of what it says: where it is the same as last time, nothing needs to be written."""
        said = [(item.section, item.ref, item.text) for item in self.items]
        return sha256(json.dumps([self.scope, said], ensure_ascii=True).encode()).hexdigest()

    @property
    def sections(self) -> dict[str, int]:
        """How many items each section has; for receipts."""
        counts = Counter(item.section for item in self.items)
        return {str(section): counts[section] for section in Section if counts[section]}

    @property
    def refs(self) -> tuple[str, ...]:
        """The memories that it was made of, each once."""
        return tuple(dict.fromkeys(item.ref for item in self.items if item.ref != PROMPT))

    @property
    def chars(self) -> int:
        """How long its lines are as they are rendered."""
        return sum(len(line_of(item.fenced)) + 1 for item in self.items)

    def of(self, section: Section) -> tuple[WorkingItem, ...]:
        """Return the items of one section."""
        return tuple(item for item in self.items if item.section is section)

    def fenced(self) -> tuple[FencedItem, ...]:
        """
        Return the lines to pin, in the order that changes least from turn to turn: the goal is the last.

        A goal that is the prompt of this very turn is left out: the agent has it already.
        """
        goals = [one for one in self.of(Section.GOAL) if not (self.asked_now and one.ref == PROMPT)]
        lasting = [item for item in self.items if item.section is not Section.GOAL]
        return tuple(item.fenced for item in (*lasting, *goals))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for any store; :meth:`from_dict` reads them."""
        return {
            "schema": WORKING_SET_SCHEMA,
            "id": self.id,
            "scope": self.scope,
            "digest": self.digest,
            "askedNow": self.asked_now,
            "items": [
                {
                    "section": str(item.section),
                    "ref": item.ref,
                    "text": item.text,
                    "createdMs": item.created_ms,
                    "date": item.date,
                    "importance": item.importance,
                    "trust": item.trust,
                }
                for item in self.items
            ],
            "stale": [
                {"ref": one.ref, "section": str(one.section), "reason": one.reason} for one in self.stale
            ],
            "leftOut": dict(self.left_out),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """
        Read what :meth:`to_dict` wrote.

        Raises:
            DataError: It is of another schema, or a part is missing or not what it should be; reason
                ``bad_working_set``.
        """
        try:
            return cls._read(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError("a stored working set cannot be read", reason="bad_working_set") from error

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        if data["schema"] != WORKING_SET_SCHEMA:
            raise ValueError(data["schema"])
        return cls(
            scope=str(data["scope"]),
            items=tuple(
                WorkingItem(
                    section=Section(item["section"]),
                    ref=str(item["ref"]),
                    text=str(item["text"]),
                    created_ms=None if item["createdMs"] is None else int(item["createdMs"]),
                    date=str(item.get("date", "")),
                    importance=str(item["importance"]),
                    trust=str(item["trust"]),
                )
                for item in data["items"]
            ),
            stale=tuple(
                Stale(str(one["ref"]), Section(one["section"]), str(one["reason"])) for one in data["stale"]
            ),
            left_out={str(reason): int(count) for reason, count in data["leftOut"].items()},
            asked_now=bool(data["askedNow"]),
        )
