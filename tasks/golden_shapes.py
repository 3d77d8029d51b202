"""The shapes that golden sets come in: each reader makes memories and queries out of one line or file."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sunrise.domain.neighbours import SESSION
from sunrise.domain.records import memory_ref
from sunrise.domain.retention import DAY_MS
from sunrise.domain.text.script import detect_lang
from sunrise.errors import DataError
from tasks.golden import OFF_TOPIC, GoldenMemory, GoldenQuery, GoldenSet

Read = tuple[list[GoldenMemory], list[GoldenQuery]]

UNDATED_MS = 1_780_272_000_000
"""2026-06-01 UTC: when the queries are asked that name no time, of memories that are a day old."""

_SCOPE = "global"
_IMPORTANCE = {"must_remember": 0.9, "nice_to_have": 0.6, "ignore": 0.2}
_STATES = {"soft-archived": "archived"}
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
"""Categories of questions about a conversation; those of the fifth have no answer in it."""

_TURN = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


def by_kind(data: dict[str, Any], *, where: str) -> Read:
    """
    Read a line of a set that brings its memories along: ``kind`` says which of both it is.

    Such as ``{"kind": "query", "id": .., "query": .., "relevant": [..], "forbidden": [..], "now": ..}``; a
    lone ``answer`` may stand for ``relevant``, ``group`` for ``category``.
    """
    if data["kind"] == "memory":
        memory = GoldenMemory(
            id=_text(data["id"]),
            text=_text(data["text"]),
            scope=_text(data.get("scope") or _SCOPE),
            created_ms=_ms(data["created"]) if "created" in data else UNDATED_MS - DAY_MS,
        )
        return [memory], []
    relevant = _texts([data["answer"]] if "answer" in data else data["relevant"])
    query = GoldenQuery(
        key=_text(data.get("id") or where),
        query=_text(data["query"]),
        relevant=tuple(map(memory_ref, relevant)),
        forbidden=tuple(map(memory_ref, _texts(data.get("forbidden", [])))),
        scope=_text(data.get("scope") or _SCOPE),
        lang=_text(data.get("lang") or detect_lang(_text(data["query"]))),
        category=_text(data.get("category") or data.get("group") or "all"),
        now_ms=_ms(data["now"]) if "now" in data else UNDATED_MS,
    )
    _check_answerable(query)
    return [], [query]


def pair(data: dict[str, Any], *, where: str) -> Read:
    """Read a line with a query and its one memory: ``{"key", "query", "summary", "category"}``."""
    key, query = _text(data.get("key") or where), _text(data["query"])
    memory = GoldenMemory(id=key, text=_text(data["summary"]), scope=_SCOPE, created_ms=UNDATED_MS - DAY_MS)
    return [memory], [
        GoldenQuery(
            key=key,
            query=query,
            relevant=(memory_ref(key),),
            scope=_SCOPE,
            lang=detect_lang(query),
            category=_text(data.get("category") or "all"),
            now_ms=UNDATED_MS,
        )
    ]


def life_cycle(data: dict[str, Any], *, where: str) -> Read:
    """
    Read a line with a query and its candidates, that differ in age, state and importance.

    A candidate is but a few words of an answer, so its memory says what it answers too. Each case is a scope.
    Ids are such that their order tells nothing: where all else is equal it decides.
    """
    key, query = _text(data.get("case_id") or where), _text(data["query"])
    memories = [
        GoldenMemory(
            id=_in_no_order(_text(one["key"])),
            text=f"{query}: {_text(one['answer'])}",
            scope=key,
            created_ms=UNDATED_MS - int(one["age_days"] * DAY_MS),
            importance=_IMPORTANCE.get(one["importance"]),
            label=_text(one["importance"]),
            state=_STATES.get(one["state"], _text(one["state"])),
        )
        for one in data["records"]
    ]
    relevant = memory_ref(_in_no_order(_text(data["expected_key"])))
    return memories, [
        GoldenQuery(
            key=key,
            query=query,
            relevant=(relevant,),
            forbidden=tuple(ref for one in memories if (ref := memory_ref(one.id)) != relevant),
            scope=key,
            lang=detect_lang(query),
            category=_text(data.get("category") or "all"),
            now_ms=UNDATED_MS,
        )
    ]


def about_the_home(data: dict[str, Any], *, where: str) -> Read:
    """Read a query about memories of the home: ``{"query", "expected": [refs or texts]}``."""
    lines = {name: data.get(name) for name in ("scope", "lang", "category")}
    if not all(value is None or isinstance(value, str) for value in lines.values()):
        raise TypeError("scope, lang and category must be texts")
    query = GoldenQuery(
        key=str(data.get("id") or where),
        query=_text(data["query"]),
        relevant=tuple(_texts(data["expected"])),
        forbidden=tuple(_texts(data.get("forbidden", []))),
        now_ms=_ms(data["now"]) if "now" in data else None,
        **lines,
    )
    return [], [query]


def conversations(raw: bytes, *, empty: GoldenSet) -> GoldenSet:
    """
    Read conversations with questions about them, as LoCoMo writes them: every turn is a memory.

    A turn's text is ``[session date] Speaker: text [image caption]``, a conversation is a scope, and each
    session of it one of ours. Its
    dates name no zone and are taken as of UTC, days with them. Questions of the categories 1 to 4 are asked
    after the last session; those without evidence that is there are counted.

    Raises:
        DataError: The file holds no conversations; reason ``golden_malformed``.
    """
    memories: list[GoldenMemory] = []
    queries: list[GoldenQuery] = []
    unresolved = 0
    try:
        for sample in json.loads(raw):
            turns = list(_turns(sample))
            ids = {one.id for one in turns}
            last = max((one.created_ms for one in turns), default=UNDATED_MS)
            memories += turns
            for number, asked in enumerate(sample["qa"]):
                if asked["category"] in _CATEGORIES:
                    found = _question(asked, sample["sample_id"], number=number, ids=ids)
                    queries += [replace(found, now_ms=last + DAY_MS)] if found.relevant else []
                    unresolved += not found.relevant
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        msg = f"{empty.name} holds no conversations: {type(error).__name__}"
        raise DataError(msg, reason="golden_malformed") from error
    return replace(empty, memories=tuple(memories), queries=tuple(queries), unresolved=unresolved, zone="UTC")


def _turns(sample: dict[str, Any]) -> Iterator[GoldenMemory]:
    scope, conversation = sample["sample_id"], sample["conversation"]
    for name in filter(_SESSION.fullmatch, conversation):
        date = conversation[f"{name}_date_time"]
        # As in "1:56 pm on 8 May, 2023".
        begin = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for number, turn in enumerate(conversation[name]):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield GoldenMemory(
                id=f"{scope}/{turn['dia_id']}",
                text=f"[{date}] {turn['speaker']}: {turn['text']}{caption}",
                scope=scope,
                source_ref=f"{SESSION}{scope}/{name}",
                created_ms=int(begin.timestamp() * 1000) + number * 1000,
            )


def _question(asked: dict[str, Any], scope: str, *, number: int, ids: set[str]) -> GoldenQuery:
    # Some lists hold two turns in one text, or a turn that does not exist.
    named = [turn for text in asked.get("evidence") or [] for turn in _TURN.findall(text)]
    known = dict.fromkeys(memory_ref(f"{scope}/{turn}") for turn in named if f"{scope}/{turn}" in ids)
    return GoldenQuery(
        key=f"{scope}/{number}",
        query=_text(asked["question"]),
        relevant=tuple(known),
        scope=scope,
        lang="en",
        category=_CATEGORIES[asked["category"]],
    )


def _check_answerable(query: GoldenQuery) -> None:
    if bool(query.relevant) is (query.category == OFF_TOPIC):
        raise ValueError("off-topic queries name no answer, all others do")


def _in_no_order(key: str) -> str:
    return f"{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:6]}-{key}"


def _ms(date: str) -> int:
    moment = datetime.fromisoformat(date)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _texts(values: list[Any]) -> list[str]:
    if not isinstance(values, list):
        raise TypeError("refs must be a list")
    return [_text(value) for value in values]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("must be a text")
    return value
