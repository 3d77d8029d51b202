"""What asks for nothing is known by its whole form, in five languages, and never by a word in it."""

from __future__ import annotations

import pytest

from sunrise.domain.trivial_forms import ACKNOWLEDGEMENT, forms
from sunrise.domain.trivial_prompts import trivial_reason
from sunrise.domain.turns import says_something

TRIVIAL = {
    "empty": ["", "  \n\t", "\u3000", "[Fri 2026-11-27 21:00 UTC] "],
    "punctuation": ["?", "？", "…", "...", "。。。", "!!!", "！！！", "~", "¿?", "-", "!" * 5_000],
    "emoji": [
        *["👍", "👍🏻👍🏻", "🙏🙏🙏", "❤️", "🇹🇼", "1️⃣", ":)", ":D", ";-)", "xD", "<3", "T_T", "^_^ :)"],
        *["¯\\_(ツ)_/¯", "(´・ω・`)", "😂" * 500],
    ],
    "greeting": [
        *["hi", "hi~", "Hi!", "HELLO", "ＨＩ！", "heyyyy", "hey there", "Good morning!", "hello hello"],
        *["你好", "您好！", "哈囉~", "哈啰", "早安☀️", "早上好", "在嗎?", "嗨嗨", "大家好"],
        *["こんにちは", "こんばんは。", "おはようございます！", "おはよー", "お世話になっております"],
        *["안녕하세요", "안녕!", "반갑습니다~", "좋은 아침이에요"],
    ],
    "farewell": [
        *["bye", "Bye bye!", "good night 🌙", "see you tomorrow", "再見", "拜拜~", "晚安", "明天見"],
        *["おやすみなさい", "お疲れ様でした！", "안녕히 계세요", "수고하세요~", "잘 자요"],
    ],
    "acknowledgement": [
        *["ok", "OK.", "ok👍", "ok ok", "okkkk", "okok", "k", "Ok, thanks!", "thanks a lot!", "I see.", "+1"],
        *[
            "Got it, thanks!",
            "roger that",
            "thanks man",
            "good point!",
            "LGTM 👍",
            "sounds good",
            "yes please",
            "no thanks",
            "+1!",
        ],
        *["hahaha", "*ok*", "go ahead", "please continue", "thaaanks", "You're welcome", "you’re welcome"],
        *["好的👌", "好的", "好好好", "好的，謝謝！", "收到!!", "收到，谢谢", "沒問題", "知道了~", "辛苦了"],
        *[
            "太好了！",
            "嗯嗯嗯",
            "哈哈哈哈",
            "收到了謝謝",
            "嗯好",
            "對啊",
            "好喔",
            "原來如此",
            "繼續",
            "謝謝謝謝",
            "OK啦",
        ],
        *["はい", "はーい", "了解です", "了解しました！", "承知いたしました。", "ありがとうー！", "ＯＫです"],
        *["ありがとうございました。助かりました！", "なるほどね", "オッケー👌", "いいえ", "明白👌"],
        *[
            "네",
            "네네",
            "넵!",
            "감사합니다",
            "네, 감사합니다.",
            "알겠습니다",
            "고마워요 ㅎㅎ",
            "ㅋㅋㅋㅋ",
            "ㅇㅋ",
        ],
    ],
    "slash_command": [
        *["/new", "/status", "/status args", "/model gpt-5", "/think: high", "／new", "/stop@mybot"],
        *["/new\nhello", " /compact keep the plan", "/verbose on", "/my-skill one two"],
    ],
    "silent_reply": ["NO_REPLY", "[[reply_to_current]] NO_REPLY"],
}

HEARTBEATS = [
    "heartbeat",
    "HEARTBEAT",
    "Heartbeat check!",
    "HEARTBEAT /think:high",
    "HEARTBEAT ultrathink",
    "[OpenClaw heartbeat poll]",
    "Read HEARTBEAT.md if exists. Consider outstanding tasks. Look after your human sometimes by day.",
    "Read HEARTBEAT.md if it exists (workspace context). Follow it. If nothing is there, reply HEARTBEAT_OK.",
    "Read HEARTBEAT.md if it exists (workspace context). Use heartbeat_respond to report the outcome.",
    (
        "System: [2026-04-15 22:06:46 GMT+8] Exec failed (calm-otter, signal SIGTERM)\n\n"
        "Read HEARTBEAT.md if it exists. Follow it. If nothing needs attention, reply HEARTBEAT_OK.\n"
        "When reading HEARTBEAT.md, use workspace file /home/mia/HEARTBEAT.md (exact case).\n"
        "Current time: Tuesday, April 7th, 2026 - 4:03 AM (Asia/Shanghai) / 2026-04-06 20:03 UTC"
    ),
    (
        "Run the following periodic tasks (only those due based on their intervals):\n\n- inbox: look\n\n"
        "After completing all due tasks, use heartbeat_respond to report the outcome."
    ),
    "Run the following periodic tasks:\n- inbox: look\nAfter completing all due tasks, reply HEARTBEAT_OK.",
]

