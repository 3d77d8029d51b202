"""Tools of the agent's own memory are known by their names, and what a store answers names a memory."""

from __future__ import annotations

import pytest

from sunrise.domain.memory_tools import is_json_object, memory_operation, stored_memory_id


@pytest.mark.parametrize(
    ("tool", "operation"),
    [
        ("memory_store", "store"), ("memory_search", "search"), ("memory_get", "get"), ("intent", "recall"),
        ("openclaw.memory_search", "search"), ("mcp__pi__memory_get", "get"), ("a:b:memory_list", "list"),
        ("sunrise__memory_erase", "erase"), ("x__memory_export", "export"), ("wiki_search", "search"),
        ("session_search", "search"), ("exec", None), ("mymemory_get", None), ("memory_wipe", None),
        ("docs__wiki_search", None), ("memory_usage", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_what_a_tool_does_with_the_memory_is_told_by_its_name(
    tool: str | None, operation: str | None
) -> None:
    assert memory_operation(tool) == operation


@pytest.mark.parametrize(
    ("details", "text", "memory_id"),
    [
        ({"action": "created", "id": "m1"}, "Stored: tea", "m1"),
        (None, '{"ref": "mem:m1", "status": "merged", "receipt": {}}', "m1"),
        ({"id": "two words"}, "", None),
        ({"id": 7}, "", None),
        ({"mcpTool": "memory_store", "structuredContent": {"id": "m2"}}, "structuredContent:", "m2"),
        ({"structuredContent": ["m2"]}, "", None),
        ({}, '{"ref": "mem:"}', None),
        (None, '{"ref": "mem:m1", "stat', None),
        (None, "Stored mem:m1", None),
        (None, "[" * 100_000, None),
    ],
)
def test_a_store_names_its_memory_in_the_details_or_in_json(
    details: object, text: str, memory_id: str | None
) -> None:
    assert stored_memory_id(details, text) == memory_id


def test_only_the_beginning_of_an_object_is_an_answer_for_programs() -> None:
    assert [is_json_object(text) for text in ('{"ref"', ' {"a": 1}', "{ok}", "[1]", "")] == [
        True, True, False, False, False,
    ]  # fmt: skip
