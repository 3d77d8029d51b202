"""What a statement of the owner is worth keeping as, or why it is not kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sunrise.domain.admission.chatter import is_acknowledgement, is_transient
from sunrise.domain.admission.recall_loops import is_recalled, is_search_result
from sunrise.domain.capture_evidence import Evidence, Weighed, weighed
from sunrise.domain.capture_evidence_en import ENGLISH_EVIDENCE
from sunrise.domain.capture_evidence_ja import JAPANESE_EVIDENCE
from sunrise.domain.capture_evidence_ko import KOREAN_EVIDENCE
from sunrise.domain.capture_evidence_zh import CHINESE_EVIDENCE
from sunrise.domain.capture_phrases import Phrases, levelled
from sunrise.domain.capture_phrases_en import ENGLISH
from sunrise.domain.capture_phrases_ja import JAPANESE
from sunrise.domain.capture_phrases_ko import KOREAN
from sunrise.domain.capture_phrases_zh import CHINESE
from sunrise.domain.payloads import screen
from sunrise.domain.secrets import redact

MAX_STATEMENT: Final = 400
"""In characters: a longer sentence is a text that was pasted."""


class CaptureCategory(StrEnum):
    """What a captured memory is."""

    PREFERENCE = "preference"
    DECISION = "decision"
    FACT = "fact"
    ENTITY = "entity"
    TODO = "todo"


class CaptureSkip(StrEnum):
    """Why a message or a statement of it did not become a memory."""

    NOT_OWNER = "not_owner"
    AUTOMATION = "automation"
    MALFORMED = "malformed"
    BAD_TIME = "bad_time"
    OLDER_MESSAGE = "older_message"
    QUOTED = "quoted"
    MATERIAL = "material"
    MACHINE = "tool_output"
    RECALLED = "recalled"
    SECRETS_LIKE = "secrets_like"
    PAYLOAD = "prompt_like"
    ACKNOWLEDGED = "acknowledged"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    REPORTED = "reported"
    REACTION = "reaction"
    TRANSIENT = "transient"
    NO_SIGN = "no_sign"
    OUTWEIGHED = "outweighed"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    MEMORY_ORDER = "memory_order"
    CATEGORY_OFF = "category_off"
    TODO_OFF = "todo_off"
    OVER_LIMIT = "over_limit"
    TODO_LIMIT = "todo_limit"
    NEAR_DUPLICATE = "near_duplicate"
    TODO_DUPLICATE = "todo_duplicate"
    ALREADY_CAPTURED = "already_captured"


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What a statement is: of a category, or skipped.

    ``text`` is the statement without the order to remember it; ``explicit`` says that there was one.
    ``reasons`` name the signs that spoke for what shows no phrase.
    """

    text: str
    category: CaptureCategory | None = None
    skip: CaptureSkip | None = None
    explicit: bool = False
    reasons: tuple[str, ...] = ()


def verdict_on(text: str, *, explicit: bool = False) -> Verdict:
    """
    Return what one statement is, by its wording in English, Chinese, Japanese and Korean.

    ``explicit`` says that it was ordered to be remembered beside it. What was so ordered is kept whatever it
    is, but for questions, secrets and orders to the model.

    >>> verdict_on("From now on, use metric units.").category.value, verdict_on("should we?").skip.value
    ('preference', 'question')
    >>> ordered = verdict_on("請記住：我不吃香菜")
    >>> ordered.text, ordered.category.value, ordered.explicit
    ('我不吃香菜', 'preference', True)
    >>> verdict_on("gluten and my youngest are sworn enemies").reasons
    ('dislikes', 'my_is')
    """
    if skip := _unfit(text):
        return Verdict(text, skip=skip)
    wording = _Wording(text)
    if wording.has("todo"):
        return Verdict(text, CaptureCategory.TODO)
    content = _ordered(wording)
    if content is not None and not content:
        return Verdict(text, skip=CaptureSkip.MEMORY_ORDER, explicit=True)
    told = (_Wording(content) if content else wording).without_tag_question()
    if told.has("question") and not _is_request(wording, told, ordered=bool(content)):
        return Verdict(text, skip=CaptureSkip.QUESTION)
    if content and _ASKS_TO_REMEMBER.match(wording.whole):
        told = _Wording(told.text.rstrip(" ?？"))
    if content or explicit:
        return Verdict(told.text, _category_of(told) or CaptureCategory.FACT, explicit=True)
    decided = _decided(told)
    return Verdict(text, skip=decided) if isinstance(decided, CaptureSkip) else decided


