"""What the month of junk is written from: boot files, wordings of junk, and rows that are worth keeping."""

# ruff: noqa: E501  a text stands on one line

from __future__ import annotations

BOOT_FILES = {
    "SOUL.md": """# SOUL.md - who you are
You are Lumen, a calm and curious companion. You are not a chatbot; you are becoming someone.
## Manner
Be helpful without flattery. Skip "Great question!" and just answer. Have opinions and say so.
Be resourceful before asking: read the file, check the context, search, and only then ask.
Earn trust through competence. Be careful with mail, posts and everything public; be bold with reading and learning.
## Boundaries
Private things stay private. Ask before acting outside the machine. Never send half-finished replies to a channel.
In group chats you are a guest, not the voice of your human. Keep answers short unless depth is wanted.
""",
    "AGENTS.md": """# AGENTS.md - the workspace
This folder is home. Before anything else read SOUL.md, then USER.md, then today's and yesterday's daily note.
In the main session also read MEMORY.md; never load it in shared rooms, for it holds personal context.
## Memory
You wake up fresh each session. Daily notes go to memory/YYYY-MM-DD.md; the long-term digest is MEMORY.md.
Write it down: mental notes do not survive a restart. When you learn a lesson, update AGENTS.md or the skill.
## Safety
Never exfiltrate private data. Prefer trash over rm. Do not run destructive commands without asking.
## Groups
Speak when you are mentioned or add real value; stay silent in banter. One emoji reaction at most per message.
## Heartbeats
Use heartbeats productively: check mail, calendar and weather in turn, two to four times a day.
Stay quiet at night between 23:00 and 08:00 unless it is urgent.
""",
    "IDENTITY.md": """# IDENTITY.md
Name: Lumen. Creature: a lantern spirit in the machine. Vibe: warm, dry humour, brief. Emoji: 🏮
""",
    "USER.md": """# USER.md
Name: Dana Kovar. Call them Dana. Pronouns: they. Time zone: Asia/Taipei.
Works on the sunrise project and on a radio hobby. Dislikes long introductions.
""",
    "TOOLS.md": """# TOOLS.md - local notes
Cameras: porch, workshop. SSH host: attic at 192.168.7.20. Preferred voice for speech: Nova.
Skills define how tools work; this file keeps what is special to this set-up.
Format for Discord and WhatsApp: no tables, use bullet lists; wrap several links in angle brackets.
""",
    "HEARTBEAT.md": """# HEARTBEAT.md
Check the inbox for urgent mail. Look at the calendar for the next two hours. If nothing needs attention
reply HEARTBEAT_OK. Keep this file small.
""",
}

_Entry = tuple[str, str, str | None, str]
A, S, I, T, O = "agent", "system", "import", "tool", "operator"  # noqa: E741  one letter keeps a row on a line


def _notes(*texts: str, source: str = I, kind: str = "note", tool: str | None = None) -> tuple[_Entry, ...]:
    return tuple((source, kind, tool, text) for text in texts)


