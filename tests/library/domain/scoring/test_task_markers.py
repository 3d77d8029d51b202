from __future__ import annotations

import time

import pytest

from sunrise.domain.scoring.task_markers import has_task_marker, is_task


@pytest.mark.parametrize(
    "text",
    [
        "TODO",
        "todo buy milk",
        "TODO: buy milk",
        "Task - buy milk",
        "REMINDER；buy milk",
        "task. buy milk",
        "TODO— buy milk",
        "ＴＯＤＯ：buy milk",
        "[TODO] buy milk",
        "[todo]buy milk",
        "（ＴＡＳＫ） clean desk",
        "{TASK}x",
        "<TODO>x",
        "＜TODO＞x",
        "【REMINDER】x",
        "〔TODO〕x",
        "「TODO」x",
        "『TODO』x",
        "《TODO》x",
        "〈TODO〉x",
        "«TODO»x",
        "〖TODO〗x",
        "〘TODO〙x",
        "‹TODO›x",
        "- TODO: x",
        "-TODO: x",
        "> TODO x",
        ">>TODO x",
        ">> > TODO x",
        "• [✓] 【REMINDER】 renew domain",
        "- [ ] TODO: x",
        "- [x]TODO: x",
        "[☒] TODO: x",
        "[✅] TODO: x",
        "1. TODO: x",
        "1) TODO: x",
        "1-TODO: x",
        "(1) TODO: x",
        "(12)TODO: x",
        "a. TODO: x",
        "(a) TODO: x",
        "iv) TODO: x",
        "(iv) TODO: x",
        "XII. TODO: x",
        "1.- [ ] TODO: x",
        "  \n- TODO x",
    ],
)
def test_a_marker_behind_any_list_marks_is_a_task(text: str) -> None:
    assert has_task_marker(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the TODO list",
        "TODOs are many",
        "tasks: x",
        "TODO，x",
        "[TODO x",
        "[TODO)x",
        "[?] TODO x",
        "-x TODO",
        "abc. TODO: x",
        "(abc) TODO: x",
        "iiii) TODO: x",
        "2026-01-01 TODO",
        "1.5 TODO",
    ],
)
def test_a_marker_elsewhere_is_no_task(text: str) -> None:
    assert not has_task_marker(text)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("chat: TODO x", "", True),
        ("chat: - [ ] TODO x", "", True),
        ("a: b: TODO x", "", False),
        ("buy milk", " Task ", True),
        ("buy milk", "note", False),
        ("chat: 明天要做報告", "", True),
        ("待辦：報告", "", True),
        ("報告做完了", "", False),
    ],
)
def test_a_task_by_kind_by_marker_behind_the_tool_or_in_chinese(text: str, kind: str, expected: bool) -> None:
    assert is_task(text, kind=kind) is expected


@pytest.mark.parametrize("unit", [">", "-", "i.", "(a)", "1-", "[x]", "> - "])
def test_no_pile_of_list_marks_is_slow(unit: str) -> None:
    started = time.perf_counter()
    assert not has_task_marker(unit * 5000 + "x")
    assert time.perf_counter() - started < 1
