from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.filters import sql_text
from sunrise.domain.recall import RecallRequest, scoped
from sunrise.domain.scope_policy import (
    MAX_STORED_SCOPE,
    ScopePolicy,
    ScopeSource,
    ScopeWarning,
    ValidationMode,
    is_valid_scope,
    kept_scope,
    looked_in,
    resolved,
    without_scope_tags,
    written_scope,
)
from sunrise.errors import ConfigurationError, DataError

STRICT = ScopePolicy(fallback_scopes=("openclaw-mem", "personal"))
NORMALIZE = ScopePolicy(validation_mode=ValidationMode.NORMALIZE)
NONE = ScopePolicy(validation_mode=ValidationMode.NONE)
POLICIES = (STRICT, NORMALIZE, NONE, ScopePolicy(enabled=False))


@pytest.mark.parametrize(
    ("explicit", "text", "scope", "source"),
    [
        ("home", "[ISO:a] [SCOPE:b] tea", "home", ScopeSource.EXPLICIT),
        (None, "[SCOPE:b]\n[ISO:a]\ntea", "a", ScopeSource.ISO),
        ("  ", "hello\n  [scope: b] tea", "b", ScopeSource.SCOPE_TAG),
        (None, "[SCOPE: 專案-甲] 茶", "專案-甲", ScopeSource.SCOPE_TAG),
        (None, "[SCOPE:one]\n[SCOPE:two]", "one", ScopeSource.SCOPE_TAG),
        (None, "", "global", ScopeSource.DEFAULT),
        (None, "see [SCOPE:b] tea", "global", ScopeSource.DEFAULT),
        (None, "```\n[SCOPE:b]\n```\ntea", "global", ScopeSource.DEFAULT),
        (None, "~~~\n[ISO:b]\n", "global", ScopeSource.DEFAULT),
        (
            None,
            "<relevant-memories>\n[SCOPE:b] old\n</relevant-memories>\ntea",
            "global",
            ScopeSource.DEFAULT,
        ),
        (None, "<!--\n[SCOPE:b]\n-->\ntea", "global", ScopeSource.DEFAULT),
        (None, "```\n[SCOPE:b]\n```\n[SCOPE:c] tea", "c", ScopeSource.SCOPE_TAG),
    ],
)
def test_the_stronger_source_names_the_scope(
    explicit: str | None, text: str, scope: str, source: ScopeSource
) -> None:
    found = resolved(explicit, text, STRICT)
    assert (found.scope, found.source, found.is_valid, found.warning) == (scope, source, True, None)


@pytest.mark.parametrize(
    "name", ["a b", "-a", "a-", "ＡＢＣ", "a\u202eb", "a\nb", "a'; drop", "x" * 65, "é" + "\u0301" * 0 + " "]
)
def test_an_invalid_name_gives_the_default_and_no_fallbacks(name: str) -> None:
    found = resolved("!" + name, "[SCOPE:other]", STRICT)
    assert (found.scope, found.source) == ("global", ScopeSource.DEFAULT)
    assert (found.is_valid, found.warning, found.fallbacks, found.marker) == (
        False, ScopeWarning.INVALID, (), None,
    )  # fmt: skip


def test_an_empty_tag_is_an_invalid_name() -> None:
    assert resolved(None, "[SCOPE: ] tea", STRICT).warning is ScopeWarning.INVALID


def test_an_invalid_name_keeps_the_fallbacks_where_that_is_wanted() -> None:
    lenient = ScopePolicy(fallback_scopes=("personal",), skip_fallback_on_invalid_scope=False)
    assert resolved("no such!", "", lenient).fallbacks == ("personal",)


def test_fallbacks_are_named_once_and_never_the_scope_itself() -> None:
    policy = ScopePolicy(fallback_scopes=("personal", "home", "personal"))
    found = resolved("home", "", policy)
    assert (found.fallbacks, found.marker) == (("personal",), "scope_fallback:home->personal")
    assert resolved("home", "", ScopePolicy(fallback_scopes=("home",))).marker is None
    assert resolved("x", "", ScopePolicy(fallback_scopes=("home",), fallback_marker=False)).marker is None


def test_without_a_policy_only_an_explicit_scope_counts() -> None:
    off = ScopePolicy(enabled=False, fallback_scopes=("home",))
    assert resolved(None, "[SCOPE:x] tea", off).scope == "global"
    assert resolved("My Scope", "", off).scope == "My Scope"
    assert resolved("x", "", off).fallbacks == ()


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("  Open  Claw ", "open-claw"),
        ("ＡＢＣ", "abc"),
        ("[x]", "x"),
        ("--x--", "x"),
        ("專案 甲", "專案-甲"),
        ("x" * 70, "x" * 64),
    ],
)
def test_a_name_is_put_in_order(name: str, scope: str) -> None:
    found = written_scope(name, NORMALIZE)
    assert (found.scope, found.warning, found.is_valid) == (scope, ScopeWarning.NORMALIZED, True)


