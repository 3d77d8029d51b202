"""What an automation and an agent say without saying anything: polls, thanks, the step of a moment."""

from __future__ import annotations

import re

from sunrise.domain.admission.wording import claim_of, tells_event
from sunrise.domain.turns import Origin, is_silent_reply, owner_text, says_something


def is_heartbeat_prompt(text: str) -> bool:
    """Return whether a text is the gateway's prompt of a heartbeat, in full form."""
    return owner_text(text).origin is Origin.HEARTBEAT


def is_cron_prompt(text: str) -> bool:
    """Return whether a text is the gateway's prompt of a scheduled job, in full form."""
    return owner_text(text).origin is Origin.CRON


def is_heartbeat(text: str) -> bool:
    """
    Return whether a text tells that a heartbeat found nothing, or is its prompt or its silent reply.

    >>> is_heartbeat("HEARTBEAT_OK"), is_heartbeat("Heartbeat monitor of bed 3: no new alarms")
    (True, False)
    """
    if is_silent_reply(text) or is_heartbeat_prompt(text):
        return True
    claim = claim_of(text)
    return len(claim) <= _SHORT and not tells_event(claim) and _QUIET_BEAT.search(claim) is not None


def is_cron_chatter(text: str) -> bool:
    """
    Return whether a text tells that a scheduled job ran and that nothing came of it, or is its prompt.

    >>> is_cron_chatter("Cron job tea ran, nothing to do"), is_cron_chatter("Cron job tea failed, no output")
    (True, False)
    """
    claim = claim_of(text)
    if tells_event(claim):
        return False
    return is_cron_prompt(text) or (len(claim) <= _SHORT and _QUIET_JOB.search(claim) is not None)


def is_acknowledgement(text: str) -> bool:
    """
    Return whether a text only acknowledges, or tells that someone did.

    >>> is_acknowledgement("Got it, thanks!"), is_acknowledgement("User confirmed the price of 40 euros")
    (True, False)
    """
    if len(text) > _SHORT:
        return False
    return says_nothing(text) or _POLITE.fullmatch(claim_of(text).strip()) is not None


def says_nothing(text: str) -> bool:
    """Return whether a text is empty, a slash command or a mere acknowledgement."""
    return len(text) <= _SHORT and not says_something(text)


def is_transient(text: str) -> bool:
    """
    Return whether a text tells the step of a moment and no result.

    >>> is_transient("Currently running the tests"), is_transient("Waiting time of the insurance is 30 days")
    (True, False)
    """
    claim = claim_of(text)
    if len(claim) > _SHORT or tells_event(claim):
        return False
    return _OPENS_MOMENT.match(claim) is not None or _MOMENT.search(claim) is not None


def is_still_running(text: str) -> bool:
    """
    Return whether a tool's answer is only that its command has not ended.

    >>> is_still_running("Command still running (session calm-otter, pid 12). Use process to poll.")
    True
    >>> is_still_running("Command still running after 40 minutes: lock held by pid 12")
    False
    """
    return len(text) <= _SHORT and _RUNNING.match(text) is not None


RUNNING_GATE = r"(?:Command|Process) (?:is )?still running"
"""What stands in every text that :func:`is_still_running`, in what ``re`` and RE2 both read."""

_RUNNING = re.compile(rf"\s*{RUNNING_GATE} \([^)]*\)\.?(?: Use \w+[^.]*\.?)?\s*\Z")

_MOMENT_HINTS_WORDS = """
    current now present still wait work run check look about progress percent complet done finish
    through step task part file let next will i'll i'm i am middl 正在 等待 马上 即将
    """
MOMENT_HINTS = frozenset(_MOMENT_HINTS_WORDS.split())
"""Index terms of which one is in every text that :func:`is_transient`."""

_SHORT = 160

