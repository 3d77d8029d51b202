from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.judging import ADMITTED, Judge, Verdict
from sunrise.domain.admission.meaning import Likeness
from sunrise.domain.admission.rules import RuleName
from sunrise.domain.admission.worth import Odds
from tests.library.domain.admission.kept import WINDOW_MS, Kept, candidate

FACT = "The deploy of billing failed because the disk of attic was full on Monday"


def verdicts(
    *rows: Candidate, off: frozenset[str] = frozenset(), recalled: tuple[str, ...] = ()
) -> list[Verdict]:
    kept = Kept(recalled=recalled)
    judge = Judge(off=off, window_ms=WINDOW_MS, kept=kept)
    given_verdicts = []
    for row in rows:
        given_verdicts.append(judge.judge(row))
        kept.take(row, given_verdicts[-1])
    return given_verdicts


def test_what_no_rule_is_about_is_admitted():
    assert verdicts(candidate(FACT)) == [ADMITTED]
    assert ADMITTED.admitted


@pytest.mark.parametrize("source", ["operator", "agent", "tool", "web", "import", "system"])
def test_an_exact_repeat_of_any_origin_is_counted_on_the_first(source: str):
    first, second = verdicts(candidate(FACT, source, key="1"), candidate(FACT + ".", source, key="2"))

    assert first.admitted
    assert second == Verdict("1", RuleName.NEAR_DUPLICATE)


@pytest.mark.parametrize(
    ("source", "found"), [("agent", True), ("web", True), ("operator", False), ("tool", False)]
)
def test_near_repeats_are_looked_for_in_words_made_from_words(source: str, found: bool):
    rows = (candidate(FACT, source, key="1"), candidate("Note: " + FACT, source, key="2"))
    assert (verdicts(*rows)[1].collapse_onto == "1") == found


def test_an_untrusted_row_never_collapses_onto_a_trusted_one():
    rows = (candidate(FACT, key="1", trust_tier="trusted"), candidate(FACT, key="2", trust_tier="untrusted"))
    assert verdicts(*rows) == [ADMITTED, ADMITTED]


def test_the_first_of_a_kind_of_junk_is_archived_and_the_others_are_counted_on_it():
    rows = [candidate("Currently running the tests", key="1"), candidate("Let me check the log", key="2")]
    other = candidate("Let me check the log", key="3", scope="b")

    assert verdicts(*rows, other) == [
        Verdict(None, RuleName.TRANSIENT_STATE, archived=True),
        Verdict("1", RuleName.TRANSIENT_STATE),
        Verdict(None, RuleName.TRANSIENT_STATE, archived=True),
    ]


def test_a_repeat_of_what_was_recalled_is_a_loop():
    rows = [candidate("User prefers Vim", key="1"), candidate("The human likes Vim", "import", key="2")]

    assert verdicts(*rows, recalled=("User prefers Vim",))[1] == Verdict("1", RuleName.RECALL_LOOP)
    assert verdicts(*rows)[1] == Verdict("1", RuleName.NEAR_DUPLICATE)


@pytest.mark.parametrize("source", ["operator", "web", "tool"])
def test_a_repeat_by_others_than_the_agent_is_no_loop(source: str):
    rows = [candidate("Dana likes Vim", source, key=key) for key in "12"]
    assert verdicts(*rows, recalled=("Dana likes Vim",))[1].rule is RuleName.NEAR_DUPLICATE


def test_what_a_memory_tool_recalls_is_a_loop_and_what_it_stores_is_not():
    recalled = candidate("Dana takes the 7:40 train", "tool", tool_name="memory_search")
    stored = candidate("Dana takes the 7:40 train", "tool", tool_name="memory_store")

    assert verdicts(recalled, stored) == [Verdict(None, RuleName.RECALL_LOOP, archived=True), ADMITTED]


def test_a_claim_about_the_user_needs_the_owner():
    claim = candidate("User works as a nurse", key="2")

    assert verdicts(claim)[0].rule is RuleName.UNSUPPORTED_PROFILE
    assert verdicts(candidate("I work as a nurse", "operator", key="1"), claim)[1].admitted


@pytest.mark.parametrize("field", ["memory_id", "importance_label"])
def test_a_row_with_a_link_or_a_label_is_touched_by_exact_repeats_only(field: str):
    junk = [candidate("Currently running the tests", key=key, **{field: "m"}) for key in "12"]
    other = candidate("Currently running the tests", key="3", **{field: "n"})
    near = candidate("Note: " + FACT, key="5", **{field: "m"})

    assert verdicts(*junk, other) == [ADMITTED, Verdict("1", RuleName.NEAR_DUPLICATE), ADMITTED]
    assert verdicts(candidate(FACT, key="4"), near) == [ADMITTED, ADMITTED]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (RuleName.TRANSIENT_STATE, candidate("Currently running the tests")),
        (RuleName.BOOT_FILE, candidate("The agent must read SOUL.md first")),
        (RuleName.RECALL_LOOP, candidate("x", "tool", tool_name="memory_get")),
    ],
)
def test_a_rule_can_be_switched_off(name: RuleName, row: Candidate):
    assert verdicts(row)[0].rule is name
    assert verdicts(row, off=frozenset({name.value})) == [ADMITTED]


def test_without_the_rule_of_repeats_they_are_admitted_and_loops_still_seen():
    rows = [candidate("User prefers Vim", key=key) for key in "12"]
    off = frozenset({"near_duplicate"})

    assert verdicts(*rows, off=off) == [ADMITTED, ADMITTED]
    assert verdicts(*rows, off=off, recalled=("User prefers Vim",))[1].rule is RuleName.RECALL_LOOP