def test_what_has_no_letter_cannot_be_put_in_order() -> None:
    assert written_scope("!!!", NORMALIZE).warning is ScopeWarning.INVALID
    assert written_scope("\x00", NONE).warning is ScopeWarning.INVALID


def test_without_validation_a_name_stays_but_for_what_no_store_takes() -> None:
    assert written_scope("My Scope!", NONE).scope == "My Scope!"
    assert written_scope("a\x07b\ud83d", NONE).scope == "a b\ufffd"
    assert len(written_scope("x" * 500, NONE).scope) == MAX_STORED_SCOPE


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_scope_length": 0},
        {"max_scope_length": MAX_STORED_SCOPE + 1},
        {"default_scope": "my scope"},
        {"fallback_scopes": ("ok", "not ok")},
        {"validation_mode": "loose"},
        {"default_scope": "openclaw", "max_scope_length": 3},
    ],
)
def test_a_policy_that_cannot_hold_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        ScopePolicy(**wrong)  # type: ignore[arg-type]


def test_a_mode_may_be_given_by_its_name() -> None:
    assert ScopePolicy(validation_mode="none").validation_mode is ValidationMode.NONE  # type: ignore[arg-type]


def test_only_tags_ahead_are_taken_off() -> None:
    assert without_scope_tags(" [SCOPE:a][ISO: b] tea [SCOPE:c]") == "tea [SCOPE:c]"


names = st.text(max_size=250) | st.text(
    alphabet=st.sampled_from(list("aZ-_.:/@+ 專\u0301İßﬁ①\u200b\ud800\x00'")), max_size=90
)


@given(names)
def test_a_strict_scope_is_the_name_itself_or_the_default(name: str) -> None:
    found = written_scope(name, STRICT)
    assert is_valid_scope(found.scope, max_length=64)
    assert found.scope in (name.strip(), "global")


@given(names)
def test_putting_in_order_gives_a_valid_name_and_does_it_once(name: str) -> None:
    once = written_scope(name, NORMALIZE).scope
    assert is_valid_scope(once, max_length=64)
    again = written_scope(once, NORMALIZE)
    assert (again.scope, again.warning) == (once, None)


@given(names, st.text(max_size=80), st.sampled_from(POLICIES))
def test_no_policy_lets_through_what_a_store_cannot_take(name: str, text: str, policy: ScopePolicy) -> None:
    found = resolved(name, text, policy)
    assert 1 <= len(found.scope) <= MAX_STORED_SCOPE
    assert all(unicodedata.category(letter) not in ("Cc", "Cs") for letter in found.scope)
    assert sql_text(found.scope)
    assert found.scope not in found.fallbacks
    assert found == resolved(name, text, policy)


@pytest.mark.parametrize(
    ("explicit", "text", "scope", "fallbacks"),
    [
        (None, "tea", "global", ("openclaw-mem", "personal")),
        (" ", "[SCOPE: home] tea", "home", ("openclaw-mem", "personal")),
        (None, "[SCOPE: a b] tea", "global", ()),
        ("home", "[SCOPE: x] tea", "home", ("openclaw-mem", "personal")),
        # What is said explicitly is looked in as it stands, and never in place of it somewhere else.
        ("a b", "[SCOPE: x] tea", "a b", ()),
    ],
)
def test_a_question_is_looked_for_where_it_says(
    explicit: str | None, text: str, scope: str, fallbacks: tuple[str, ...]
) -> None:
    found = looked_in(explicit, text, STRICT)
    assert (found.scope, found.fallbacks) == (scope, fallbacks)
    asked = scoped(RecallRequest(text, scope=explicit or "", may_see=("personal",)), STRICT)
    assert (asked.query, asked.scope) == ("tea", scope)
    assert asked.fallbacks == (("personal",) if fallbacks else ())
    assert asked.scope_warning == ("invalid_scope" if " " in scope or not fallbacks else None)


def test_a_row_is_kept_under_a_valid_name_or_not_at_all() -> None:
    assert [kept_scope("A b", policy) for policy in POLICIES[1:]] == ["a-b", "A b", "A b"]
    with pytest.raises(DataError) as caught:
        kept_scope("A b", STRICT)
    assert caught.value.reason == "bad_scope"