_NOTHING = (
    r"(?:nothing|no (?:new|urgent|unread|changes?|action|output|updates?|pending|work|response|reply)|all (?:"
    r"clear|quiet|good)|quiet|(?:is|was|calendar|inbox) (?:clear|empty)|not? (?:needed|required))"
)
_QUIET_BEAT = re.compile(
    r"\bheartbeat_ok\b|\bno_reply\b|\[openclaw heartbeat poll\]"
    rf"|\bheartbeat(?: (?:check|poll|run|at|cycle))[^.]*?{_NOTHING}|{_NOTHING}[^.]*?\bheartbeat\b"
    rf"|\bduring the heartbeat\b[^.]*{_NOTHING}"
    r"|^no (?:new |unread |urgent )+(?:e?-?mails?|messages?|notifications?|events)\b"
    r"|心跳[^。]*(?:正常|完成|沒有|没有|無|无)"
)
_JOB = r"(?:cron|scheduled|hourly|nightly|daily|periodic|recurring) (?:job|task|check|run)"
_QUIET_JOB = re.compile(
    rf"\[cron:[^\]]*\][^.]*?(?:\bok\b|\bdone\b|\bcompleted\b|{_NOTHING})"
    rf"|\b{_JOB}\b[^.]*?{_NOTHING}|\bnext run of (?:the )?cron"
    r"|(?:定時|定时|排程|计划)任[務务][^。]*(?:沒有|没有|無需|无需|無變|无变)"
)
CRON_GATE = (
    rf"(?i:\[cron:|\[openclaw cron|next run of|{_JOB}[^.]*?{_NOTHING})"
    r"|(?:定時|定时|排程|计划)任"
)
"""How every text looks that :func:`is_cron_chatter`; many speak of a nightly run that had something to do."""

_POLITE = re.compile(
    r"(?:happy|glad) to (?:help|assist)\b.{0,80}|(?:please )?let me know if\b.{0,60}|you'?re welcome\b.{0,40}"
    r"|(?:understood|noted|acknowledged|no problem|of course|will do|sounds good|absolutely|certainly)[.! ]*"
    r"|(?:the )?(?:user|human|agent|assistant) (?:said|says|replied|responded with|expressed|acknowledged"
    r"|confirmed)(?: (?:thanks?|thank you|ok|okay|yes|no|it|the message|receipt|gratitude"
    r"|understanding|agreement))?[.! ]*"
    r"|用[戶户](?:表示|說|说)?(?:感謝|感谢|同意|知道了|收到|好的|確認|确认)[。！]*"
)
_VERB = (
    r"(?:running|waiting|working|checking|loading|downloading|building|compiling|testing|opening|installing|"
    r"syncing|indexing|refactoring|processing|debugging|fetching|uploading|restarting|searching|analy[sz]ing|"
    r"online|typing|executing|starting|looking at"
    r"|(?:reading|editing|writing|reviewing) (?:the |a |its )?(?:\S+\.\w{1,4}\b|files?|logs?|config|readme"
    r"|code|docs?))"
)
_WHO = r"(?:(?:i am|i'm|we are|we're|(?:the )?(?:agent|assistant|ai|user|human|system)(?: is)?) )?"
_OPENS_MOMENT = re.compile(
    rf"{_WHO}(?:currently|now|presently|still) {_VERB}\b"
    rf"|{_WHO}(?:waiting (?:for|on)|working on|running the|checking the|looking into|in the middle of)\b"
    rf"|{_WHO}about to \w+"
    r"|(?:ok(?:ay)?,? )?let me (?:now |first |quickly )?(?:check|look|open|run|see|read|try|search|find|fix|"
    r"start|verify|test|inspect|fetch|pull|grep)\b"
    r"|(?:next,? )?(?:i will|i'll|now i(?: will|'ll)?|next i|i'm going to|i am going to) (?:now )?"
    r"(?:run|start|check|look|open|try|read|test|build|search|install|restart|write|update|fix|begin|continue)\b"
    r"|我?(?:目前|現在|现在)?正在|等待"
)
_MOMENT = re.compile(
    r"\bin progress\b|\b\d{1,3} ?(?:%|percent) (?:complete|done|finished|through)\b"
    r"|\b(?:step|task|part|file) \d+ (?:of|/) ?\d+\b|(?:馬上|马上|即將|即将)要?\S"
)
