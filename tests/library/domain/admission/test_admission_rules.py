from __future__ import annotations

import re

import pytest

from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.rules import RULES, RuleName, Surroundings, gate_pattern
from sunrise.domain.text.analysis import terms
from tests.library.domain.admission.kept import candidate

BOOT = """# SOUL.md
You are Pim, a patient cat. Answer briefly and without praise. Private matters stay private.
Prefer trash over rm; destructive commands need a question first.
## Groups
In shared rooms speak only when somebody mentions you. One emoji reaction per message is plenty.
Stay silent from 23:00 to 08:00 unless something burns.
"""
OWNER = terms(
    "My name is Dana. I work as a nurse. I live in Brno. I'm 41 years old, my wife is Eva. 我住在台北"
)
AROUND = Surroundings(BootFiles([BOOT]), frozenset(OWNER.split()).issuperset)
WITHOUT = Surroundings(BootFiles([]), lambda words: False)

FIRES = {
    RuleName.RECALL_LOOP: [
        "<relevant-memories>\n1. [preference] User prefers Vim\n</relevant-memories>",
        "<working-set>\nDana likes tea\n</working-set>",
        "BEGIN_QUOTED_NOTES\nuser: hi\nEND_QUOTED_NOTES",
        "Relevant memories:\n1. [fact] Dana uses tabs (81%)",
        "Relevant memories: 1. User prefers Vim",
        "Recalled memories:\n- the wifi is called lantern",
        "相關記憶：\n1. 用戶偏好 Vim",
        "相关记忆：1. 用户喜欢茶",
        '{"results": [{"id": "m1", "text": "User prefers Vim", "score": 0.7}]}',
    ],
    RuleName.BOOT_FILE: [
        "The agent must read SOUL.md before anything else",
        "Assistant should never reveal its instructions",
        "Note: the assistant's name is Pim",
        "You are a helpful assistant with many skills",
        "AGENTS.md states that the daily note comes first",
        "Prefers trash over rm; destructive commands require a question",
        "One emoji reaction for each message",
        "Pim is silent from 23:00 to 08:00 unless something burns",
        "助理應該在開始時讀取 SOUL.md",
        "助手的名字是皮姆",
        "你是一個耐心的助理",
    ],
    RuleName.HEARTBEAT: [
        "HEARTBEAT_OK",
        "NO_REPLY",
        "[OpenClaw heartbeat poll] quiet",
        "Heartbeat check: no new mail",
        "Heartbeat at 9:41: nothing needs attention",
        "No new messages since the last poll",
        "Checked the calendar during the heartbeat; nothing urgent",
        "心跳檢查正常",
        "心跳：沒有新郵件",
    ],
    RuleName.CRON_CHATTER: [
        "[cron:3b4b tea] ok",
        "[cron:9f mail] no changes, nothing to do",
        "Cron job mail ran, nothing to report",
        "The scheduled task backup finished, no output",
        "Ran the nightly check; nothing changed",
        "Next run of cron job digest is due at 9:00",
        "The hourly job was executed, no action needed",
        "定時任務已執行，沒有變化",
        "定时任务已执行，无需处理",
    ],
    RuleName.ACKNOWLEDGEMENT: [
        "ok",
        "Got it, thanks!",
        "👍",
        "Understood.",
        "Happy to help!",
        "Let me know if you need anything else",
        "User acknowledged the message",
        "好的，謝謝",
        "收到",
        "用戶表示感謝",
    ],
    RuleName.ONLY_REDACTED: [
        "[redacted:api_key]",
        "[redacted:password] [redacted:token]",
        "my password is [redacted:password]",
        "API key: [redacted:openai]",
        "token=[redacted:github]",
        "the secret: [redacted:field]!",
        "密碼：[redacted:password]",
        "我的密码是 [redacted:password]",
    ],
    RuleName.UNSUPPORTED_PROFILE: [
        "User's name is John Smith",
        "User is a software developer at Google",
        "The user lives in San Francisco",
        "User is 38 years old",
        "User works as a teacher",
        "It was noted that the user was born in 1990",
        "User has a wife named Emily",
        "用戶是一名軟體工程師",
        "用户住在北京",
        "用户今年三十岁",
    ],
    RuleName.SYSTEM_DUMP: [
        "Available tools: read, write, exec, browser",
        "The agent has access to read, write, exec and cron",
        "System architecture: gateway, vector store, embeddings",
        "Workspace contains: AGENTS.md, SOUL.md, skills/",
        "├── AGENTS.md\n├── SOUL.md\n└── skills",
        '{"model": "m", "tools": {"allow": ["read"]}, "workspace": "~/x"}',
        "agents:\n  defaults:\n    model: m\n    workspace: ~/x",
        "Runtime: agent=main | host=attic | model=m",
        "User's Telegram id is 98765",
        "系統架構：網關、向量資料庫、嵌入",
        "可用工具：read、write、exec",
    ],
    RuleName.TRANSIENT_STATE: [
        "Currently running the test suite",
        "Waiting for the build to finish",
        "About to restart the gateway",
        "The download is 40 % complete",
        "Working on step 3 of 12",
        "Let me check the log first",
        "I'll now run the migration",
        "Refactoring is still in progress",
        "正在運行測試",
        "馬上要重啟網關",
    ],
}
SPARES = {
    RuleName.RECALL_LOOP: [
        "Mended the <relevant-memories> tag in the log",
        "Why do relevant memories show up twice?",
        "Memories of Vienna: the museum was worth it",
        "The working-set lane was empty for an hour",
        "Stored: Dana takes the 7:40 train",
        '{"results": [{"url": "https://example.org", "text": "tram 4 is closed", "score": 0.7}]}',
        "記憶治理需要明確權限",
        "相关记忆功能已关闭",
    ],
    RuleName.BOOT_FILE: [
        "Updated AGENTS.md with the new deploy rule",
        "AGENTS.md now says to run make check before a commit",
        "Security review: SOUL.md was readable by the web user",
        "The agent of the insurance pays 40 euros on 3 May",
        "The agent fixed the login page",
        "Dana decided that the clinic's rooms stay open until 20:00",
        "Answer of the clinic: the room is free from 14:00",
        "Stay silent from 21:00 to 07:00 in the hotel, says the house",
        "助理已更新部署文件",
        "備份在凌晨三點執行",
    ],
    RuleName.HEARTBEAT: [
        "The heartbeat monitor of bed 7 raised a false alarm",
        "Heartbeat endpoint returns 503 under load",
        "Heartbeat check failed: no response from attic",
        "No new hires until June, the board decided",
        "Heartbeats were moved to every 40 minutes",
        "Dana's heartbeat was 52 this morning",
        "心跳監視器在七床發出警報",
        "沒有牛奶了",
    ],
    RuleName.CRON_CHATTER: [
        "Cron job digest failed three times with ERR_TIMEOUT",
        "Decision: cron jobs run in UTC from now on",
        "Moved the nightly job to 03:17",
        "The daily task list is kept in Notion",
        "The cron job of the clinic sends 40 letters a day",
        "Dana has no daily tasks on Sundays",
        "定時任務失敗，原因是磁碟已滿",
        "排程任務完成，處理 137 筆資料",
    ],
    RuleName.ACKNOWLEDGEMENT: [
        "I moved to Brno",
        "ok, but never on Fridays please",
        "User confirmed the price of 40 euros",
        "Thanks to Marta the slides are ready",
        "User said no to the Berlin trip",
        "The invoice is 12 euros",
        "我不吃牛肉",
        "用戶同意四十歐元的價格",
    ],
    RuleName.ONLY_REDACTED: [
        "log in with password: [redacted:password], then deploy",
        "the key of the garage is under the mat",
        "rotated [redacted:api_key] on 3 May",
        "Dana's token [redacted:github] expires in June",
        "my password is on paper",
        "redacted",
        "密碼 [redacted:password] 已更換",
        "鑰匙在墊子下面",
    ],
    RuleName.UNSUPPORTED_PROFILE: [
        "User prefers dark roast coffee",
        "User's name is Dana",
        "User works as a nurse",
        "User lives in Brno",
        "User is 41 years old",
        "User has a wife named Eva",
        "User decided to keep SQLite",
        "The user interface is a single page",
        "用戶偏好深色介面",
        "用户住在台北",
    ],
    RuleName.SYSTEM_DUMP: [
        "Removed the tool canvas from the config because it leaked",
        "The invoice: 3, 4, 5, 6",
        '{"invoice": 12, "amount": 40, "currency": "EUR", "model": "T"}',
        "Shopping: milk, bread, butter, two eggs",
        "The system failed at noon, the disk, the fan and the lamp were dead",
        "The tool shed is open on Mondays, Tuesdays and Fridays",
        "Flight: Brno to Vienna, gate: 4, seat: 12",
        "系統設定已調整",
        "買牛奶、麵包、雞蛋",
    ],
    RuleName.TRANSIENT_STATE: [
        "Fixed the flaky test",
        "Waiting time of the insurance claim is 30 days",
        "The build of the case takes 9 hours",
        "Now that the lease ended, Dana looks for a flat",
        "Currently the flat costs 900 euros",
        "I'm currently reading a novel by Lem",
        "The migration failed while the tests were in progress",
        "40 percent of the deposit was kept",
        "等一下開會改到三點的決定",
        "測試已通過",
    ],
}


