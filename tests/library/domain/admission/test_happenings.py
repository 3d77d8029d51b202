from __future__ import annotations

import pytest

from sunrise.domain.admission.happenings import tells_happening, tells_trouble


@pytest.mark.parametrize(
    "text",
    [
        "The backup failed",
        "Beat found a firing alert",
        "exit code 1",
        "attic is unreachable",
        "No rows were sent, the token expired",
        "排程失敗",
        "磁碟異常",
    ],
)
def test_what_went_wrong_is_trouble(text: str) -> None:
    assert tells_trouble(text)


@pytest.mark.parametrize(
    "text",
    ["No errors", "the run ended without any new failures", "0 errors", "沒有錯誤", "All is quiet"],
)
def test_that_nothing_went_wrong_is_none(text: str) -> None:
    assert not tells_trouble(text)


@pytest.mark.parametrize(
    "text",
    [
        "Moved the job to noon",
        "The landlord kept the deposit",
        "Dana chose the blue one",
        "SQLite stays because there is one writer",
        "Reports go out on Fridays from now on",
        "因為磁碟太小",
        "上次用錯時區",
    ],
)
def test_what_happened_or_has_a_reason_is_told(text: str) -> None:
    assert tells_happening(text)


@pytest.mark.parametrize(
    "text",
    [
        "Drafts are reviewed before they are sent",
        "Nothing must be deleted",
        "The files may be moved or renamed",
        "The need of the feed",
        "Answers are short",
        "刪檔前先問",
    ],
)
def test_a_standing_rule_tells_none(text: str) -> None:
    assert not tells_happening(text)