class _Wording:
    """A statement in the form that phrases are looked for in, and the languages that it may be in."""

    def __init__(self, text: str) -> None:
        self.text = text
        level = levelled(text)
        self.whole = level.strip()
        self.plain = _QUOTE.sub(_blank, level).strip()
        self.languages = tuple(_languages(self.whole))

    def has(self, sign: str) -> bool:
        """Return whether the phrases of any of the languages show a sign."""
        return any(getattr(phrases, sign).search(self.plain) for phrases in self.languages)

    def without_tag_question(self) -> _Wording:
        """Return the wording without what only asks for assent: "I prefer tea, ok?"."""
        if not self.has("standing_request"):
            for phrases in self.languages:
                if match := phrases.tag_question.search(self.whole):
                    return _Wording(self.text.strip()[: match.start()].rstrip(" ,，、"))
        return self

    def without_condition(self) -> _Wording:
        """Return the wording without the word that begins a condition: what always holds may have one."""
        return _Wording(_CONDITION.sub("", self.whole, count=1))


def _languages(level: str) -> Iterator[Phrases]:
    if _KANA.search(level):
        yield JAPANESE
    elif _HANGUL.search(level):
        yield KOREAN
    elif _HAN.search(level):
        yield CHINESE
    if _LATIN.search(level):
        yield ENGLISH


def _unfit(text: str) -> CaptureSkip | None:
    if len(text) > MAX_STATEMENT:
        return CaptureSkip.TOO_LONG
    if is_acknowledgement(text):
        return CaptureSkip.ACKNOWLEDGED
    if _REDACTED.search(text) or _NAMES_SECRET.search(text) or redact(text).kinds:
        return CaptureSkip.SECRETS_LIKE
    if screen(text):
        return CaptureSkip.PAYLOAD
    if is_recalled(text) or is_search_result(text):
        return CaptureSkip.RECALLED
    stripped = text.strip(" .。!！")
    return CaptureSkip.QUOTED if _ALL_QUOTED.fullmatch(stripped) else None


def _ordered(wording: _Wording) -> str | None:
    """Return what is ordered to be remembered: nothing where it stands elsewhere, None without an order."""
    text = wording.text.strip()
    for phrases in wording.languages:
        ahead = phrases.remember_ahead.match(wording.whole)
        if ahead:
            return text[ahead.end() :].strip()
        behind = phrases.remember_behind.search(wording.whole)
        if behind:
            return text[: behind.start()].strip()
    return None


def _is_request(wording: _Wording, told: _Wording, *, ordered: bool) -> bool:
    if ordered and _ASKS_TO_REMEMBER.match(wording.whole):
        return True
    return told.has("standing_request")


def _decided(told: _Wording) -> Verdict | CaptureSkip:
    """Say what a statement is that nobody ordered to be remembered."""
    for sign, skip in (("reported", CaptureSkip.REPORTED), ("reaction", CaptureSkip.REACTION)):
        if told.has(sign):
            return skip
    holds = told.has("standing") or told.has("standing_request")
    if (told.without_condition() if holds else told).has("hypothetical"):
        return CaptureSkip.HYPOTHETICAL
    category = _category_of(told)
    is_firm = holds or told.has("decision")
    if not is_firm and (told.has("transient") or is_transient(told.text)):
        return _for_all_that(told) or CaptureSkip.TRANSIENT
    return _by_evidence(told, category, is_firm=is_firm)


def _for_all_that(told: _Wording) -> Verdict | None:
    """Return what a statement is that speaks of a moment, and yet for good by more signs than others need."""
    evidence = _evidence(told)
    found = weighed(told.plain, evidence)
    if found.points < evidence.enough + _FOR_ALL_THAT:
        return None
    return Verdict(told.text, _weighed_category(found, evidence), reasons=found.reasons)


def _by_evidence(told: _Wording, category: CaptureCategory | None, *, is_firm: bool) -> Verdict | CaptureSkip:
    """Say what a statement is by a phrase and by all its signs, which may outweigh the phrase."""
    evidence = _evidence(told)
    found = weighed(told.plain, evidence)
    if category in _BY_DEFAULT:
        least = evidence.none if is_firm else evidence.too_little
        is_kept = found.points > least or told.has("standing_request")
        return Verdict(told.text, category) if is_kept else CaptureSkip.OUTWEIGHED
    if found.points >= evidence.enough:
        return Verdict(told.text, _weighed_category(found, evidence), reasons=found.reasons)
    return Verdict(told.text, category) if category else CaptureSkip.NO_SIGN


def _evidence(told: _Wording) -> Evidence:
    """Return the signs of the language that a statement is in, most likely; another one has none."""
    return _EVIDENCE[told.languages[0]] if told.languages else _NO_EVIDENCE