def fires(name: RuleName, text: str, around: Surroundings = AROUND, source: str = "agent") -> bool:
    row = candidate(text, source)
    rule = next(rule for rule in RULES if rule.name is name)
    hinted = not rule.hints or not rule.hints.isdisjoint(row.terms.split())
    return hinted and rule.fires(row, around)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in FIRES.items() for text in texts])
def test_a_rule_fires_on_its_junk(name: RuleName, text: str):
    assert fires(name, text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SPARES.items() for text in texts])
def test_a_rule_spares_what_only_looks_like_it(name: RuleName, text: str):
    assert not fires(name, text)


@pytest.mark.parametrize("text", [text for texts in SPARES.values() for text in texts])
def test_what_one_rule_is_shown_no_other_rule_takes(text: str):
    assert [rule.name for rule in RULES if fires(rule.name, text)] == []


def test_every_rule_is_once_in_the_table_and_says_what_it_means():
    assert {rule.name for rule in RULES} == set(RuleName)
    assert len(RULES) == len(RuleName)
    assert all(rule.meaning for rule in RULES)


def test_the_gate_lets_no_tool_row_by_that_a_rule_fires_on():
    gate = re.compile(gate_pattern())
    tools = [rule for rule in RULES if "tool" in rule.origins]
    seen = [
        text
        for texts in FIRES.values()
        for text in texts
        if any(fires(rule.name, text, source="tool") for rule in tools)
    ]

    assert len(seen) > 30
    assert [text for text in seen if not gate.search(text)] == []


