"""Other matters: texts that are nobody's memories, and their vectors in few bytes."""

from __future__ import annotations

import pytest

from sunrise.domain.elsewhere import OTHER_MATTERS, OTHER_QUESTIONS, Elsewhere, matters_version
from sunrise.domain.model_figures import ModelFigures, figures_of
from sunrise.domain.text.common_words import common_terms
from sunrise.domain.text.script import cjk_share
from sunrise.domain.text.stop_words import STOP_WORDS
from sunrise.domain.text.typical_questions import QUESTIONS_CJK, QUESTIONS_OTHER


def test_other_matters_are_many_each_once_and_in_both_kinds_of_writing() -> None:
    for texts in (OTHER_MATTERS, OTHER_QUESTIONS):
        assert len(set(texts)) == len(texts) > 300
        cjk = sum(cjk_share(text) > 0.5 for text in texts)
        assert 0.3 < cjk / len(texts) < 0.7
        assert max(map(len, texts)) < 80


def test_they_are_statements_and_no_questions() -> None:
    assert not [text for text in OTHER_MATTERS if text.endswith(("?", "？"))]
    typical = (*QUESTIONS_CJK, *QUESTIONS_OTHER)
    assert set(typical).isdisjoint((*OTHER_MATTERS, *OTHER_QUESTIONS))


def test_no_more_can_be_questions_than_there_are_texts() -> None:
    known = Elsewhere("1", (0.0, 1.0), 1.0, b"abcd", asked=2)
    assert Elsewhere.from_dict(known.to_dict()) == known
    for asked in (3, -1):
        with pytest.raises(ValueError, match="questions"):
            Elsewhere.from_dict({**known.to_dict(), "asked": asked})


def test_what_was_kept_before_there_were_questions_has_none() -> None:
    before = {key: one for key, one in Elsewhere("1", (0.0,), 1.0, b"a").to_dict().items() if key != "asked"}
    assert Elsewhere.from_dict(before).asked == 0


def test_the_vectors_of_other_texts_are_of_yesterday() -> None:
    assert Elsewhere(matters_version(), (0.0,), 1.0, b"a").is_of_today
    assert not Elsewhere("000000000000", (0.0,), 1.0, b"a").is_of_today


def test_the_figures_of_a_model_are_found_whatever_its_version() -> None:
    assert figures_of("use-multilingual-v3/0.2.1") == figures_of("use-multilingual-v3/9") != ModelFigures()
    assert figures_of("text-embedding-3-small") == figures_of("none") == ModelFigures()


def test_common_words_are_looked_up_as_the_index_has_them() -> None:
    # "lives", "lived" and "living" are one term; names and numbers are never common.
    assert {"live", "decid", "year"} <= common_terms()
    assert common_terms().isdisjoint({"postgr", "redi", "8080", "caroline"})
    assert len(common_terms() - STOP_WORDS) > 250
