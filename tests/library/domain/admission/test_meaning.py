from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.candidate import Candidate
from sunrise.domain.admission.examples import EXAMPLES, NEWS
from sunrise.domain.admission.judging import ADMITTED, Judge, Verdict
from sunrise.domain.admission.meaning import Finding, Likeness, Seen, finding_of
from sunrise.domain.admission.rule_names import RuleName
from sunrise.domain.admission.rules import RULES
from tests.library.domain.admission.kept import WINDOW_MS, Kept, candidate

HELD = frozenset({"held_back"})
RULE = "Answers are short"
FACT = "The tariff key lacks a date"
HAPPENED = "Moved the tariff tables to the cache"
FIGURE = "The tariff of 350 EUR is stale"


def like(
    statement: str,
    *,
    boot: float = 0.1,
    junk: float = 0.1,
    kind: RuleName = RuleName.TRANSIENT_STATE,
    news: float = 0.1,
    repeat: float = -1.0,
    seen: Seen | None = None,
    boot_text: str = "",
) -> Likeness:
    return Likeness(statement, boot, junk, kind, news, repeat, seen, boot_text)


def find(
    *told: Likeness, off: frozenset[str] = HELD, source: str = "agent", speaks: bool = True
) -> Finding | None:
    row = candidate(" ".join(one.statement for one in told), source)
    return finding_of(row, told, off=off, boot_figures=frozenset({"85"}), owner_speaks=lambda: speaks)


def rule(*told: Likeness, speaks: bool = True) -> RuleName | None:
    found = find(*told, speaks=speaks)
    return found and found.rule


@pytest.mark.parametrize(
    ("statement", "boot", "restates"),
    [
        (RULE, 0.39, True),
        (RULE, 0.37, False),
        (FIGURE, 0.46, False),
        (FIGURE, 0.48, True),
        ("Moved the tariff of 350 EUR", 0.59, False),
        ("Moved the tariff of 350 EUR", 0.61, True),
        ("The move of the tariff of 350 EUR failed because of the cache", 0.99, False),
    ],
)
def test_the_more_hints_at_news_the_nearer_must_a_boot_file_be(
    statement: str, boot: float, restates: bool
) -> None:
    assert rule(like(statement, boot=boot)) is (RuleName.BOOT_FILE if restates else None)


def test_a_figure_is_known_where_the_sentence_of_the_boot_file_has_it() -> None:
    told = "Disks are above 85 %"
    assert rule(like(told, boot=0.4, boot_text="Disk above 85 %")) is RuleName.BOOT_FILE
    assert rule(like(told, boot=0.4, boot_text="Disk above 90 %")) is None


def test_what_is_nearer_to_news_than_to_a_boot_file_restates_none() -> None:
    assert rule(like(RULE, boot=0.5, news=0.54)) is RuleName.BOOT_FILE
    assert rule(like(RULE, boot=0.5, news=0.56)) is None


@pytest.mark.parametrize(
    ("statement", "junk", "news", "is_junk"),
    [
        (FACT, 0.4, 0.27, True),
        (FACT, 0.4, 0.29, False),
        (FACT, 0.27, 0.0, False),
        (HAPPENED, 0.5, 0.31, False),
        (HAPPENED, 0.5, 0.29, True),
        ("The tariff failed", 0.9, 0.1, False),
    ],
)
def test_a_kind_of_junk_is_nearer_than_news(statement: str, junk: float, news: float, is_junk: bool) -> None:
    found = rule(like(statement, junk=junk, news=news))
    assert found is (RuleName.TRANSIENT_STATE if is_junk else None)


def test_figures_of_the_works_are_none_that_tell() -> None:
    told = like("The port is 18789", junk=0.4, news=0.25, kind=RuleName.SYSTEM_DUMP)
    assert rule(told) is RuleName.SYSTEM_DUMP


def test_a_tick_needs_no_example() -> None:
    beat = like("Heartbeat ran at 08:30, all quiet")
    assert rule(beat) is rule(beat, like(RULE, boot=0.9)) is RuleName.HEARTBEAT


def test_what_looks_like_a_label_may_tick() -> None:
    row = candidate("cron finished: tea status ok")
    told = [like("tea status ok")]
    kwargs: dict[str, Any] = {"boot_figures": frozenset(), "owner_speaks": bool}
    found = finding_of(row, told, off=frozenset(), **kwargs)
    assert found == Finding(RuleName.CRON_CHATTER)
    assert finding_of(row, told, off=frozenset({"cron_chatter"}), **kwargs) is None


def test_what_nobody_said_of_the_owner_is_made_up_where_his_rows_are_known() -> None:
    claim = "The user owns a boat"
    assert rule(like(claim)) is RuleName.UNSUPPORTED_PROFILE
    assert rule(like(claim), speaks=False) is None
    assert rule(like(claim, news=0.46)) is None
    assert rule(like("The user said that he owns a boat")) is None
    said = Seen("I own a boat", "k1")
    assert find(like(claim, repeat=0.7, seen=said)) == Finding(RuleName.NEAR_DUPLICATE, "k1")


