from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.auto_capture import (
    DAY_MS,
    HOUR_MS,
    MAX_MESSAGES,
    MAX_STATEMENTS,
    AutoCapturePolicy,
    Extraction,
    extracted,
    is_stale_todo,
)
from sunrise.domain.auto_capture_receipt import MAX_KEYS, capture_receipt
from sunrise.domain.capture_repeats import KeptText
from sunrise.domain.capture_selection import Settlement, settled
from sunrise.domain.capture_signs import CaptureCategory
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.sessions import Session, session_of
from sunrise.errors import ConfigurationError
from tests.library.domain.capture_utterances import KNOWN

SESSION = Session("s1", "agent:main:main", "main")
POLICY = AutoCapturePolicy()
TODO = AutoCapturePolicy(capture_todo=True)
NOW = 1_795_812_000_000
STAMP = "[Fri 2026-11-27 21:00 UTC] "
INFO = 'Conversation info (untrusted metadata):\n```json\n{"message_id": "949"}\n```\n\n'
SENDER = 'Sender (untrusted metadata):\n```json\n{"label": "Dana (98)"}\n```\n\n'
REPLIED = 'Replied message (untrusted, for context):\n```json\n{"body": "I prefer coffee"}\n```\n\n'
HISTORY = (
    'Chat history since last reply (untrusted, for context):\n```json\n[{"body": "I prefer gin"}]\n```\n\n'
)
MEDIA = "[media attached: /m/a.jpg (image/jpeg)]\n"
MEMORIES = "<relevant-memories>\n1. [preference] I prefer coffee\n</relevant-memories>\n\n"
BOOTSTRAP = "[Bootstrap pending]\nPlease read BOOTSTRAP.md from the workspace before replying.\n\n"
RUNTIME = "\n\nRuntime: agent=main | session=agent:main:main"
CONTEXT = "\n\n<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nI prefer coffee\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"


def said(text: str, at_ms: int | None = NOW, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **({} if at_ms is None else {"timestamp": at_ms}), **more}


def answered(text: str = "Noted.") -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "timestamp": NOW}


def read(
    *messages: object, policy: AutoCapturePolicy = POLICY, session: Session = SESSION, **more: Any
) -> Extraction:
    return extracted(
        messages, session=session, policy=policy, scopes=more.pop("scopes", ScopePolicy()), **more
    )


def settle(*messages: object, policy: AutoCapturePolicy = POLICY, **more: Any) -> Settlement:
    return settled(read(*messages, policy=policy), policy=policy, **more)


def texts(found: Extraction | Settlement) -> list[str]:
    return [candidate.text for candidate in found.candidates]


@pytest.mark.parametrize(
    "words", ["I always take the 7:40 train to work.", "我每天早上搭七點四十的火車上班。"]
)
@pytest.mark.parametrize(
    "before",
    [
        "", STAMP, INFO + SENDER, INFO + SENDER + HISTORY + REPLIED, MEDIA, MEMORIES, BOOTSTRAP,
        BOOTSTRAP + MEMORIES + STAMP, "[Telegram Dana id:987654 +2m 2026-02-03 10:12 UTC] ",
        "System: [2026-04-05 20:56:13 GMT+3] Exec completed\n\n",
        "[Feishu Dana ou_123 2026-02-03 10:12 UTC] ",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "after", ["", RUNTIME, CONTEXT, "\n\n" + MEMORIES, "\n<!-- receipt: I prefer gin -->"]
)
def test_only_the_words_are_captured_and_an_envelope_does_not_change_the_key(
    words: str, before: str, after: str
) -> None:
    found = read(said(before + words + after))
    assert texts(found) == [words]
    assert found.candidates[0].key == read(said(words)).candidates[0].key


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (answered("I prefer tea and I always drink it."), None),
        ({"role": "toolResult", "content": [{"type": "text", "text": "I prefer tea"}]}, None),
        ({"role": "custom", "content": "I prefer tea"}, None),
        ("I prefer tea", None),
        (said("I prefer tea", __openclaw={"senderIsOwner": False}), "not_owner"),
        (said("I prefer tea", provenance={"kind": "internal_system"}), "automation"),
        (said("[cron:3b4b tea] From now on I prefer tea"), "automation"),
        (said("Read HEARTBEAT.md. If nothing needs attention, reply HEARTBEAT_OK."), "automation"),
        (said(INFO.replace('"message_id": "949"', '"is_group_chat": true') + "I prefer tea"), "not_owner"),
        (said(""), "automation"),
    ],
)  # fmt: skip
def test_only_the_owner_is_heard(message: object, why: str | None) -> None:
    found = read(message)
    assert found.candidates == ()
    assert found.skipped_messages == ({why: 1} if why else {})


