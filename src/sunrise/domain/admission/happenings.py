"""Marks that something happened, was decided or has a reason: standing rules and passing states lack them."""

from __future__ import annotations

import re


def tells_trouble(text: str) -> bool:
    """
    Return whether a text tells of something that went wrong, or of a finding.

    >>> tells_trouble("the beat found a firing alert"), tells_trouble("the beat found no alerts")
    (True, False)
    """
    return _TROUBLE.search(_NO_TROUBLE.sub(" ", text.lower())) is not None


def tells_happening(text: str) -> bool:
    """
    Return whether a text tells what happened once, or why something is as it is.

    >>> [tells_happening(text) for text in ("Moved the job, because it collided", "The job is moved by hand")]
    [True, False]
    """
    lower = text.lower()
    if _REASON.search(lower) or _HAN_HAPPENED.search(lower):
        return True
    return any(not _PASSIVE.search(lower[: match.start()]) for match in _PAST.finditer(lower))


def tells_duty(text: str) -> bool:
    """
    Return whether a text says what the agent must, may or does at all times: a reason makes it no event.

    >>> tells_duty("The agent must write it down, because notes get lost"), tells_duty("It wrote it down")
    (True, False)
    """
    return _DUTY.match(text.lower()) is not None


_DUTY = re.compile(
    r"\W*(?:the )?(?:ai )?(?:agent|assistant|bot)(?:'s \w+)?"
    r" (?:must|should|needs? to|has to|may|can|is (?:not )?(?:to|allowed"
    r"|forbidden|required|expected)|never|always|does not|doesn't|prefers|avoids"
    r"|stays|admits|keeps|asks|writes)\b"
    r"|\W*(?:ai ?)?(?:助理|代理|智能[體体]|助手|機器人|机器人)(?:都|也|在\S{0,10})?"
    r"(?:要|必[須须]|不得|不可|不能|不|可以|應|应"
    r"|[會会]|只|先|需)"
)
_TROUBLE = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?|errors?|err_\w+|exceptions?|crash(?:ed|es)?|timed? ?outs?"
    r"|exit(?:ed)? (?:code )?[1-9]"
    r"|refused|rejected|denied|unreachable|offline since|corrupt\w*|lost|missed|missing|broken|broke"
    r"|aborted|stuck|ran out of|out[ -]of[ -]memory"
    r"|killed|oom|firing|overdue|expired|conflicts?|deprecated|panic\w*|race|leak\w*|degraded|spike\w*"
    r"|outage"
    r"|wrong|mismatch|(?:http|status|code|returns?|returned|answers?|answered|got) [45]\d\d)\b"
    r"|失敗|失败|錯誤|错误|故障|異常|异常|逾時|超时|中斷|中断|拒絕|拒绝|遺失|丢失|崩潰|崩溃|過期|过期|遲到|迟到|衝突|冲突|告警[：:]"
)
_NO_TROUBLE = re.compile(
    r"\b(?:no|not|none|without|zero|0|never|nothing) (?:[\w-]+,? (?:or |and )?){0,3}?(?:fail\w*|errors?"
    r"|alerts?|conflicts?|missing|missed|overdue)"
    r"|(?:沒有|没有|無|无|未)(?:任何|發現|发现|出現|出现|新的?)*(?:失敗|失败|錯誤|错误|故障|異常|异常|告警|逾時|超时)"
)
_REASON = re.compile(
    r"\b(?:because|lesson(?! learned goes)|mistakes? of|root cause|workaround|instead of|agreed|decided"
    r"|decision\b(?=[^\]])"
    r"|since (?:then|the|monday|tuesday|\d)|turns? out|so that|until (?:then|the|\d|[a-z]+ is)"
    r"|no longer|from now on"
    r"|as of|nowadays|tomorrow|next (?:week|month|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday))\b"
)
_HAN_HAPPENED = re.compile(
    r"(?:使用者|用[戶户]|主人|[她他姊哥])[說说](?![明話话])|因為|因为|所以|導致|导致|教訓|教训|原因|決定|决定|(?<![不得未])同意|提到|說過|说过|要求增加|改[成為为用到走由]|已經|已经"
    r"|(?:移除|加入|更換|更换|完成|修正|修好|修復|修复|更新|升級|升级|關閉|关闭|刪除|删除|結束|结束|發現|发现|上次|昨天|明天|下週|下周|上週|上周)了?"
)
_PAST = re.compile(
    r"\b[a-z]{2,}(?<!e)ed\b|\b(?:was|were|did|had|went|came|took|got|found|said|told|wrote|made|sent|paid|bought|sold|chose"
    r"|kept|lost|broke"
    r"|fell|rose|grew|began|ran|gave|brought|built|caught|held|led|left|met|saw|spent|stood|thought"
    r"|threw|woke|won"
    r"|set up|shut down|stayed|cost|dropped)\b"
)
_PASSIVE = re.compile(
    r"\b(?:is|are|be|been|being|isn't|aren't|get|gets|must|should|may|can|never|not|an?|the|only|always"
    r"|as|when|if|unless|has to be)"
    r"(?: (?:be|not|only|always|never|also|[a-z]+ly|[a-z]+ed|and|or|,))* $|[-/]$"
)