@pytest.mark.parametrize(
    ("statement", "earlier", "repeat", "is_repeat"),
    [
        (FACT, "The key of the tariff has no day", 0.56, False),
        (FACT, "A date is missing from the tariff key", 0.52, False),
        (FACT, "Keys of tariffs come without any date", 0.56, True),
        (HAPPENED, "The cache holds the tariff tables now", 0.54, False),
        (HAPPENED, "The cache holds the tariff tables now", 0.56, True),
        (FIGURE, "350 EUR, that tariff is old", 0.46, True),
        (FIGURE, "340 EUR, that tariff is old", 0.99, False),
        ("Bob pays Alice for the bread", "Alice pays Bob for the bread", 0.99, False),
        ("Bob pays Alice for the bread", "Bob pays Alice for the bread", 0.99, True),
        ("The run at 12:30 is late", "The run at 12:45 is late", 0.99, False),
    ],
)
def test_a_repeat_is_near_and_agrees_in_what_turns_a_meaning(
    statement: str, earlier: str, repeat: float, is_repeat: bool
) -> None:
    found = find(like(statement, repeat=repeat, seen=Seen(earlier, "k1")))
    assert found == (Finding(RuleName.NEAR_DUPLICATE, "k1") if is_repeat else None)


def test_what_is_like_a_hidden_row_is_of_its_kind() -> None:
    hidden = Seen("The run at 12:45 is late", rule=RuleName.CRON_CHATTER)
    assert rule(like("The run at 12:30 is late", repeat=0.6, seen=hidden)) is RuleName.CRON_CHATTER
    assert rule(like("The run of 350 EUR is late", repeat=0.7, seen=hidden)) is None
    assert rule(like("The run failed", repeat=0.9, seen=hidden)) is None


def test_lines_of_the_gateway_may_differ_in_times_and_ids() -> None:
    earlier = Seen("lane dcb25409 opens", "k1")
    told = like("lane 73855f6f opens", repeat=0.81, seen=earlier)
    assert find(told, source="system") == Finding(RuleName.NEAR_DUPLICATE, "k1")
    assert find(told) is None


def test_a_row_is_news_as_soon_as_one_statement_is() -> None:
    known, news = like(RULE, boot=0.9), like(FACT)
    assert rule(known, known) is RuleName.BOOT_FILE
    assert rule(known, news) is rule(news, known) is rule() is None
    again = like(FACT, repeat=0.9, seen=Seen("Keys of tariffs come without any date", "k1"))
    assert find(known, again) == Finding(RuleName.NEAR_DUPLICATE, "k1")


def test_a_rule_that_is_switched_off_finds_nothing() -> None:
    assert find(like(RULE, boot=0.9), off=HELD | {"boot_file"}) is None
    again = like(FACT, repeat=0.9, seen=Seen("Keys of tariffs come without any date", "k1"))
    assert find(again, off=HELD | {"near_duplicate"}) is None


class Told:
    """Meanings that were said beforehand, by text."""

    def __init__(self, told: dict[str, Likeness]) -> None:
        self.told = told

    def likeness(self, row: Candidate) -> Sequence[Likeness]:
        return [self.told[row.text]] if row.text in self.told else []

    def parts(self, statement: str) -> Sequence[Likeness]:
        return []


def judged(*rows: Candidate, told: dict[str, Likeness]) -> list[Verdict]:
    kept = Kept()
    judge = Judge(off=HELD, boot_files=BootFiles(()), window_ms=WINDOW_MS, kept=kept, meanings=Told(told))
    verdicts = []
    for row in rows:
        verdicts.append(judge.judge(row))
        kept.take(row, verdicts[-1])
    return verdicts


def test_the_judge_asks_for_meanings_last_and_of_made_rows_only() -> None:
    told = {FACT: like(FACT, boot=0.9), RULE: like(RULE, boot=0.9)}
    rows = (
        candidate(FACT, key="1"),
        candidate(RULE, key="2"),
        candidate(FACT, "operator", key="3"),
        candidate(FACT, "web", key="4"),
        candidate("The kettle is blue", key="5"),
        candidate(FACT, key="6", memory_id="m1"),
    )
    first, second, *others = judged(*rows, told=told)
    assert first == Verdict(None, RuleName.BOOT_FILE, archived=True)
    assert second == Verdict("1", RuleName.BOOT_FILE)
    assert others == [ADMITTED] * 4


def test_a_repeat_by_meaning_is_counted_on_the_kept_row() -> None:
    said, again = "Keys of tariffs come without any date", "So the tariff key has no date"
    told = {again: like(again, repeat=0.9, seen=Seen(said, "1"))}
    assert judged(candidate(said, "operator", key="1"), candidate(again, key="2"), told=told) == [
        ADMITTED,
        ADMITTED,
    ]
    told = {FACT: like(FACT, repeat=0.9, seen=Seen(said, "1"))}
    _, repeat = judged(candidate(said, "operator", key="1"), candidate(FACT, key="2"), told=told)
    assert repeat == Verdict("1", RuleName.NEAR_DUPLICATE)


