from __future__ import annotations

import pytest

from sunrise.domain.auto_capture import AutoCapturePolicy, extracted
from sunrise.domain.auto_capture_receipt import capture_receipt
from sunrise.domain.capture_evidence import Evidence, Weighed, sign, weighed
from sunrise.domain.capture_evidence_en import ENGLISH_EVIDENCE
from sunrise.domain.capture_evidence_ja import JAPANESE_EVIDENCE
from sunrise.domain.capture_evidence_ko import KOREAN_EVIDENCE
from sunrise.domain.capture_evidence_zh import CHINESE_EVIDENCE
from sunrise.domain.capture_selection import settled
from sunrise.domain.capture_signs import CaptureCategory, CaptureSkip, verdict_on
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.sessions import session_of

ALL = (ENGLISH_EVIDENCE, CHINESE_EVIDENCE, JAPANESE_EVIDENCE, KOREAN_EVIDENCE)


def test_each_sign_counts_once_and_those_for_it_are_the_reasons() -> None:
    signs = (sign("dislikes", 2, "hate|loathe"), sign("ours", 1, "we"), sign("moment", -4, "now"))
    evidence = Evidence(enough=2, too_little=-1, none=-3, decided=frozenset(), signs=signs)
    assert weighed("we hate and loathe rain", evidence) == Weighed(3, ("dislikes", "ours"))
    assert weighed("we hate it now", evidence) == Weighed(-1, ("dislikes", "ours"))
    assert weighed("rain", evidence) == Weighed(0, ())


@pytest.mark.parametrize("evidence", ALL)
def test_a_language_has_each_sign_once_and_its_bars_in_order(evidence: Evidence) -> None:
    names = [one.name for one in evidence.signs]
    assert len(names) == len(set(names))
    assert evidence.decided <= set(names)
    assert evidence.none < evidence.too_little < evidence.enough
    assert all(one.weight for one in evidence.signs)


@pytest.mark.parametrize(
    ("text", "category", "reason"),
    [
        ("gluten and my youngest are sworn enemies", CaptureCategory.PREFERENCE, "dislikes"),
        ("香菜我是真的不行，菜單上有就直接跳過", CaptureCategory.PREFERENCE, "dislikes"),
        ("阁楼不改了，钱拿去扩厨房", CaptureCategory.DECISION, "firm"),
        ("エディタは Vim 一択なんで、よろしく", CaptureCategory.PREFERENCE, "likes"),
        ("음악은 엘피로만 들어, 스트리밍 얘긴 됐고", CaptureCategory.PREFERENCE, "likes"),
        # Words of a moment, and more than enough that speaks for it.
        ("我這個人很怕囉嗦，重點先講啦", CaptureCategory.PREFERENCE, "dislikes"),
    ],
)
def test_what_shows_no_phrase_is_kept_for_its_signs(
    text: str, category: CaptureCategory, reason: str
) -> None:
    verdict = verdict_on(text)
    assert verdict.category is category
    assert reason in verdict.reasons


@pytest.mark.parametrize(
    ("text", "skip"),
    [
        ("hate when that happens lol", CaptureSkip.OUTWEIGHED),
        ("别动，我在重启", CaptureSkip.OUTWEIGHED),
        ("空白行は全部消して", CaptureSkip.OUTWEIGHED),
        ("룸메가 설거지를 절대 안 해", CaptureSkip.OUTWEIGHED),
        ("先幫我把第二章縮短", CaptureSkip.TRANSIENT),
        ("я предпочитаю чай", CaptureSkip.NO_SIGN),
    ],
)
def test_what_speaks_against_it_outweighs_a_phrase(text: str, skip: CaptureSkip) -> None:
    assert verdict_on(text).skip is skip


def test_the_receipt_counts_the_signs_of_what_is_kept() -> None:
    policy = AutoCapturePolicy()
    said = {"role": "user", "content": "음악은 엘피로만 들어.\nI prefer tea."}
    session = session_of("s1", session_key="agent:main:main")
    found = extracted([said], session=session, policy=policy, scopes=ScopePolicy())
    receipt = capture_receipt(found, settled(found, policy=policy), at_ms=0)
    assert receipt.selected == 2
    assert receipt.to_dict()["bySign"] == dict.fromkeys(sorted(found.candidates[0].reasons), 1)