ASKS = [
    *["ok, deploy it", "hi, what port does nginx use?", "nginx?", "redis", "why?", "1", "42", "A", "8080?"],
    *["yes, the second", "thanks, now restart nginx", "hello world program in rust", "good morning routine"],
    *["see you at 5", "right click", "np-complete", "okra", "hint", "no deploys on Friday", "go see it"],
    *[
        "got it on",
        "yes we use pnpm",
        "thank the team",
        "🚀 deploy",
        "deploy 🚀",
        "+1 555 0100",
        "(a+b)*c = ?",
    ],
    *[
        "好的，部署吧",
        "你好，nginx 用哪個 port",
        "謝謝，下一步是什麼",
        "不要部署",
        "早餐吃什麼",
        "對象是誰",
        "好人",
    ],
    *["了不起", "明白書店在哪", "再見面的時間", "感謝狀放哪", "收到幾封信", "我叫什麼"],
    *[
        "こんにちは、ポートは？",
        "了解です。次は？",
        "はい、部署して",
        "名前は?",
        "네, 배포해 주세요",
        "감사합니다만 포트는?",
    ],
    *["/etc/hosts is broken", "/login returns 500", "/tmp is full", "/tmp 滿了", "/var/log", "/api/v1/users"],
    *[
        "//comment",
        "/24 is too small",
        "http://x",
        "C:\\x",
        "is HEARTBEAT_OK stripped?",
        "heartbeat every 30m?",
    ],
    *["why does HEARTBEAT_OK show up?", "Read HEARTBEAT.md if it exists and tell me the port"],
    "Run the following periodic tasks:\nnothing of the kind",
    "[cron:3b4b tea] water the plants\nCurrent time: Friday, November 27th, 2026 - 9 PM",
    "[Subagent Task]: find the port of nginx",
    "ok " * 80 + "deploy",
    "thank you " * 30,
]


@pytest.mark.parametrize(("reason", "prompt"), [(why, one) for why, all_ in TRIVIAL.items() for one in all_])
def test_a_prompt_that_asks_for_nothing_is_known_with_its_reason(reason: str, prompt: str) -> None:
    assert trivial_reason(prompt) == reason


@pytest.mark.parametrize("prompt", HEARTBEATS)
def test_a_heartbeat_is_known_in_every_form_that_the_gateway_has_had(prompt: str) -> None:
    assert trivial_reason(prompt) == "heartbeat"


@pytest.mark.parametrize("prompt", ASKS)
def test_what_asks_for_something_is_looked_up_whatever_words_stand_in_it(prompt: str) -> None:
    assert trivial_reason(prompt) is None


def test_what_the_gateway_puts_around_a_prompt_does_not_count() -> None:
    assert trivial_reason("[Fri 2026-11-27 21:00 UTC] 好的👌") == "acknowledgement"
    assert trivial_reason("<relevant-memories>\ntea\n</relevant-memories>\n\nhi") == "greeting"
    assert trivial_reason("A new session was started via /new or /reset. Greet the person.") == "system_event"


TAILS = ["", "!", "!!", "。", "～", " 👌", "👍🏻", " :)", "…", "\u200b", "\ufe0f", " 🙏🙏"]


@pytest.mark.parametrize("tail", TAILS)
def test_every_form_is_known_whatever_trails_it(tail: str) -> None:
    known = {
        form: (trivial_reason(form + tail), trivial_reason(f"> {form.upper()}{tail}")) for form in forms()
    }
    assert known == {form: (kind, kind) for form, kind in forms().items()}


@pytest.mark.parametrize("asked", ["nginx", "部署", "ポート", "포트", "8080", "deploy it"])
def test_no_form_swallows_what_stands_beside_it(asked: str) -> None:
    prompts = [prompt for form in forms() for prompt in (f"{form}, {asked}", f"{asked}. {form}")]
    assert [prompt for prompt in prompts if trivial_reason(prompt)] == []


def test_what_the_harvest_knows_as_saying_nothing_is_not_listed_again() -> None:
    words = [form for form, kind in forms().items() if kind == ACKNOWLEDGEMENT and " " not in form]
    assert [word for word in words if not says_something(word)] == []


def test_a_pasted_megabyte_is_read_in_no_time() -> None:
    texts = ("hello " * 200_000, "(" * 1_000_000, "好" * 1_000_000, "/a " * 300_000)
    assert [trivial_reason(text) for text in texts] == [None, "punctuation", None, "slash_command"]