def _weighed_category(found: Weighed, evidence: Evidence) -> CaptureCategory:
    is_decision = not evidence.decided.isdisjoint(found.reasons)
    return CaptureCategory.DECISION if is_decision else CaptureCategory.PREFERENCE


def _category_of(told: _Wording) -> CaptureCategory | None:
    if told.has("decision"):
        return CaptureCategory.DECISION
    if told.has("standing") or told.has("standing_request"):
        return CaptureCategory.DECISION if _WE.search(told.plain) else CaptureCategory.PREFERENCE
    for sign, category in _BY_SIGN:
        if told.has(sign):
            return category
    return None


_NO_EVIDENCE = Evidence(enough=1, too_little=-1, none=-1, decided=frozenset(), signs=())
_EVIDENCE = {
    ENGLISH: ENGLISH_EVIDENCE,
    CHINESE: CHINESE_EVIDENCE,
    JAPANESE: JAPANESE_EVIDENCE,
    KOREAN: KOREAN_EVIDENCE,
}
_FOR_ALL_THAT = 5
"""How much more must speak for what is said of a moment."""
_BY_DEFAULT = (CaptureCategory.PREFERENCE, CaptureCategory.DECISION)
_BY_SIGN = (
    ("weak_decision", CaptureCategory.DECISION),
    ("preference", CaptureCategory.PREFERENCE),
    ("entity", CaptureCategory.ENTITY),
    ("fact", CaptureCategory.FACT),
)

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9f]")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")
_LATIN = re.compile("[a-z]{2}")
_WE = re.compile(
    r"\b(?:we|our|us|the team)\b|我们|咱们|团队|公司|私たち|我々|チーム|弊社|当社|우리|저희|팀", re.ASCII
)
_CONDITION = re.compile(
    r"\b(?:if(?: (?:you(?:'re| are) )?(?:not sure|unsure|in doubt))?|unless|in case|for example|not sure"
    r"|unsure)\b"
    r"|不确定|拿不准|迷って|迷った|모르겠|애매|如果|假如|要是|万一|的话|もし|만약|만일",
    re.ASCII,
)
_ASKS_TO_REMEMBER = re.compile(r"\W*(?:please )?(?:can|could|would|will) you|可以|能不能|可不可以|能")

_FIRST_PERSON = r"\bi\b|\bi'|\bwe\b|我|私|僕|俺|저는|나는|난 "
_QUOTE = re.compile(
    rf"\"(?=[^\"]{{16,}}\"|[^\"]*(?:{_FIRST_PERSON}))[^\"]+\""
    rf"|(?<![\w])'(?=[^']*(?:{_FIRST_PERSON}))[^']+'(?!\w)"
    r"|(?<=[说道写问喊叫讲])\"[^\"]+\"|(?<=[说道写问喊叫讲]:)\"[^\"]+\"|\"[^\"]+\"(?=\s?(?:라고|라는|とい"
    r"|って|と言|と書))"
    r"|「[^」]+」(?=って|と言|とい[うっ]|と書)"
    rf"|「(?=[^」]{{10,}}」|[^」]*(?:{_FIRST_PERSON}))[^」]+」|『[^』]{{8,}}』|《[^》]+》"
)
_ALL_QUOTED = re.compile(r"[\"“”]\s*[^\"“”]{3,}[\"“”]|「[^」]{3,}」|『[^』]{3,}』|'[^']{8,}'|‘[^’]{8,}’")

_REDACTED = re.compile(
    r"\[(?:redacted|REDACTED|已遮蔽|已屏蔽|隐去)[^\]]*\]|<redacted>|\*{4,}|\[\*+\]|█{2,}|x{8,}", re.IGNORECASE
)
_NAMES_SECRET = re.compile(
    r"(?:\b(?:pass(?:word|phrase|code|wd)|pin|api.?key|secret key|access key|token|credentials?|cvv|cvc|otp"
    r"|2fa|ssn|iban"
    r"|door code|recovery (?:code|phrase)|seed phrase|private key)s?\b|密碼|密码|口令|驗證碼|验证码|金鑰"
    r"|密鑰|密钥|身分證|身份证|卡號|卡号|パスワード"
    r"|暗証番号|認証コード|비밀번호|인증번호|암호|주민등록번호)(?=.{0,30}(?:\d{3,}|[A-Za-z]+\d|\d+[A-Za-z]"
    r"|[!@#$%^&*]{2}))",
    re.IGNORECASE,
)


def _blank(match: re.Match[str]) -> str:
    return "§" * len(match[0])
