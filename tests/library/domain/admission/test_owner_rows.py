from __future__ import annotations

import pytest

from sunrise.domain.admission.owner_rows import (
    is_bare_envelope,
    is_beat_prompt,
    is_scheduled_prompt,
    owner_says_nothing,
)

BEAT = "Heartbeat 08:30. Follow HEARTBEAT.md. If nothing is to do, answer HEARTBEAT_OK."
JOB = "Job tea. Return your summary as plain text; it will be delivered automatically."


@pytest.mark.parametrize("text", ["<media:image>", "<media:image>\n[message_id: 3EB0]", "[message_id: 3EB0]"])
def test_a_message_without_words_is_an_envelope(text: str) -> None:
    assert is_bare_envelope(f"\n{text}" if text.startswith("[message") else text)


@pytest.mark.parametrize(
    "text",
    [
        "[Discord DM 2026-04-16 13:15 GMT+2] dana: thanks\n[message_id: 14889]",
        "[Fri 2026-11-27 21:00 UTC] ok",
        "good morning Pim",
        "carry on, please!",
        "辛苦了",
    ],
)
def test_thanks_and_greetings_say_nothing_in_an_envelope_too(text: str) -> None:
    assert owner_says_nothing(text)


def test_prompts_are_known_by_the_file_and_the_answer_that_they_name() -> None:
    assert is_beat_prompt(BEAT)
    assert is_beat_prompt("心跳檢查：請依 HEARTBEAT.md 執行，沒事回 HEARTBEAT_OK")
    assert is_scheduled_prompt(JOB)


@pytest.mark.parametrize(
    "text",
    [
        "[Fri 2026-11-27 21:00 UTC] dana: thanks, the price is 40 euros",
        "go to Rome",
        "next Friday",
        "hello, the car broke down on the way to Brno, call me",
        "look at <media:image> of the stove",
        "HEARTBEAT_OK is fine, but not in Discord, says HEARTBEAT.md",
        "Heartbeat: please stop reading HEARTBEAT.md when I sleep, HEARTBEAT_OK if quiet",
        "Put the stove into HEARTBEAT.md",
        "心跳改成每小時一次，HEARTBEAT.md 沒事回 HEARTBEAT_OK",
        "Return your books to the library",
        "",
    ],
)
def test_what_the_owner_says_is_heard(text: str) -> None:
    assert not is_bare_envelope(text)
    assert not owner_says_nothing(text)
    assert not is_scheduled_prompt(text)
    assert not is_beat_prompt(text)


def test_a_long_prompt_is_read_as_words() -> None:
    assert not is_beat_prompt(BEAT + " Look at the stove." * 30)
    assert not is_scheduled_prompt("Look at the stove. " * 30 + JOB)


def test_rows_of_brackets_and_scraps_hold_no_word_of_his() -> None:
    assert is_bare_envelope("[LINE Family] Ann 06:18:[sticker]")
    assert is_bare_envelope("[reacted with 👍 to message 8751]")
    assert not is_bare_envelope("[cron:3b4b tea]")
    assert not is_bare_envelope("[LINE Family] Ann 06:18: the boiler leaks")
    assert owner_says_nothing("not now")
    assert not owner_says_nothing("Rome")
    assert is_scheduled_prompt("Run the scheduled job tea-time now.")
    assert not is_scheduled_prompt("Run " * 200)
