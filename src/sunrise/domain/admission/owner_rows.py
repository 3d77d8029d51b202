"""Rows in the owner's name that hold no word of his, or only a greeting: envelopes, prompts, thanks."""

from __future__ import annotations

import re

from sunrise.domain.turns import Origin, owner_text, says_something


def is_bare_envelope(text: str) -> bool:
    """
    Return whether a turn is only what a channel puts around a message: time, ids, a picture without words.

    >>> is_bare_envelope("[media attached: /in/a.jpg (image/jpeg)]"), is_bare_envelope("see <media:image> 3")
    (True, False)
    """
    inner, origin = _without_envelope(text)
    if origin is Origin.CRON:
        return False
    return (not inner and inner != text.strip()) or _ONLY_MARKS.fullmatch(text) is not None


def owner_says_nothing(text: str) -> bool:
    """
    Return whether a turn of the owner, envelope or not, only acknowledges, greets or tells to go on.

    >>> [owner_says_nothing(text) for text in ("[Fri 2026-11-27 21:00 UTC] thx", "fair enough", "go to Rome")]
    [True, True, False]
    """
    inner, origin = _without_envelope(text)
    inner = _QUEUED.sub("", inner)
    if origin is not Origin.OWNER or not inner or len(inner) > _SHORT:
        return False
    plain = inner.casefold()
    if not says_something(inner) or any(shape.fullmatch(plain) for shape in (_CIVIL, _NAMED)):
        return True
    return _SCRAP.fullmatch(inner) is not None


def is_scheduled_prompt(text: str) -> bool:
    """
    Return whether a turn is the prompt of a scheduled job, known by what the gateway says of its answer.

    >>> is_scheduled_prompt("Tea. Return your output as plain text; it will be delivered automatically.")
    True
    """
    if len(text) > _PROMPT:
        return False
    return _DELIVERED.search(text) is not None or _JOB_NOW.fullmatch(text) is not None


def is_beat_prompt(text: str) -> bool:
    """
    Return whether a turn asks for a heartbeat: it names the file to follow and the answer when all is quiet.

    Where the owner speaks of himself, or of more than that, he is heard.

    >>> is_beat_prompt("Heartbeat 10:00. Follow HEARTBEAT.md. If all is quiet: HEARTBEAT_OK")
    True
    >>> is_beat_prompt("Heartbeat: I moved the list of HEARTBEAT.md, still answer HEARTBEAT_OK if quiet")
    False
    """
    if len(text) > _PROMPT or "HEARTBEAT.md" not in text or "HEARTBEAT_OK" not in text:
        return False
    if _QUIET.search(text) is None or _HIMSELF.search(text) is not None:
        return False
    return len(text) <= _BRIEF or _BEAT.match(text) is not None


def _without_envelope(text: str) -> tuple[str, Origin]:
    turn = owner_text(_ID_LINE.sub("", text))
    inner = _MEDIA.sub(" ", turn.text)
    if inner != text.strip():
        inner = _SENDER.sub("", inner.strip(), count=1) if turn.text != text.strip() else inner
    return inner.strip(), turn.origin


_SHORT = 48
_BRIEF = 100
_PROMPT = 400

_ONLY_MARKS = re.compile(
    r"\s*(?:\[[^\]\n]{1,80}\]\s*[^\W\d]{0,12}\s*#?\d*\s*(?:[(（]?\d{1,2}:\d\d[)）]?)?\s*[:：]?\s*)"
    r"(?:\[[^\]\n]{1,40}\]|[(（]\d{1,2}:\d\d[)）])\s*"
    r"|\s*\[(?:reacted|reaction|sticker|image|photo|voice|audio|video|file|location|contact|queued"
    r"|missed call"
    r"|貼圖|贴图|圖片|图片|語音|语音|影片|视频|檔案|文件|位置|通話|通话)\b[^\]\n]{0,80}\]\s*"
    r"(?:[^\W\d]{0,12}\s*#?\d+)?\s*(?:[(（]\d{1,2}:\d\d[)）])?\s*",
    re.IGNORECASE,
)
"""A row of brackets, with at most who, which number and when beside them."""

_QUEUED = re.compile(r"(?:\[Queued [^\]\n]{1,60}\]|\n?-{3,}|\n?Queued #\d+|^\s+)\n?", re.IGNORECASE)
_SCRAP = re.compile(
    r"[^\S\n]*(?:[a-zäöüß]{1,10}\d?|\d[A-Za-z]|[a-zäöüß]{1,8} [a-z]{1,6}|[\u3400-\u9fff]{1,3}"
    r"|(?:[謝谢感多]{1,2}[謝谢]|辛苦了?) ?[\w]{1,8})[!?~.。！？～ ]*"
)
"""One or two small words, no name, or up to three characters: they tell nothing without what was asked."""

_JOB_NOW = re.compile(
    r"\W*(?:(?:please )?(?:run|execute|start|trigger) the )?(?:scheduled|recurring|cron)"
    r" (?:job|task|run)\b[: ]"
    r"[\w\s\"'`-]{1,60}[.!]?\s*|\W*(?:執行|执行)?(?:排程|定時|定时)(?:任務|任务|工作)?[:： ][\w -]{1,40}\W*",
    re.IGNORECASE,
)
_MEDIA = re.compile(r"<media:\w+>")
_ID_LINE = re.compile(r"\n\[message_id: [\w:.-]{1,100}\]\s*\Z")
_SENDER = re.compile(r"[\w.-]{1,24}: (?=\S)")
_DELIVERED = re.compile(
    r"\bReturn your (?:\w+ )?(?:summary|response|output|answer|reply) as plain text\b[\s\S]{0,40}"
    r"\bdelivered automatically\b"
)
_BEAT = re.compile(
    r"\W*(?:\[?heartbeat\b|read heartbeat\.md|check heartbeat\.md|心跳|定期檢查|定期检查)", re.IGNORECASE
)
_QUIET = re.compile(
    r"\b(?:nothing|quiet|fine|no(?:ne| (?:news|action|issues?)))\b|沒事|没事|無事|无事|正常|沒有|没有",
    re.IGNORECASE,
)
_HIMSELF = re.compile(
    r"\b(?:I|I'm|me|my|we|our|from now|instead|please stop|but|except|also)\b|我|改|但|除了|另外"
)

_GREETING = (
    r"(?:hi|hello|hey|moin|hallo|good (?:morning|evening|night|afternoon)|morning|night|bye|ciao|see you|ty"
    r"|thx|cheers|thanks(?: a lot| so much)?|thank you(?: so much)?|many thanks|well done|good job"
    r"|nice(?: one| work)?)"
)
_SPACE = r"[,.!?~～。！？，、 👍🙏]"
_CIVIL = re.compile(
    rf"(?:{_SPACE}|\b{_GREETING}\b|\b(?:later|next|tschüss|bis später|carry on|go on|go ahead|keep going"
    r"|proceed|continue|fair enough|makes sense|sounds good|all good|no problem|will do|understood|agreed"
    r"|alright|right|ok(?:ay)?|cool|great|super|perfect|please)\b"
    r"|辛苦了?|謝啦|谢啦|瞭解|了解|好喔|好哦|好啊|早安?|早上好|晚安|掰掰|拜拜|沒問題|没问题|麻煩了|麻烦了"
    r"|繼續吧?|继续吧?|請繼續|请继续|收到|謝謝|谢谢|多謝|多谢|是的|可以|好的?)+"
)
# A name may follow a greeting, where nothing else is there.
_NAMED = re.compile(rf"{_GREETING},? \w{{2,12}}{_SPACE}*")