def test_of_the_owner_nothing_is_made_up_until_he_is_heard() -> None:
    claim = "The user owns a boat"
    told = {claim: like(claim)}
    heard = candidate("I live near a lake", "operator", key="0")
    assert judged(candidate(claim, key="1"), told=told) == [ADMITTED]
    rule = RuleName.UNSUPPORTED_PROFILE
    assert [one.rule for one in judged(heard, candidate(claim, key="1"), told=told)] == [None, rule]


def test_the_examples_are_of_rules_and_no_text_is_junk_and_news() -> None:
    assert {kind for kind, _ in EXAMPLES} <= {one.name for one in RULES}
    texts = [text for _, text in EXAMPLES]
    assert len({*texts, *NEWS}) == len(texts) + len(NEWS)


RULE_ROW = "The reports hold figures and no adjectives"
DEFINITE = "Paid the Novak bill of 850 EUR for the new tariff tables"


def held(*told: Likeness, source: str = "agent", speaks: bool = True, **kwargs: Any) -> Finding | None:
    return find(*told, off=kwargs.get("off", frozenset()), source=source, speaks=speaks)


def test_what_only_the_agent_says_and_says_in_few_words_is_held_back() -> None:
    assert held(like(RULE_ROW)) == Finding(RuleName.HELD_BACK)
    assert held(like(DEFINITE)) is None
    assert held(like(RULE_ROW), off=HELD) is None


def test_nothing_is_held_back_of_an_import_or_where_the_owner_is_not_heard() -> None:
    assert held(like(RULE_ROW), source="import") is held(like(RULE_ROW), speaks=False) is None


def test_a_row_is_held_back_for_what_is_left_of_it_when_the_known_is_taken_off() -> None:
    assert held(like(RULE, boot=0.9), like(RULE_ROW)) == Finding(RuleName.HELD_BACK)
    assert held(like(RULE, boot=0.9), like(DEFINITE)) is None


def test_what_adds_a_figure_to_a_known_row_is_news() -> None:
    again = like(FACT, repeat=0.9, seen=Seen("Keys of tariffs come without any date", "k1"))
    assert held(again, like("ticket 33")) is None
    assert held(again, like("as ever")) == Finding(RuleName.NEAR_DUPLICATE, "k1")


def test_a_word_or_two_state_nothing() -> None:
    kwargs: dict[str, Any] = {"boot_figures": frozenset(), "owner_speaks": lambda: True}
    word = candidate("12:30")
    assert finding_of(word, [], off=frozenset(), **kwargs) == Finding(RuleName.HELD_BACK)
    assert finding_of(word, [], off=HELD, **kwargs) is None
    assert finding_of(candidate("12:30", "import"), [], off=frozenset(), **kwargs) is None


def test_what_is_like_a_held_row_is_counted_on_it() -> None:
    seen = Seen(RULE_ROW, "k1", RuleName.HELD_BACK, RULE_ROW)
    again = like("No adjectives, figures", repeat=0.6, seen=seen)
    assert held(again) == Finding(RuleName.HELD_BACK, "k1")
    assert held(like(DEFINITE, repeat=0.6, seen=seen)) is None


def test_a_repeat_may_be_of_one_of_the_next_rows_and_of_all_of_it() -> None:
    other = Seen("850 EUR, that was Novak", "k2", row="850 EUR, that was Novak. It was for order 12")
    far = Seen("Rain on Monday", "k1")
    told = like("Novak got 850 EUR for order 12", repeat=0.5, seen=far)
    assert find(told) is None
    near = Likeness(
        told.statement, 0.1, 0.1, told.kind, 0.1, repeat=0.5, seen=far, others=((0.5, far), (0.45, other))
    )
    assert find(near) == Finding(RuleName.NEAR_DUPLICATE, "k2")


def test_a_statement_is_known_when_each_of_its_clauses_is() -> None:
    row = candidate("From the files: answers are short, keys are dated")
    parts = [like("From the files"), like("answers are short", boot=0.9), like("keys are dated", boot=0.9)]
    kwargs: dict[str, Any] = {"off": HELD, "boot_figures": frozenset(), "owner_speaks": bool}
    told = [like(row.text)]
    assert finding_of(row, told, parts=lambda _: parts, **kwargs) == Finding(RuleName.BOOT_FILE)
    assert finding_of(row, told, parts=lambda _: [*parts, like(FACT)], **kwargs) is None
    assert finding_of(row, told, parts=lambda _: parts[:2], **kwargs) is None


def test_each_held_row_is_kept_by_itself_and_what_a_tool_says_of_the_user_is_weighed() -> None:
    said, other = "The user likes short reports", RULE_ROW
    told = {said: like(said), other: like(other)}
    kept = Kept()
    judge = Judge(boot_files=BootFiles(()), window_ms=WINDOW_MS, kept=kept, meanings=Told(told))
    judge.hear_owner()
    off = Judge(boot_files=BootFiles(()), window_ms=WINDOW_MS, kept=kept)
    rows = [candidate(said, "tool", key="1"), candidate(other, key="2")]
    for row in rows:
        verdict = judge.judge(row)
        assert (verdict.archived, verdict.collapse_onto) == (True, None)
    assert off.judge(rows[0]) == ADMITTED
