"""The rules of admission as data: what each is about, whose rows it may touch, and how it sees them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sunrise.domain.admission import chatter
from sunrise.domain.admission.bare_records import (
    EMPTY_GATE,
    EMPTY_HINTS,
    LISTING_GATE,
    RECORD_GATE,
    is_bare_record,
    is_empty_answer,
    is_listing,
    is_state_write,
)
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.machinery import lists_settings
from sunrise.domain.admission.owner_rows import (
    is_bare_envelope,
    is_beat_prompt,
    is_scheduled_prompt,
    owner_says_nothing,
)
from sunrise.domain.admission.profiles import OwnerSaid, is_unsupported_profile
from sunrise.domain.admission.recall_loops import (
    INJECTED_GATE,
    is_recalled,
    is_search_result,
)
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.set_up import (
    OWN_WORKS_GATE,
    SET_UP_HINTS,
    is_dump,
    is_metadata,
    is_own_works,
    is_set_up,
)
from sunrise.domain.admission.wording import claim_of, opens_with_event
from sunrise.domain.memory_tools import is_answer_of_memory

OWNER = "operator"
"""The source kind of what the owner said."""

DERIVED = frozenset({"agent", "import", "system", "web"})
"""The source kinds of rows that are neither the owner's nor a tool's: words made from other words."""

MADE = DERIVED - {"web"}
"""Of these, the source kinds of what the agent and its gateway make up themselves."""

FOR_OWNERS_NOTES = frozenset({RuleName.ONLY_REDACTED})
"""
The rules for what stands in ``MEMORY.md`` and ``USER.md``.

The others are about turns of a conversation: "vegetarian" is a scrap as a turn, and a fact in a file.
"""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a rule may know beside the row: the agent's boot files, and whether the owner said some words."""

    boot_files: BootFiles
    owner_said: OwnerSaid
    boot_files_for_notes: BootFiles | None = None
    """The boot files that are no memory files, with which notes of memory files are compared; else all."""

    def boot_files_for(self, candidate: Candidate) -> BootFiles:
        """Return the boot files with which a row is compared: never the file that it stands in."""
        own = self.boot_files_for_notes if candidate.is_note else None
        return own or self.boot_files


@dataclass(frozen=True, slots=True)
class AdmissionRule:
    """
    One row of the table.

    ``origins`` are the source kinds that it applies to. ``fires`` is asked only where one of ``hints``, index
    terms, is in the row; without hints it always is. ``gate`` says, in what ``re`` and RE2 both read, how
    every text looks that it may fire on: only rules that apply to tools need one.
    """

    name: RuleName
    meaning: str
    origins: frozenset[str]
    fires: Callable[[Candidate, Surroundings], bool]
    hints: frozenset[str] = frozenset()
    gate: str = ""


SPOKEN_GATE = (
    r"(?i:^\W*(?:\[[a-z ]{1,20}\]\W*)?(?:[a-z ]{1,40}: )?(?:the )?(?:ai )?"
    r"(?:user|owner|agent|assistant|bot)(?:'s)? [a-z])"
    r"|^\W*(?:[一-鿿]{1,8}[:：])?(?:使用者|用户|用戶|主人|助理|代理|智能体|智能體|助手)"
)
"""How every row of a tool begins that speaks of the user or of the agent, as an extractor does."""

_SPOKEN = re.compile(SPOKEN_GATE)


def speaks_as_extractor(candidate: Candidate) -> bool:
    """Return whether a row of a tool or of the web tells of the user or the agent in the third person."""
    return candidate.source_kind in _BORNE and _SPOKEN.match(candidate.text) is not None


def gate_pattern() -> str:
    """
    Return a pattern, in what ``re`` and RE2 both read, for the tool rows that must be judged one by one.

    A text that it does not match is left alone by every rule that looks at the texts of tools.
    """
    return "|".join((SPOKEN_GATE, *(rule.gate for rule in RULES if rule.gate)))


def _never(_candidate: Candidate, _around: Surroundings) -> bool:
    return False


def _comes_from_memory(candidate: Candidate, _around: Surroundings) -> bool:
    if is_recalled(candidate.text) or is_answer_of_memory(candidate.tool_name, candidate.text):
        return True
    return candidate.source_kind != "tool" and is_search_result(candidate.text)


def _is_heartbeat(candidate: Candidate, _around: Surroundings) -> bool:
    if candidate.source_kind == OWNER:
        return chatter.is_heartbeat_prompt(candidate.text) or is_beat_prompt(candidate.text)
    return chatter.is_heartbeat(candidate.text) or is_state_write(candidate.text)


def _is_cron_chatter(candidate: Candidate, _around: Surroundings) -> bool:
    if candidate.source_kind == OWNER:
        return chatter.is_cron_prompt(candidate.text) or is_scheduled_prompt(candidate.text)
    return chatter.is_cron_chatter(candidate.text)


def _is_acknowledgement(candidate: Candidate, _around: Surroundings) -> bool:
    text = candidate.text
    if candidate.source_kind != OWNER:
        return chatter.is_acknowledgement(text)
    return chatter.says_nothing(text) or owner_says_nothing(text) or is_bare_envelope(text)


def _is_only_redacted(candidate: Candidate, _around: Surroundings) -> bool:
    left = _MARK.sub(" ", candidate.text)
    if left == candidate.text:
        return False
    return all(
        word in _NAMES_OF_SECRETS for word in _WORD.findall(_HAN_NAMES_OF_SECRETS.sub(" ", left.lower()))
    )


