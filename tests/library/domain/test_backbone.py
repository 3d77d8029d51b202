"""What the working set says takes no second slot, and what only looks like it keeps its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.backbone import Saying, backbone_duplicates


def is_said(pinned: str, found: str) -> bool:
    said = backbone_duplicates([Saying(("mem:found",), found)], [Saying(("mem:pinned",), pinned)])
    assert said in ({}, {"mem:found": "mem:pinned"})
    return bool(said)


@pytest.mark.parametrize(
    ("pinned", "found"),
    [
        ("Never deploy on Friday.", "never deploy  on FRIDAY"),
        ("Never deploy on Friday.", "Owner's rule: never deploy on Friday"),
        ("User prefers dark mode in all editors", "The user prefers dark mode"),
        ("The API key rotates every 30 days", "API key rotation: every 30 days"),
        ("一律禁止週五部署", "禁止周五部署"),
        ("一律用繁體中文回答", "一律用繁体中文回答。"),
        ("返信は必ず日本語で書く", "返信は必ず日本語で書く。"),
        ("금요일에는 배포하지 않는다", "금요일에는 배포하지 않는다!"),
        ("👍", "👍"),
    ],
)
def test_the_same_thing_in_about_the_same_words_is_said(pinned: str, found: str) -> None:
    assert is_said(pinned, found)


@pytest.mark.parametrize(
    ("pinned", "found"),
    [
        ("nginx uses port 8080", "nginx uses port 9090"),
        ("nginx uses port 8080", "nginx uses port 8080 and redis 6379"),
        ("Never deploy on Friday.", "Deploy on Friday"),
        ("Deploys run on Friday", "Deploys don't run on Friday"),
        ("週五不要部署", "週五部署"),
        ("金曜日はデプロイしない", "金曜日はデプロイする"),
        ("금요일에는 배포하지 않는다", "금요일에는 배포한다"),
        ("Use pnpm for the frontend", "Use npm for the frontend"),
        ("Alice reviews Bob", "Bob reviews Alice"),
        (
            "User prefers dark mode",
            "User prefers dark mode in editors and terminals on the work laptop since March",
        ),
        ("The deploy of nginx needs a review", "nginx"),
        ("", ""),
        ("tea", "coffee"),
    ],
)
def test_another_number_a_denial_another_order_or_much_more_is_not_said(pinned: str, found: str) -> None:
    assert not is_said(pinned, found)


def test_a_memory_that_the_working_set_was_made_of_is_said_whatever_is_left_of_its_text() -> None:
    pinned = [Saying(("mem:a", "mem:b"), "never deploy…"), Saying((), "drink tea at four")]
    found = [
        Saying(("mem:b",), "Something else entirely"),
        Saying(("mem:c",), "Drink tea at four"),
        Saying(("mem:d",), "new"),
    ]
    assert backbone_duplicates(found, pinned) == {"mem:b": "mem:a", "mem:c": ""}


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_every_text_is_said_by_itself_and_nothing_by_nothing(text: str, other: str) -> None:
    assert is_said(text, text) == (text.strip() != "")
    assert not backbone_duplicates([Saying(("mem:a",), text)], [])
    is_said(text, other)