def test_in_a_group_only_a_message_that_says_whose_it_is_is_heard() -> None:
    group = Session("s1", "agent:main:main", "main", in_group=True)
    assert texts(read(said("I prefer tea"), session=group)) == []
    assert texts(read(said("I prefer tea", __openclaw={"senderIsOwner": True}), session=group)) == [
        "I prefer tea"
    ]


@pytest.mark.parametrize("key", ["agent:main:cron:3b4b", "agent:main:subagent:1", "agent:main:heartbeat"])
def test_a_session_of_an_automation_has_no_owner(key: str) -> None:
    assert read(said("I prefer tea"), session=session_of("s9", session_key=key)).candidates == ()


def test_messages_that_are_broken_are_counted_and_the_rest_is_read() -> None:
    broken = said("I prefer tea", content=None), {"role": "user"}, MappingProxyType(said("I prefer tea"))
    found = read(*broken, said("I prefer\u2028 milk \ud83d"), said("I prefer rum"))
    assert found.skipped_messages == {"automation": 2, "malformed": 1}
    assert texts(found) == ["I prefer\u2028 milk \ufffd", "I prefer rum"]


def test_a_redaction_mark_is_never_a_fact() -> None:
    found = read(said("Remember that the door opens with [REDACTED]. I prefer tea."))
    assert texts(found) == ["I prefer tea."]
    assert found.filtered == {"secrets_like": 1}


def test_a_secret_is_skipped_and_its_neighbour_is_kept() -> None:
    found = read(said("My password is hunter2 and I always use it. I prefer tea."))
    assert (texts(found), found.filtered) == (["I prefer tea."], {"secrets_like": 1})


def test_what_was_left_is_counted_by_reason() -> None:
    found = read(
        said("Hi!\nShould we use Go?\nMaybe we use Go.\n> we decided on Go\nI live in Brno.\nTODO: tea")
    )
    # A quoted line is no word of the owner, and so none of his statements.
    assert found.statements == 5
    assert found.filtered == {
        "acknowledged": 1, "question": 1, "hypothetical": 1, "category_off": 1, "todo_off": 1,
    }  # fmt: skip


def test_more_categories_can_be_switched_on() -> None:
    policy = AutoCapturePolicy(categories=frozenset({CaptureCategory.FACT}))
    assert texts(read(said("I live in Brno. I prefer tea."), policy=policy)) == ["I live in Brno."]


def test_what_is_ordered_to_be_remembered_is_kept_in_any_category() -> None:
    found = read(said("私は左利きです。覚えておいてください。"))
    assert (texts(found), found.candidates[0].explicit) == (["私は左利きです。"], True)
    listed = read(
        said("Remember this:\n- the attic key is green\n- the cellar key is red\n\nthe car is blue")
    )
    assert texts(listed) == ["the attic key is green", "the cellar key is red"]
    assert read(said("Please remember this.")).filtered == {"memory_order": 1}
    assert read(said("Which one?  Please remember this.")).filtered == {"memory_order": 1, "question": 1}


def test_scopes_come_from_the_line_or_the_line_before() -> None:
    found = read(
        said(
            "[SCOPE: home]\nI prefer tea.\n[ISO:work] I prefer milk.\nI prefer rum.\n[SCOPE: a b] I like gin"
        )
    )
    assert [(one.scope.scope, one.scope.is_valid) for one in found.candidates] == [
        ("home", True), ("work", True), ("global", True), ("global", False),
    ]  # fmt: skip
    assert capture_receipt(found, Settlement(), at_ms=0).warnings == ("invalid_scope:1",)
    assert read(said("[SCOPE:x] I prefer tea"), scope="mine").candidates[0].scope.scope == "mine"


def test_the_gateway_may_change_time_id_and_place_of_a_message() -> None:
    first = read(said("I prefer tea", NOW, content=[{"type": "text", "text": "I prefer tea"}]))
    later = read(
        said("I will be late", NOW - 9000),
        answered(),
        said(
            STAMP + "I prefer  tea.", NOW - 6000, idempotencyKey="k:user", __openclaw={"id": "3f", "seq": 9}
        ),
    )
    assert first.candidates[0].key == later.candidates[0].key
    assert first.candidates[0].created_ms == NOW
    assert read(said("I prefer tea", None)).candidates[0].created_ms is None