def _restates_boot_file(candidate: Candidate, around: Surroundings) -> bool:
    if candidate.source_kind == "tool":
        return around.boot_files.quotes(candidate.text)
    boot = around.boot_files_for(candidate)
    if boot.restates(candidate.terms):
        return not opens_with_event(claim_of(candidate.text))
    return not boot.hints.isdisjoint(candidate.terms.split()) and boot.has_shape(candidate.text)


def _is_unsupported_profile(candidate: Candidate, around: Surroundings) -> bool:
    return is_unsupported_profile(candidate.text, around.owner_said)


def _is_system_dump(candidate: Candidate, _around: Surroundings) -> bool:
    text = candidate.text
    if is_bare_record(text) or is_listing(text):
        return True
    if candidate.source_kind == "tool":
        return is_own_works(text)
    if is_dump(text) or lists_settings(text) or is_own_works(text):
        return True
    return not SET_UP_HINTS.isdisjoint(candidate.terms.split()) and (is_set_up(text) or is_metadata(text))


def _is_transient(candidate: Candidate, _around: Surroundings) -> bool:
    if candidate.source_kind == "tool":
        return chatter.is_still_running(candidate.text) or is_empty_answer(candidate.text)
    return chatter.is_transient(candidate.text)


_MARK = re.compile(r"\[redacted:[\w-]+\]")
_HAN_NAMES_OF_SECRETS = re.compile(r"我的|密[碼码鑰钥]|口令|令牌|金[鑰钥]|[是為为]")
_WORD = re.compile(r"[^\W_]+")
_NAMES_OF_SECRETS_WORDS = """
    password passwd passphrase pass pw token key secret api apikey access auth bearer credential
    credentials the my is a an here it this use for and user login pin code
    """
_NAMES_OF_SECRETS = frozenset(_NAMES_OF_SECRETS_WORDS.split())

_USER_HINTS_WORDS = """
    user human owner custom client 用户 使用 主人
    """
_USER_HINTS = frozenset(_USER_HINTS_WORDS.split())
_BORNE = frozenset({"tool", "web"})
_ALL = frozenset({OWNER, "tool"}) | DERIVED
_NOT_OWNER = DERIVED | {"tool"}

RULES: tuple[AdmissionRule, ...] = (
    AdmissionRule(
        RuleName.NEAR_DUPLICATE,
        "says again, or nearly, what a kept row says",
        _ALL,
        _never,
    ),
    AdmissionRule(
        RuleName.RECALL_LOOP,
        "was recalled from memory and is taken for news",
        _NOT_OWNER,
        _comes_from_memory,
        gate=INJECTED_GATE,
    ),
    AdmissionRule(
        RuleName.ONLY_REDACTED,
        "holds nothing but a secret that was taken out",
        _ALL,
        _is_only_redacted,
        hints=frozenset({"redact"}),
        gate=r"\[redacted:",
    ),
    AdmissionRule(
        RuleName.HEARTBEAT,
        "is the prompt of a heartbeat, or tells that it found nothing",
        _ALL,
        _is_heartbeat,
        hints=frozenset({"heartbeat", "heartbeat_ok", "heartbeat.md", "no_reply", "no", "openclaw", "心跳"}),
        gate=r"(?i:heartbeat|no_reply|no (?:new|unread|urgent) )|心跳",
    ),
    AdmissionRule(
        RuleName.CRON_CHATTER,
        "is the prompt of a scheduled job, or tells that nothing came of it",
        _ALL,
        _is_cron_chatter,
        hints=frozenset(
            {
                "cron",
                "schedul",
                "hour",
                "night",
                "daili",
                "period",
                "recur",
                "automat",
                "定时",
                "排程",
                "计划",
            }
        ),
        gate=chatter.CRON_GATE,
    ),
    AdmissionRule(
        RuleName.ACKNOWLEDGEMENT,
        "only acknowledges",
        _ALL - {"tool"},
        _is_acknowledgement,
    ),
    AdmissionRule(
        RuleName.SYSTEM_DUMP,
        "lists the agent's own set-up, or the gateway's data about a message",
        MADE | {"tool"},
        _is_system_dump,
        gate=f"{OWN_WORKS_GATE}|{RECORD_GATE}|{LISTING_GATE}",
    ),
    AdmissionRule(
        RuleName.UNSUPPORTED_PROFILE,
        "asserts who the user is, and no row of the owner says so",
        MADE,
        _is_unsupported_profile,
        hints=_USER_HINTS,
    ),
    AdmissionRule(
        RuleName.BOOT_FILE,
        "restates what the agent reads at every start",
        _NOT_OWNER,
        _restates_boot_file,
    ),
    AdmissionRule(
        RuleName.TRANSIENT_STATE,
        "tells the step of a moment and no result",
        MADE | {"tool"},
        _is_transient,
        hints=chatter.MOMENT_HINTS | EMPTY_HINTS,
        gate=f"{chatter.RUNNING_GATE}|{EMPTY_GATE}",
    ),
    AdmissionRule(
        RuleName.HELD_BACK,
        "brings too little, beside what came before it, to be kept in use",
        _ALL,
        _never,
    ),
)
"""In the order in which they are asked. Repeats and what is held back are found by the judge."""