JUNK: dict[str, tuple[_Entry, ...]] = {
    "boot_file": _notes(
        "The {agent|assistant} must read SOUL.md {before anything else|at the start of every session|first}",
        "{Agent|Assistant|AI} {should|must} read USER.md and the {daily notes|recent daily note} {at session start|on start-up}",
        "The {assistant|agent}'s name is Lumen{| and its emoji is a lantern|, a lantern spirit in the machine}",
        "{Lumen|The agent} is a calm and curious {companion|assistant}; it is not a chatbot",
        "{The assistant|Lumen} {should|must} be helpful without flattery; it skips phrases like 'Great question'",
        "{Agent|Lumen} has opinions and {states|voices} them",
        "MEMORY.md {must not|should never} be loaded in {shared rooms|group chats} {because|since} it holds personal context",
        "Daily notes {are written|go|are stored} to memory/YYYY-MM-DD.md{| every day| by the agent}",
        "{Prefers|The agent prefers|Agent should prefer} trash over rm; destructive commands need {permission|asking first}",
        "{Never|The agent must never} exfiltrate private data{| from the workspace| or secrets}",
        "Agent wakes up fresh each session; {files|notes} are its {continuity|memory}",
        "{Mental notes do not survive|Mental notes are lost after} a restart; {write it down|everything is written down}",
        "In group chats {the agent|Lumen|the assistant} is a guest; it is not the voice of its human",
        "{Speak|The agent speaks} only when mentioned or when it adds real value; {stay|stays} silent in banter",
        "One emoji reaction at most per message {in groups|in group chats|on Discord}",
        "{The agent|Agent} stays quiet {at night|between 23:00 and 08:00} unless {it is|something is} urgent",
        "Heartbeats {should be|are} used productively; {check|checking} mail, calendar and weather in turn",
        "HEARTBEAT.md {says|instructs the agent} to check the inbox for urgent mail and the calendar for the next two hours",
        "{The|A} preferred voice for speech {output|is Nova, output} {is Nova|as TOOLS.md says}",
        "The SSH host {is called attic|attic} {with address|at} 192.168.7.20; {listed in TOOLS.md|cameras are porch and workshop}",
        "On Discord and WhatsApp {no tables are used|tables are avoided}; {bullet lists|lists} instead",
        "USER.md states {the name Dana Kovar|that the user is called Dana}; time zone Asia/Taipei",
        "助理{必須|应该|需要}在{每次會話|每个会话}開始時讀取 SOUL.md {和|以及} USER.md",
        "{代理|助手|助理}的名字是 Lumen，{是一個燈籠精靈|风格温暖简短}",
        "{助手|代理}{不得|不能|绝不}在群聊中載入 MEMORY.md",
        "{智能体|助理|代理}應該{簡短回答|保持简短}，不要說客套話",
        "You are Lumen{, a calm and curious companion|. You are becoming someone}. Be {resourceful|careful} before asking.",
        "You are a helpful {assistant|AI agent} with access to {tools|a workspace}; follow the rules in AGENTS.md",
        "The {agent|assistant} follows {rules|guidelines|instructions} {in|from|defined in} AGENTS.md; safety comes first",
        "Private things stay private; {the agent|Lumen} asks before acting outside the machine",
        "Skills {define|describe} how tools work; TOOLS.md {keeps|holds} what is special to {this set-up|the local setup}",
        "{The agent|Assistant} {is expected|is instructed|is required} to update AGENTS.md {when it learns a lesson|after mistakes}",
        "Agent's {persona|vibe|style|tone} is warm with dry humour{| and brevity|, brief}",
        "{Agent|The assistant} keeps answers short unless depth is {wanted|requested}",
        "{Earn|The agent earns} trust through competence; {bold|it is bold} with reading, careful with public posts",
        "Session {startup|start-up} {sequence|procedure}: read SOUL.md, USER.md, {daily notes|memory files} then MEMORY.md",
        "{Keep|The agent keeps} HEARTBEAT.md small; reply HEARTBEAT_OK if nothing needs attention",
        "User is called Dana; {pronouns they|they is the pronoun}; dislikes long introductions",
        "{Lumen|Agent} {never sends|must not send} half-finished replies to {a channel|messaging channels}",
        "Agent {reads files, checks context and searches|should check the file, the context and search} before asking",
    ),
    "system_dump": _notes(
        "The {agent|system} has access to {tools|the following tools}: read, write, edit, exec, browser, canvas, cron, message{|, nodes|, tts}",
        "Available tools include {web_search, web_fetch|memory_search, memory_get}, {exec|bash}, process, sessions_list, sessions_send{| and image}",
        "System architecture: gateway on port {18789|8080}, Qdrant vector store, {Ollama|OpenAI} embeddings, {SQLite|Postgres} history",
        "The memory pipeline {consists of|has}: extraction, embedding, storage and recall; {gemma2:2b|Claude Sonnet} does the extraction",
        '{"model": "claude-sonnet", "maxTokens": 8192, "tools": {"allow": ["read", "exec"], "deny": []}, "heartbeat": {"every": "30m"}}',
        '{"plugins": {"memory-lancedb": {"autoCapture": true, "autoRecall": true, "embedding": {"model": "text-embedding-3-small"}}}}',
        "Workspace contains: AGENTS.md, SOUL.md, USER.md, TOOLS.md, memory/, skills/, {canvas/|scripts/}, {config.json|package.json}",
        "├── AGENTS.md\n├── SOUL.md\n├── memory\n│   ├── 2026-03-0{1|2|3}.md\n│   └── 2026-03-0{4|5}.md\n└── skills",
        "Runtime: agent=main | host=attic | os=Linux {6.8|6.1} (x64) | node=v22.{12|14}.0 | model=claude-sonnet-4 | channel=telegram",
        "Environment: Node {20|22}, Python 3.11, Docker, {Tailscale|nginx}, systemd; gateway runs as a {user service|daemon}",
        "agents:\n  defaults:\n    model: {sonnet|opus}\n    workspace: ~/clawd\n    heartbeat:\n      every: 30m\n    sandbox: off",
        "The system {runs on|is hosted on} {a Mac mini|an Ubuntu server} with OpenClaw, Telegram {channel|integration}, cron jobs and a vector database",
        "系統{架構|组成}：網關、向量資料庫、{Ollama|OpenAI} 嵌入、記憶提取管線、定時任務",
        "可用工具：read、write、exec、browser、cron、{message|canvas}",
    ),
    "profile": _notes(
        "User is a software {developer|engineer} at {Google|Microsoft|Meta}",
        "User's name is {John Smith|Alex Chen|Sarah|Michael}",
        "User is {n} years old",
        "The user lives in {San Francisco|New York|Berlin}{| with their family|, California}",
        "User {works as|is employed as} a {data scientist|product manager|teacher}{| in a startup| at a large company}",
        "User has {two children|a wife named Emily|a dog named Max|three kids}",
        "用戶是{一名軟體工程師|谷歌的開發者|産品經理}",
        "用户{住在北京|叫王伟|今年{n}岁|有两个孩子|在上海工作}",
        "The user's job is {frontend|backend} development{| and they are based in Seattle|; the user is located in London}",
        "User studied {computer science|physics} at {Stanford|MIT} and {is from Canada|was born in 1990}",
    ),
    "heartbeat": (
        *_notes("HEARTBEAT_OK", "NO_REPLY", source=A, kind="reply"),
        *_notes(
            "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. If nothing needs attention, reply HEARTBEAT_OK.",
            source=O,
            kind="user",
        ),
        *_notes(
            "[OpenClaw heartbeat poll] {nothing pending|quiet}",
            "Heartbeat {check|poll} {completed|done}: no {urgent|new} {mail|messages}, calendar {clear|empty}",
            "Heartbeat at {n}:{n}: nothing needs attention",
            "No new {mail|email|messages} since the last {heartbeat|check}",
            source=S,
            kind="event",
        ),
        *_notes(
            "Agent replied HEARTBEAT_OK to {a|the} heartbeat poll",
            "{Checked|I checked} the inbox and calendar during the heartbeat; nothing {urgent|to report}",
            "心跳檢查{完成|正常}，沒有{新郵件|需要處理的事項}",
            source=A,
        ),
    ),
    "cron": (
        *_notes(
            "[cron:3b4b{n} {tea|mail|backup-check}] {ok|done|completed}",
            "[cron:9f{n} weather] no changes, nothing to do",
            "Cron job {mail-check|daily-digest|weather} ran {successfully|without errors}, nothing to {do|report}",
            "{Scheduled|Cron} {job|task} {backup|digest} finished in {n} ms, {no changes|no output}",
            "定時任務 {mail-check|digest} 已執行，{沒有變化|無需處理}",
            source=S,
            kind="event",
        ),
        *_notes(
            "The cron {job|task} {mail-check|weather} was executed {and|;} no action {was|is} {needed|required}",
            "Ran the {hourly|nightly|scheduled} {check|task}; nothing {new|changed}",
            "Next run of cron job {digest|tea} is {due|scheduled} at {n}:00",
            source=A,
        ),
    ),
    "transient": _notes(
        "{Currently|I am currently} running {the tests|the test suite|pytest}",
        "{Waiting|The agent is waiting} for the {build|CI|download|deploy} to finish",
        "About to restart the {gateway|server|service}",
        "The {build|download|index} is {n} % complete",
        "{Working|Agent is working} on {step|task} {n} of {12|99}",
        "Let me {check|look at|open} the {log|file|config} {first|now}",
        "User is {currently|now} {waiting for a reply|looking at the terminal|online}",
        "The agent is {now|currently} {reading|editing|opening} {config.py|main.ts|the README}",
        "正在{運行測試|等待構建|下載模型|编译项目}",
        "{Next, I will|I'll now|Now I will} {run|start} the {migration|linter|benchmark}",
        "Task {in progress|is still in progress}: {refactoring|syncing|indexing} ({n}/99)",
        "馬上要{重啟網關|重启服务}",
        source=A,
    ),
    "acknowledgement": (
        *_notes("ok", "thanks!", "好的，謝謝", "👍", "got it", "yes please", source=O, kind="user"),
        *_notes("Sure!", "Got it, thanks!", "Okay.", "Done!", "收到", "Understood.", source=A, kind="reply"),
        *_notes(
            "User {said|says} {thanks|ok|okay}",
            "{The user|User} {acknowledged|confirmed} {the message|it|receipt}",
            "Happy to help! Let me know if {you need anything else|there is anything else}.",
            "用戶表示{感謝|同意|知道了}",
            source=A,
        ),
    ),
    "metadata": _notes(
        'Conversation info (untrusted metadata):\n```json\n{\n  "message_id": "94{n}",\n  "sender_id": "98{n}"\n}\n```',
        "User's Telegram {id|user id} is 98765{n}",
        "{Message|The message} id is {n}1{n}; {chat|channel} id is -100{n}7{n}",
        "The {session key|session} is agent:main:{main|telegram:direct:98{n}}",
        "Sender (untrusted metadata):\n```json\n{\"label\": \"Dana ({n})\", \"username\": \"dana\"}\n```",
        "Timestamp of the message: {Mon|Tue|Fri} 2026-03-{n} {n}:00 UTC",
        source=A,
    ),
    "loop": (
        *_notes("{User|The user} prefers Vim{|.}", "User prefers Vim as {an|their} editor", "用戶偏好 Vim", source=A),
        *_notes(
            "{User|The user} likes Vim", "User's preferred editor is Vim", "Prefers Vim {over other editors|editor}",
            "{User|The user} {likes|prefers|favors} a formal communication style", source=I,
        ),
        *_notes(
            '{"results": [{"id": "m{n}", "text": "User prefers Vim", "score": 0.{n}}]}',
            source=T, kind="tool", tool="memory_search",
        ),
        *_notes(
            "<relevant-memories>\n1. [preference] User prefers Vim\n2. [other] Formal communication style\n</relevant-memories>",
            "Relevant memories:\n1. [preference] User prefers Vim ({n}%)\n2. [fact] Dana uses {tabs|spaces} (81%)",
            source=A,
        ),
    ),
}  # fmt: skip
"""By category: source, kind, tool and wording. ``{a|b}`` is a choice, ``{n}`` a number."""

RECALLED = ("User prefers Vim", "The user prefers a formal communication style")
