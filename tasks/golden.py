"""What a golden set holds: memories, and questions with their right answers."""

from __future__ import annotations

from dataclasses import dataclass

OFF_TOPIC = "off-topic"
"""Category of the queries whose right answer is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenMemory:
    """A memory that a golden set brings along."""

    id: str
    text: str
    scope: str
    created_ms: int
    importance: float | None = None
    label: str | None = None
    state: str | None = None
    source_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuery:
    """
    One question: ``relevant`` and ``forbidden`` are refs, or texts where ids are made anew.

    ``now_ms`` is the moment it is asked at; without one it is asked now.
    """

    key: str
    query: str
    relevant: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    scope: str | None = None
    lang: str | None = None
    category: str | None = None
    now_ms: int | None = None


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """
    One golden file. Without memories of its own its queries are about those of the home.

    ``unresolved`` counts the queries whose evidence names nothing that is there. ``zone`` is that of its
    days, where it is not the home's.
    """

    name: str
    digest: str
    memories: tuple[GoldenMemory, ...] = ()
    queries: tuple[GoldenQuery, ...] = ()
    unresolved: int = 0
    zone: str | None = None
