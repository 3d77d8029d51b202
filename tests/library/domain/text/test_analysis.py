from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.text import analysis
from sunrise.domain.text.analysis import MAX_TOKEN_CHARS, analyze, query_terms, terms

UUID = "3f0c9a1e-1111-4222-8333-444455556666"
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
# Texts made of what names, paths and addresses are made of, where the rules meet.
NAME_TEXT = st.text(alphabet="aBcXyz09_-./\\:@#+~=&?%$*'’記憶カ한ไ\u0301\u200d ß", max_size=24)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("…!?", []),
        ("Deploying services", ["deploy", "servic"]),
        ("the cache", ["the", "cach"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("kebab-case", ["kebab-case", "kebab", "case"]),
        ("agents.defaults", ["agents.defaults", "agent", "default"]),
        ("getUserByID", ["getuserbyid", "get", "user", "by", "id"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("/etc/hosts", ["etc/hosts", "etc", "host"]),
        (r"C:\Temp\a_b.txt", [r"c:\temp\a_b.txt", "c", "temp", "a_b.txt", "a_b", "a", "b", "txt"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("E0599", ["e0599"]),
        ("ERR_TIMEOUT_42", ["err_timeout_42", "err", "timeout", "42"]),
        ("2025-03-14", ["2025-03-14", "2025", "03", "14"]),
        (UUID, [UUID, "3f0c9a1e", "1111", "4222", "8333", "444455556666"]),
        ("https://a.io/b?c=d", ["https://a.io/b?c=d", "https", "a.io", "a", "io", "b", "c", "d"]),
        ("me@home.org", ["me@home.org", "me", "home.org", "home", "org"]),
        ("--dry-run .env", ["dry-run", "dri", "run", "env"]),
        ("C++, c#.", ["c++", "c", "c#", "c"]),
        ("user's don’t o'brien", ["user", "don't", "o'brien", "o", "brien"]),
        ("ＦＵＬＬ　ｗｉｄｔｈ", ["full", "width"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("Überblick", ["uberblick"]),
        ("data\u00adbase", ["databas"]),
        ("記憶", ["记", "忆", "记忆"]),
        ("做", ["做"]),
        ("使用mem做", ["使", "用", "使用", "mem", "做"]),
        ("檔案src/a.py在", ["档", "案", "档案", "src/a.py", "src", "a.py", "a", "py", "在"]),
        ("ｶﾅ", ["カ", "ナ", "カナ"]),
        ("한국", ["한", "국", "한국"]),
        ("नमस्ते", ["नमस्ते"]),
        ("a\x00b", ["a", "b"]),
    ],
)
def test_terms_of_a_text(text: str, found: list[str]) -> None:
    assert analyze(text) == found


def test_both_scripts_of_chinese_give_the_same_terms() -> None:
    assert analyze("資料庫遷移") == analyze("资料库迁移")


def test_a_compound_longer_than_the_bound_leaves_only_its_parts() -> None:
    assert analyze("a" * 60 + "-bb-cc") == ["a" * 60, "bb", "cc"]
    assert analyze("a" * 65) == []
    assert analyze("aB" * 33) == []


def test_a_blob_is_not_split_at_its_capitals() -> None:
    assert analyze("aGVsbG8gd29ybGQaAbBcCdD") == ["agvsbg8gd29ybgqaabbccdd"]


def test_text_beyond_the_bound_is_not_read() -> None:
    assert analyze("alpha beta", max_chars=5) == ["alpha"]
    assert terms("alpha beta", max_chars=5) == "alpha"
    assert query_terms("alpha beta", max_chars=5) == ["alpha"]


def test_terms_is_what_analyze_finds_in_one_line() -> None:
    assert terms("Rolled back\nERR_TIMEOUT") == "roll back err_timeout err timeout"


def test_a_query_has_each_term_once_and_no_stop_words() -> None:
    assert query_terms("Where is the cache of the caches, and how-to?") == ["cach", "how-to"]


def test_a_query_of_stop_words_keeps_them_and_finds() -> None:
    wanted = query_terms("To be or not to be")
    assert wanted == ["to", "be", "or", "not"]
    assert set(wanted) <= set(analyze("To be or not to be, that is the question"))


def test_a_word_whose_stem_is_a_stop_word_stays_in_the_query() -> None:
    assert query_terms("willing users") == ["will", "user"]


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY_TEXT, NAME_TEXT))
def test_every_term_of_a_query_is_a_term_of_the_text_around_it(word: str) -> None:
    around = set(analyze(f"before {word} after"))
    assert set(analyze(word)) <= around
    assert set(query_terms(word)) <= around


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY_TEXT, NAME_TEXT))
def test_terms_are_bounded_and_free_of_whitespace(text: str) -> None:
    found = analyze(text)
    assert all(term and term.split() == [term] and len(term) <= MAX_TOKEN_CHARS for term in found)
    assert terms(text).split() == found


def test_what_is_kept_of_chunks_is_bounded_and_changes_no_term(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_CHUNKS_KEPT", 2)
    monkeypatch.setattr(analysis, "_CHUNK_TEXTS", analysis._ChunkTexts())

    text = "alpha beta gamma delta epsilon"

    assert analysis.terms(text) == " ".join(analysis.analyze(text))
    assert len(analysis._CHUNK_TEXTS) <= 2
