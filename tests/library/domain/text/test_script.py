from __future__ import annotations

import json
from pathlib import Path

import pytest

from sunrise.domain.text.script import cjk_share, detect_lang

GOLDEN = Path(__file__).parents[5] / "shared/data/openclaw-mem/golden_queries_zh.jsonl"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0),
        ("rollback", 0.0),
        ("回滾", 1.0),
        ("回滾 ab", 0.5),
        ("回滾 2026-01-01，！", 1.0),
        ("，。！", 0.0),
        ("café", 0.0),
        ("回a", 0.5),
    ],
)
def test_cjk_share_counts_letters_only(text: str, share: float) -> None:
    assert cjk_share(text) == share


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("", "und"),
        ("2026-01-01 😀", "und"),
        ("the rollback", "en"),
        ("Der Überblick", "en"),
        ("回滾收據", "zh"),
        ("回滾 api", "mixed"),
        ("回 rollback", "en"),
        ("回滾收據回滾收 abc", "mixed"),  # 7 of 10 is not above 70 %
        ("回滾收據回滾收據 abc", "zh"),
        ("回滾收 abcdefg", "en"),  # 3 of 10 is not above 30 %
        ("設定を変更しました", "ja"),
        ("カタカナ", "ja"),
        ("설정을 변경했습니다", "ko"),
        ("漢字漢字한", "zh"),
    ],
)
def test_language_follows_from_the_letters(text: str, lang: str) -> None:
    assert detect_lang(text) == lang


@pytest.mark.skipif(not GOLDEN.exists(), reason=f"no shared data at {GOLDEN}")
def test_language_of_the_golden_queries() -> None:
    cases = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert [detect_lang(case["query"]) for case in cases] == [case["category"] for case in cases]