def test_a_source_that_nobody_knows_is_only_met_by_exact_repeats():
    rows = [candidate("Currently running the tests", "robot", key=key) for key in "12"]
    assert verdicts(*rows) == [ADMITTED, Verdict("1", RuleName.NEAR_DUPLICATE)]


@pytest.mark.parametrize(
    "text",
    ["The agent must ask me first", "User lives in Rome", "Available tools: a, b", "Currently running tests"],
)
def test_the_owner_may_say_what_would_be_junk_from_others(text: str):
    assert verdicts(candidate(text, "operator")) == [ADMITTED]


SAID = "agent must user lives in Rome Currently running tests ok 12 not HEARTBEAT_OK cron 記憶 的"
TEXTS = st.lists(
    st.sampled_from(SAID.split()),
    min_size=1,
    max_size=12,
).map(" ".join)
ROWS = st.lists(st.tuples(TEXTS, st.sampled_from(["operator", "agent", "tool", "web"])), max_size=12)


def made(rows: list[tuple[str, str]]) -> list[Candidate]:
    return [candidate(text, source, key=str(place)) for place, (text, source) in enumerate(rows)]


@given(ROWS)
def test_judging_is_deterministic(rows):
    assert verdicts(*made(rows)) == verdicts(*made(rows))


@given(ROWS, TEXTS, st.integers(0, 10**6))
def test_an_owner_who_says_something_new_is_always_admitted(rows, text, number):
    said = candidate(f"I said {text} {number} times over", "operator", key="new")
    assert verdicts(*made(rows), said)[-1] == ADMITTED


@given(ROWS)
def test_rows_collapse_onto_rows_that_are_kept(rows):
    made_rows = made(rows)
    kept = {
        row.key for row, one in zip(made_rows, verdicts(*made_rows), strict=True) if one.collapse_onto is None
    }
    onto = {one.collapse_onto for one in verdicts(*made_rows)} - {None}

    assert onto <= kept


@given(ROWS)
def test_judging_what_was_judged_admits_nothing_more(rows):
    again = [candidate(text, source, key=f"again {place}") for place, (text, source) in enumerate(rows)]
    judged = verdicts(*made(rows), *again)

    assert all(one.collapse_onto is not None for one in judged[len(rows) :])


@given(
    TEXTS, st.sampled_from(["operator", "agent", "tool", "web"]), st.integers(100, 999), st.integers(100, 999)
)
def test_rows_with_different_numbers_never_collapse_as_repeats(text, source, one, other):
    rows = [
        candidate(f"{text} {number}", source, key=f"{place}") for place, number in enumerate((one, other))
    ]
    repeats = (RuleName.NEAR_DUPLICATE, RuleName.RECALL_LOOP)

    assert one == other or verdicts(*rows)[1].rule not in repeats


class Worthless:
    """Finds that no row is worth keeping."""

    def odds(self, candidate: Candidate) -> Odds:
        return Odds(-9.0, -9.0, repeats=True)


class LikeBoot:
    """Finds that every row says what a boot file says."""

    def likeness(self, candidate: Candidate) -> tuple[Likeness, ...]:
        return (Likeness(candidate.text, 1.0, 1.0, RuleName.SYSTEM_DUMP, -1.0, boot_text=candidate.text),)

    def parts(self, statement: str) -> tuple[Likeness, ...]:
        return ()


NOTE = "markdown:" + "0f" * 16
MEMORY = "- The saw hangs on the left wall of the shed\n- vegetarian\n"
SOUL = "Answers are calm, dry and never longer than needed."


def judged(text: str, source: str, *, key: str = NOTE, kind: str = "note") -> Verdict:
    judge = Judge(
        boot_files=BootFiles([MEMORY, SOUL]),
        boot_files_for_notes=BootFiles([SOUL]),
        window_ms=WINDOW_MS,
        kept=Kept(),
        meanings=LikeBoot(),
        worth=Worthless(),
    )
    return judge.judge(candidate(text, source, key=key, kind=kind))


@pytest.mark.parametrize(
    "text",
    [
        "vegetarian",
        "不吃辣",
        "Time zone: Lisbon",
        "Scheduled job: nightly backup",
        "thanks",
        "HEARTBEAT_OK",
        SOUL,
    ],
)
def test_what_an_owner_wrote_into_a_memory_file_is_admitted_however_short(text: str):
    assert judged(text, "operator", kind="fact") == ADMITTED
    # The same as a turn, as what a turn of a saved session says, and from a line that calls itself a note.
    for key, kind in (("id:1", "fact"), (NOTE, "note"), (f"{NOTE}#1", "fact")):
        assert not judged(text, "operator", key=key, kind=kind).admitted


def test_a_note_of_the_agent_is_not_the_echo_of_its_own_file():
    note = "The saw hangs on the left wall of the shed"
    assert judged(note, "agent") == ADMITTED
    assert judged(note, "agent", key="id:1").rule == RuleName.BOOT_FILE
    # Other boot files it may repeat, and what is known by its form it remains.
    assert judged("Answers are calm and dry, never longer than needed", "agent").rule == RuleName.BOOT_FILE
    assert judged("HEARTBEAT_OK", "agent").rule == RuleName.HEARTBEAT


def test_a_note_that_holds_nothing_but_a_secret_is_no_fact():
    assert judged("Token: [redacted:github-token]", "operator", kind="fact").rule == RuleName.ONLY_REDACTED