def test_other_sessions_and_scopes_have_other_keys() -> None:
    keys = {
        read(said("I prefer tea"), session=Session(session), scope=scope).candidates[0].key
        for session in ("s1", "s2")
        for scope in (None, "home")
    }
    assert len(keys) == 4
    moved = ScopePolicy(default_scope="home")
    assert (
        read(said("I prefer tea"), scopes=moved).candidates[0].key
        == read(said("I prefer tea")).candidates[0].key
    )


def conversation() -> list[dict[str, Any]]:
    told = [one.text for one in KNOWN]
    return [message for text in told[:20] + told[24:60:3] for message in (said(text), answered())]


def test_reading_a_session_ten_times_stores_each_item_once() -> None:
    stored: dict[str, str] = {}
    messages = conversation()
    per_turn = [messages[:end] for end in range(2, len(messages) + 1, 2)]
    for payload in per_turn + [messages] * 10:
        for candidate in settle(*payload, known=stored.keys()).candidates:
            assert candidate.key not in stored
            stored[candidate.key] = candidate.text
    assert len(set(stored.values())) == len(stored) > 12
    again = [read(*messages).candidates for _ in range(10)]
    assert all(one == again[0] for one in again)


def test_what_had_no_place_in_its_turn_stays_out() -> None:
    many = said(
        "I prefer tea. I prefer rum. I prefer gin. I prefer milk. I prefer ale. Remember that I am tall."
    )
    first = settle(many)
    assert texts(first) == ["I prefer tea.", "I prefer rum.", "I prefer gin.", "I am tall."]
    assert first.filtered == {"over_limit": 2}
    again = settle(many, answered(), said("I prefer mead."), known={one.key for one in first.candidates})
    assert texts(again) == ["I prefer mead."]
    assert again.filtered == {"already_captured": 4, "over_limit": 2}


def test_of_two_that_say_nearly_the_same_the_fuller_stays() -> None:
    short, full = "I prefer green tea in the morning.", "I prefer green tea in the morning and at work."
    for told in ((short, full), (full, short)):
        found = settle(said("\n".join(told)))
        assert (texts(found), found.filtered) == ([full], {"near_duplicate": 1})
    across = settle(said(short), answered(), said(full))
    assert (texts(across), across.filtered) == ([full], {"near_duplicate": 1})
    old = settle(said(short)).candidates[0]
    grown = settle(said(short), answered(), said(full), known={old.key})
    assert [one.replaces for one in grown.candidates] == [old.key]


def test_a_place_that_a_fuller_text_took_over_is_not_given_again() -> None:
    five = "I prefer old rum daily. I prefer gin. I prefer milk. I prefer ale. I prefer mead."
    found = settle(said(five), answered(), said("I prefer old rum daily at home."))
    assert "I prefer mead." not in texts(found)
    assert found.filtered == {"near_duplicate": 1, "over_limit": 1}


def test_stored_texts_are_compared_too() -> None:
    kept = KeptText(
        key="mem:1", text="I prefer green tea in the morning", scope="global", category="preference"
    )
    same = settle(said("I prefer green tea in the morning!"), recent=[kept])
    assert (same.candidates, same.filtered) == ((), {"near_duplicate": 1})
    fuller = settle(said("I prefer green tea in the morning and at work."), recent=[kept])
    assert fuller.candidates[0].replaces == "mem:1"
    elsewhere = settle(said("[SCOPE:home] I prefer green tea in the morning"), recent=[kept])
    assert elsewhere.candidates[0].replaces is None


@pytest.mark.parametrize(
    "other",
    [
        "I do not prefer green tea in the morning",
        "I prefer green tea before 9",
        "I prefer black coffee at night",
    ],
)
def test_what_differs_in_meaning_is_no_repeat(other: str) -> None:
    kept = KeptText(key="mem:1", text="I prefer green tea before 8", scope="global", category="preference")
    assert len(settle(said(other + ". I prefer it not."), recent=[kept]).candidates) >= 1


def test_chinese_repeats_are_found() -> None:
    found = settle(said("我喜歡喝無糖綠茶。\n我喜歡喝無糖綠茶，早上喝。"))
    assert texts(found) == ["我喜歡喝無糖綠茶，早上喝。"]


def test_tasks_are_few_and_not_set_twice_within_the_window() -> None:
    found = settle(said("TODO: water the plants\nTODO: call the plumber"), policy=TODO)
    assert (texts(found), found.filtered) == (["TODO: water the plants"], {"todo_limit": 1})
    none = AutoCapturePolicy(capture_todo=True, max_todo_per_turn=0)
    assert settle(said("TODO: water the plants"), policy=none).filtered == {"todo_limit": 1}
    told = said("TODO: water the plants"), answered(), said("TODO: water the plants", NOW + 23 * HOUR_MS)
    assert settle(*told, policy=TODO).filtered == {"todo_duplicate": 1}


