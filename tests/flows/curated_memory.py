"""A memory that an owner keeps by hand, in English and Chinese, and the chatter of tools beside it."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

NOTES: dict[str, tuple[str, ...]] = {
    "Who I am": (
        "**Name:** Wren",
        "**Human:** Ines Carvalho",
        "**Mailbox:** wren@post.example",
        "calm, dry humour",
    ),
    "Ines": (
        "Time zone: Europe/Lisbon",
        "Likes short answers",
        "vegetarian",
        "allergic to peanuts",
        "Coffee black, tea with milk",
        "Left-handed",
        "Sister: Marta, lives in Porto",
        "Birthday: 14 March",
        "Works Tuesdays from home",
        "Reads Ursula K. Le Guin",
        "No calls before ten",
        "Metric units only",
    ),
    "House rules": (
        "Ask first before anything leaves this machine",
        "Back up before every change",
        "Never push to main",
        "Scheduled job: nightly backup",
        "One question at a time",
        "No emoji in mails",
        "Keep secrets out of the notes",
        "Say so when unsure",
        "**NO SUB-AGENTS (Ines, 10 Feb).** Do it yourself.",
    ),
    "Machines": (
        "heron: the server in the cellar, Debian 13",
        "kestrel: laptop, Fedora",
        "The printer hates duplex",
        "Router: admin page on port 8443",
        "Backups go to the attic disk",
        "Heating is on the second relay",
    ),
    "People": (
        "**Arno** — writes the framework for accounts",
        "**Hazel** — security, RFC together with us",
        "**Mr Almeida** has the spare key",
        "Dentist: Dr. Sousa",
        "Tim is the plumber",
    ),
    "伊内斯": (
        "時區：里斯本",
        "不吃辣",
        "喜歡簡短的回答",
        "吃素",
        "左撇子",
        "生日三月十四日",
        "咖啡不加糖",
        "妹妹住在波爾圖",
        "每週二在家工作",
        "十點以前不要打電話",
    ),
    "約定": (
        "對外發送前先問",
        "改動之前先備份",
        "不要用表情符號",
        "一次只問一個問題",
        "不确定就直说",
        "备份放在阁楼的硬盘",
        "服务器在地窖，名叫苍鹭",
        "備用鑰匙在阿爾梅達先生那裡",
        "牙医是索萨医生",
        "打印机不要双面打印",
    ),
}
"""The notes of each heading: what an owner writes is short, and each line counts."""

FACTS = tuple(note for notes in NOTES.values() for note in notes)

_DONE = ("looked at", "listed", "tidied", "checked", "renamed a file of", "read the log of", "restarted")
_THINGS = (
    "the feed reader", "the photo sorter", "the garden sensor", "the wiki", "the mail filter",
    "the music box", "the recipe page", "the calendar sync",
)  # fmt: skip


def page() -> str:
    """Return the notes as a Markdown page."""
    parts = [f"## {title}\n\n" + "\n".join(f"- {note}" for note in notes) for title, notes in NOTES.items()]
    return "# Memory\n\n" + "\n\n".join(parts) + "\n"


def chatter(rows: int, *, start_ms: int) -> list[dict[str, Any]]:
    """Return rows as a tool leaves them: what was done, and to what."""
    said = (f"{done} {thing}, step {step}" for step, done, thing in product(range(rows), _DONE, _THINGS))
    return [
        {"ts": start_ms + at * 60_000, "kind": "tool", "tool_name": "exec", "summary": text}
        for at, text in enumerate(islice(said, rows))
    ]
