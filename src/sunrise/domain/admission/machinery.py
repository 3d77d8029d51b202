"""What a gateway and an agent write of their own works: beats, timers, sessions, settings."""

from __future__ import annotations

import re

from sunrise.domain.admission.figures import told_figures
from sunrise.domain.admission.happenings import tells_trouble
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.wording import opens_with_event


def tick_of(statement: str, ts_ms: int) -> RuleName | None:
    """
    Return which part of the works ticks in a statement that tells of nothing else, or None.

    A figure that is no time, an error, a reason or a change makes it news.

    >>> tick_of("The heartbeat ran at 12:11, no items required attention.", 0).value
    'heartbeat'
    >>> tick_of("The heartbeat found 3 alerts", 0) is tick_of("Moved the cron job, it collided", 0) is None
    True
    """
    lower = statement.lower()
    if len(lower) > _SHORT:
        return None
    kind = next((kind for kind, about in _ABOUT if about.search(lower)), None)
    if kind is None or not (_QUIET.search(lower) or _TICKS.search(lower)):
        return None
    if opens_with_event(lower) or _CHANGE.search(lower) or tells_trouble(statement):
        return None
    return None if told_figures(_STATES.sub(" ", statement), ts_ms) else kind


def lists_settings(text: str) -> bool:
    """
    Return whether a text is an inventory: items in a row, many of them the works' own words or settings.

    >>> lists_settings("Hooks: boot-md on, command-logger on, session-memory off")
    True
    >>> lists_settings("Bought bread, milk, tea and a plugin for the kettle")
    False
    """
    lower = text.lower()
    if len(lower) > _LONG or opens_with_event(lower) or tells_trouble(text) or _CHANGE.search(lower):
        return False
    items = [item for item in _ITEM.split(lower) if item.strip()]
    if len(items) < _FEWEST_ITEMS:
        return False
    own = set(_OWN.findall(lower))
    settings = sum(_SETTING.search(item) is not None for item in items)
    if len(own) >= _FEWEST_OWN or (len(own) >= _OWN_OF_SETTINGS and settings * 2 >= len(items)):
        return True
    return settings * 4 >= len(items) * 3 and bool(own - _OF_OTHERS)


_SHORT = 240
_LONG = 600
_FEWEST_ITEMS = 3
_FEWEST_OWN = 3
_OWN_OF_SETTINGS = 2

_ABOUT = (
    (RuleName.HEARTBEAT, re.compile(r"heart ?beat|\bbeat\b|心跳|輪詢|轮询")),
    (
        RuleName.CRON_CHATTER,
        re.compile(
            r"\bcron\b|\bscheduled? (?:\w+ )?(?:job|task|run|check|reminder)s?\b|\bjobid\b|\btimer\b"
            r"|排程|定時任|定时任|計劃任務|计划任务"
        ),
    ),
    (
        RuleName.TRANSIENT_STATE,
        re.compile(
            r"\bsession\b|\btool call\b|\bsub-?agent (?:run|is)|\bcontext (?:window|was)|\btyping\b"
            r"|\bqueue\b"
            r"|對話|对话|會話|会话|工具呼叫|工具调用"
        ),
    ),
)
_NONE = r"(?:no|nothing|none|without|zero|not|never|nobody)"
_QUIET = re.compile(
    rf"\b{_NONE}\b|\bok\b|\bok-token\b|heartbeat_ok|no_reply|\bsilent\b|\bquiet\b|\bfine\b|\bclear\b"
    rf"|\bunchanged\b|\bempty\b"
    r"|\bskipped\b|\bidle\b|沒有|没有|無|无|未|正常|一切|靜默|静默|安靜|安静"
)
_TICKS = re.compile(
    r"\b(?:ran|runs?|running|done|completed?|finished|started|starts|began|begun|opened|triggered|fired"
    r"|armed|woken|woke"
    r"|executed|ended|resumed|pending|waiting|due|next|active|isolated|polled|answered|delivered|sent"
    r"|queued)\b"
    r"|執行|执行|完成|觸發|触发|開始|开始|結束|结束|啟動|启动|喚醒|唤醒|等待|下次|送出"
)
_CHANGE = re.compile(
    r"\b(?:because|moved|changed|switched|decided|decision|from now on|instead|lesson|renamed|added"
    r"|removed|raised|lowered"
    r"|disabled since|must|should|wants?|asked|agreed|reported)\b"
    r"|因為|因为|改[成為为到]|決定|决定|教訓|教训|要求|新增"
)
_STATES = re.compile(
    r"\b\w*ms\b\W{0,2}\d+|\"\w+\":\s*\"?\d[\d.:]*|#?\d+ (?:jobs?|sessions?|items?)\b|\(\d+ (?:of"
    r"|/) \d+\)",
    re.IGNORECASE,
)

_ITEM = re.compile(r"[,、，;；|·\n]+")
_SETTING = re.compile(
    r"^\s*[a-z][\w.-]* \d[\d.,]*k?(?: \w+)?\s*$|[:=] ?\S|\b(?:on|off|enabled|disabled|none|true|false"
    r"|default|auto|local|token|loopback|paired|isolated|safeguard)\s*[.)]?\s*$"
    r"|啟用|停用|启用|禁用|關閉|关闭|開啟|开启"
)
_OF_OTHERS_WORDS = """
    queue heartbeat model models provider session tokens browser channel
    channels node= vector nodes exec skill skills
    workspace 模型 頻道 频道
    """
_OF_OTHERS = frozenset(_OF_OTHERS_WORDS.split())
"""Words of the works that many other things have too."""

_OWN = re.compile(
    r"\b(?:openclaw|queue|heartbeat|debounce|ackmaxchars|activehours|lane|bootstrap|hooks?|skills?|plugins?|gateway|provider|models?|fallback|sandbox|compactions?"
    r"|context window|bootstrap|session|elevated"
    r"|thinking|maxresults|maxconcurrent|max[a-z]{4,}|chunk|overlap|embeddings?|vector|memory-core"
    r"|memorysearch|allowlist|loopback"
    r"|cron jobs?|subagents?|channels?|tokens|canvas|voicewake|nodes|browser|exec|node=|runtime"
    r"|agents\.md|soul\.md|user\.md"
    r"|tools\.md|heartbeat\.md|identity\.md|memory\.md|workspace|systemd|mcp|tts)(?![\w-])"
    r"|閘道|网关|技能|外掛|插件|子代理|記憶體?搜尋|工作區|工作区|排程有|頻道|频道|模型"
)
