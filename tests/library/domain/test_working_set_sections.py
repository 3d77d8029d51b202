from __future__ import annotations

import pytest

from sunrise.domain.working_set_sections import says_changed, says_done, section_of, subject_of
from tests.library.domain.working_set_cases import OF_SECTION


@pytest.mark.parametrize(
    ("section", "text"), [(section, text) for section, texts in OF_SECTION.items() for text in texts]
)
def test_wording_says_where_a_text_belongs(section: str | None, text: str) -> None:
    assert section_of(text) == section


@pytest.mark.parametrize(
    ("category", "text", "section"),
    [
        ("preference", "dark mode", "constraints"),
        ("decision", "Kamal for deploys", "decisions"),
        ("todo", "toner", "next_actions"),
        ("goal", "v2", "goal"),
        ("question", "v2 or v3", "open_questions"),
        ("decision", "尚未決定用哪個資料庫", "open_questions"),
        ("fact", "Never deploy on Fridays", "constraints"),
        ("fact", "Dana lives in Brno", None),
        ("entity", "Dana", None),
    ],
)
def test_a_category_says_it_where_the_wording_does_not(category: str, text: str, section: str | None) -> None:
    assert section_of(text, category) == section


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("Done: renewed the certificate", True),
        ("憑證已經更新完成了", True),
        ("請求書の送付は完了しました", True),
        ("인증서 갱신 완료", True),
        ("not done", False),
        ("完了したら教えて", False),
        ("finish the runbook", False),
    ],
)
def test_what_says_that_something_is_done(text: str, done: bool) -> None:
    assert says_done(text) is done


def test_what_says_that_something_takes_the_place_of_another() -> None:
    assert says_changed("Redis の代わりに Valkey を使う")
    assert not says_changed("We decided on Valkey")


def test_a_subject_of_single_characters_is_all_there_is() -> None:
    assert subject_of("茶") == {"茶"}
    assert subject_of("!") == frozenset()