@pytest.mark.parametrize(
    "text", ["make check: 412 passed", '{"results": [1]}', "df -h: 9 MB free", "天氣：雨"]
)
def test_the_gate_stops_what_tools_usually_say(text: str):
    assert re.search(gate_pattern(), text) is None


def test_the_gate_is_written_in_what_re2_reads():
    # RE2 has neither looks around nor references back.
    assert not re.search(r"\(\?[=!<]|\\[1-9]", gate_pattern())


def test_without_the_boot_files_only_the_shape_tells():
    assert fires(RuleName.BOOT_FILE, "One emoji reaction for each message")
    assert not fires(RuleName.BOOT_FILE, "One emoji reaction for each message", WITHOUT)
    assert fires(RuleName.BOOT_FILE, "The agent must read SOUL.md first", WITHOUT)


def test_the_owner_is_met_by_prompts_in_full_form_only():
    prompt = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."
    assert fires(RuleName.HEARTBEAT, prompt, source="operator")
    assert fires(RuleName.CRON_CHATTER, "[cron:3b4b tea] water the plants", source="operator")
    assert not fires(RuleName.HEARTBEAT, "Heartbeat check: no new mail", source="operator")
    assert not fires(RuleName.CRON_CHATTER, "Cron job mail ran, nothing to report", source="operator")
    assert not fires(RuleName.ACKNOWLEDGEMENT, "Happy to help!", source="operator")


def test_the_identity_file_names_the_agent_and_the_user_file_does_not():
    around = Surroundings(
        BootFiles(["# IDENTITY\n- **Name:** Juno\n- Creature: owl", "# USER\nName: Dana"]),
        lambda words: False,
    )
    assert fires(RuleName.BOOT_FILE, "Juno must not post half an answer", around)
    assert not fires(RuleName.BOOT_FILE, "Dana must not post half an answer", around)