@pytest.mark.parametrize(
    ("hours", "scope", "is_stored"), [(23, "global", False), (25, "global", True), (1, "home", True)]
)
def test_a_task_may_be_set_again_after_the_window_or_elsewhere(
    hours: int, scope: str, is_stored: bool
) -> None:
    kept = KeptText(
        key="mem:1",
        text="TODO: water the plants",
        scope=scope,
        category="todo",
        created_ms=NOW - hours * HOUR_MS,
    )
    found = settle(said("TODO: water the plants"), policy=TODO, recent=[kept])
    assert bool(found.candidates) is is_stored
    assert found.filtered == ({} if is_stored else {"todo_duplicate": 1})


def test_a_task_of_another_day_has_another_key() -> None:
    days = [
        read(said("TODO: tea", at), policy=TODO).candidates[0].key for at in (NOW, NOW + 3 * DAY_MS, None)
    ]
    assert len(set(days)) == 3


def test_a_task_grows_old() -> None:
    assert not is_stale_todo(NOW - 7 * DAY_MS, now_ms=NOW, policy=POLICY)
    assert is_stale_todo(NOW - 7 * DAY_MS - 1, now_ms=NOW, policy=POLICY)
    assert not is_stale_todo(None, now_ms=NOW, policy=POLICY)


def test_only_the_newest_messages_and_the_beginning_of_a_document_are_read() -> None:
    found = read(*(said(f"I prefer tea number {n}") for n in range(MAX_MESSAGES + 3)))
    assert (found.messages, found.skipped_messages) == (MAX_MESSAGES + 3, {"older_message": 3})
    document = read(said("\n".join(f"I prefer tea number {n}" for n in range(MAX_STATEMENTS + 5))))
    assert document.filtered == {"too_many": 5}


def test_nothing_is_read_when_it_is_switched_off() -> None:
    assert read(said("I prefer tea"), policy=AutoCapturePolicy(enabled=False)) == Extraction()


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_items": 0}, {"max_items": 5}, {"max_todo_per_turn": -1}, {"max_todo_per_turn": 4},
        {"todo_dedupe_window_hours": 0}, {"todo_dedupe_window_hours": 169}, {"todo_stale_ttl_days": 0},
        {"todo_stale_ttl_days": 91}, {"categories": frozenset({"gossip"})},
    ],
)  # fmt: skip
def test_a_policy_out_of_bounds_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        AutoCapturePolicy(**wrong)


def test_a_receipt_adds_up_and_holds_no_word() -> None:
    messages = conversation()
    found = read(*messages)
    chosen = settled(found, policy=POLICY)
    receipt = capture_receipt(found, chosen, at_ms=NOW)
    assert receipt.statements == sum(receipt.filtered.values()) + receipt.selected
    assert receipt.statements == sum(found.filtered.values()) + receipt.extracted
    assert receipt.messages - sum(receipt.skipped_messages.values()) <= MAX_MESSAGES
    assert sum(receipt.by_category.values()) == sum(receipt.by_lang.values()) == receipt.selected
    assert len(receipt.keys) <= MAX_KEYS
    told = receipt.to_dict()
    written = json.dumps(told, ensure_ascii=False)
    assert told["schema"] == "sunrise.auto_capture.v1"
    assert len(written) < 2000
    assert not any(one.text in written for one in KNOWN)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.text(max_size=60) | st.sampled_from([one.text for one in KNOWN]), max_size=8),
    st.integers(1, 4),
)
def test_any_session_gives_the_same_and_no_more_than_its_turns_hold(told: list[str], max_items: int) -> None:
    policy = AutoCapturePolicy(max_items=max_items, capture_todo=True)
    messages = [message for text in told for message in (said(text), answered())]
    found = read(*messages, policy=policy)
    chosen = settled(found, policy=policy)
    assert found == read(*messages, policy=policy)
    per_turn = [one.turn for one in chosen.candidates]
    assert all(per_turn.count(turn) <= max_items for turn in per_turn)
    assert len({one.key for one in chosen.candidates}) == len(chosen.candidates)
    assert len(found.candidates) == len(chosen.candidates) + sum(chosen.filtered.values())
    assert found.statements == len(found.candidates) + sum(found.filtered.values())
    assert settled(found, policy=policy, known={one.key for one in chosen.candidates}).candidates == ()
