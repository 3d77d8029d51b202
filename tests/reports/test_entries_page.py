from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reports
from reports.entries_page import first_day, held_back, render_entries_page, why
from reports.index_page import render_index_page
from sunrise.domain.admission.rules import RuleName
from sunrise.domain.payloads import PayloadReason
from sunrise.domain.records import EntryCount
from tests.reports.pages import PageChecker, assert_golden
from tests.reports.samples import HOSTILE, NOON, ZONE

TODAY = "2025-11-27"
NO_WORDS = "for a reason that this page has no words for"
DISJOINT = ("admitted", "collapsed", "quarantined", "refused")

# The last day, one in the month, the month's first one, and the day before it.
MONTH = (
    EntryCount("2025-10-28", "admitted", "new", "tool", 1_000_000),
    EntryCount("2025-10-29", "admitted", "new", "tool", 1000),
    EntryCount("2025-10-29", "refused", "malformed_json", "old.jsonl", 2),
    EntryCount("2025-11-20", "collapsed", "heartbeat", "system", 40),
    EntryCount("2025-11-20", "quarantined", "hidden_text", "web", 5),
    EntryCount("2025-11-20", "redacted", "github-token", "tool", 1),
    EntryCount(TODAY, "admitted", "new", "agent", 150),
    EntryCount(TODAY, "admitted", "new", "tool", 50),
    EntryCount(TODAY, "collapsed", "near_duplicate", "operator", 30),
    EntryCount(TODAY, "collapsed", "heartbeat", "agent", 17),
    EntryCount(TODAY, "quarantined", "instruction_override", "web", 2),
    EntryCount(TODAY, "refused", "summary.missing", "a.jsonl", 1),
    EntryCount(TODAY, "redacted", "github-token", "tool", 3),
)


def page_of(*entries: EntryCount) -> str:
    return render_entries_page(entries, today=TODAY, generated_ms=NOON, zone=ZONE)


def read(*entries: EntryCount) -> PageChecker:
    return PageChecker(page_of(*entries))


def columns(page: str) -> list[dict[str, int]]:
    """The columns of the chart, each as rows by outcome."""
    chart = page.partition('<div class="columns"')[2].partition("</div>")[0]
    return [
        {name: int(rows) for name, rows in re.findall(r'<i class="(\w+)" style="flex-grow:(\d+)">', column)}
        for column in chart.split("</span>")[:-1]
    ]


def test_the_page_is_as_accepted() -> None:
    assert_golden("entries", page_of(*MONTH))
    assert_golden("entries_empty", page_of())


def test_the_page_is_well_formed_and_needs_no_network() -> None:
    page = page_of(*MONTH)
    checker = PageChecker(page)
    tags = [tag for tag, _ in checker.tags]
    assert checker.faults == []
    assert not re.search(r"https?://|url\((?!#)|@import", page)
    assert not {"script", "link", "img", "iframe"} & set(tags)
    assert (tags.count("h1"), tags.count("main")) == (1, 1)
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in checker.tags if tag == "th")


def test_the_sums_of_the_day_and_of_the_month_stand_at_the_top() -> None:
    text = read(*MONTH).text
    assert (
        "On 27 Nov 250 rows came: 200 admitted, 47 collapsed, 2 entered hidden, 1 refused."
        " Secrets were taken out 3 times." in text
    )
    # 250 of the last day, 45 of the 20th, 1,002 of the first.
    assert (
        "From 29 Oct to 27 Nov 1,297 rows came: 1,200 admitted, 87 collapsed, 7 entered hidden, 3 refused."
        " Secrets were taken out 4 times." in text
    )
    assert "1,000,000" not in text


def test_nothing_is_said_in_two_sentences() -> None:
    checker = read()
    assert "On 27 Nov nothing came. From 29 Oct to 27 Nov nothing came." in checker.text
    assert not {"table", "details"} & {tag for tag, _ in checker.tags}


def test_an_outcome_without_rows_is_a_sentence() -> None:
    text = read(EntryCount(TODAY, "admitted", "new", "agent", 1)).text
    assert "On 27 Nov 1 row came: 1 admitted." in text
    for silence in ("Nothing was collapsed.", "Nothing entered hidden.", "Nothing was refused."):
        assert silence in text
    assert "No secret was found." in text
    assert "sunrise trust" not in text


@pytest.mark.parametrize(
    ("entry", "tone"),
    [
        (EntryCount(TODAY, "quarantined", "hidden_text", "web", 1), "look"),
        (EntryCount(TODAY, "refused", "malformed_json", "a.jsonl", 1), "look"),
        (EntryCount("2025-11-26", "refused", "malformed_json", "a.jsonl", 1), "good"),
        (EntryCount(TODAY, "collapsed", "heartbeat", "agent", 9), "good"),
        (EntryCount("2025-10-28", "refused", "malformed_json", "a.jsonl", 1), "quiet"),
    ],
)
def test_what_came_hidden_or_broken_on_the_last_day_asks_for_a_look(entry: EntryCount, tone: str) -> None:
    assert f'<div class="verdict {tone}">' in page_of(entry)


def test_a_reason_is_told_in_words_with_its_sources_last_day_and_sum() -> None:
    text = read(*MONTH).text.replace("\xa0", " ")
    assert (
        "heartbeat it is the prompt of a heartbeat, or tells that it found nothing system 40, agent 17"
        " 27 Nov 57" in text
    )
    assert "hidden_text it holds text that a person does not see web 5 20 Nov 5" in text
    assert "summary.missing summary: a field that must be there is empty a.jsonl 1 27 Nov 1" in text
    assert "github-token revoke it where it was issued and make a new one tool 4 27 Nov 4" in text


def test_the_reason_with_most_rows_comes_first_and_equal_ones_by_name() -> None:
    text = read(
        EntryCount(TODAY, "collapsed", "heartbeat", "agent", 3),
        EntryCount(TODAY, "collapsed", "boot_file", "agent", 3),
        EntryCount(TODAY, "collapsed", "transient_state", "agent", 4),
    ).text
    places = [text.index(name) for name in ("transient_state", "boot_file", "heartbeat")]
    assert places == sorted(places)


def test_every_origin_is_named_and_of_many_files_the_first_three() -> None:
    origins = ("operator", "agent", "tool", "web", "import", "system")
    six = [EntryCount(TODAY, "admitted", "new", name, 9 - at) for at, name in enumerate(origins)]
    told = read(*six).text.replace("\xa0", " ")
    assert "operator 9, agent 8, tool 7, web 6, import 5, system 4" in told
    files = [EntryCount(TODAY, "refused", "malformed_json", f"f{number}.jsonl", 1) for number in range(7)]
    told = read(*files).text.replace("\xa0", " ")
    assert "f0.jsonl 1, f1.jsonl 1, f2.jsonl 1, 4 others 4" in told


def test_the_commands_that_help_are_named() -> None:
    text = read(*MONTH).text
    for command in ("admission rules", "trust list", "trust release REF", "quarantine list", "sweep"):
        assert f"sunrise {command} " in text


@pytest.mark.parametrize(
    ("outcome", "reasons"), [("collapsed", list(RuleName)), ("quarantined", list(PayloadReason))]
)
def test_every_rule_has_words_of_its_own(outcome: str, reasons: list[str]) -> None:
    words = {why(outcome, str(reason)) for reason in reasons}
    assert len(words) == len(reasons)
    assert NO_WORDS not in words


def test_a_reason_that_nobody_knows_is_still_counted() -> None:
    for outcome in ("admitted", "collapsed", "quarantined"):
        assert f"odd {NO_WORDS} agent 2" in read(EntryCount(TODAY, outcome, "odd", "agent", 2)).text.replace(
            "\xa0", " "
        )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("database-password", "change it wherever it is used"),
        ("slack-webhook", "whoever knows it can post: make a new one"),
        ("private-key", "revoke it where it was issued and make a new one"),
        ("ssn", "a number of a person: nothing to change"),
    ],
)
def test_a_kind_of_secret_says_what_to_do(kind: str, words: str) -> None:
    assert why("redacted", kind) == words


def test_the_chart_has_a_column_a_day_in_proportion_and_only_of_what_is_disjoint() -> None:
    page = page_of(*MONTH)
    drawn = columns(page)
    assert len(drawn) == 30
    assert drawn[0] == {"admitted": 1000, "refused": 2}
    assert drawn[22] == {"collapsed": 40, "quarantined": 5}
    assert drawn[29] == {"admitted": 200, "collapsed": 47, "quarantined": 2, "refused": 1}
    assert not any(drawn[1:22] + drawn[23:29])
    # 45 and 250 of 1,002.
    heights = re.findall(r'style="height:([\d.]+)%"', page)
    assert (heights[0], heights[22], heights[29], heights[1]) == ("100.0", "4.5", "25.0", "0.0")


@given(
    st.lists(
        st.builds(
            EntryCount,
            st.sampled_from(["2025-10-28", "2025-10-29", "2025-11-11", TODAY, "2025-11-28"]),
            st.sampled_from([*DISJOINT, "redacted"]),
            st.sampled_from(["new", "heartbeat"]),
            st.sampled_from(["agent", "tool"]),
            st.integers(1, 9),
        )
    )
)
def test_chart_and_table_say_the_same(entries: list[EntryCount]) -> None:
    page = page_of(*entries)
    days: dict[str, dict[str, int]] = {}
    for one in entries:
        if "2025-10-29" <= one.day <= TODAY and one.outcome in DISJOINT:
            rows = days.setdefault(one.day, {})
            rows[one.outcome] = rows.get(one.outcome, 0) + one.rows
    assert [drawn for drawn in columns(page) if drawn] == [days[day] for day in sorted(days)]
    table = page.partition("<details>")[2].partition("</details>")[0]
    cells = [
        [int(cell) for cell in re.findall(r'<td class="num">(\d+)</td>', row)] for row in table.split("</tr>")
    ]
    expected = [
        [*(days[day].get(name, 0) for name in DISJOINT), sum(days[day].values())]
        for day in sorted(days, reverse=True)
    ]
    assert [row for row in cells if row] == expected


def test_a_hostile_source_is_only_text() -> None:
    page = page_of(EntryCount(TODAY, "refused", "malformed_json", HOSTILE, 1))
    assert PageChecker(page).faults == []
    assert "<script>" not in page
    assert page.encode("utf-8")


@pytest.mark.parametrize(
    ("today", "first"),
    [("2026-11-28", "2026-10-30"), ("2026-01-10", "2025-12-12"), ("2028-03-01", "2028-02-01")],
)
def test_thirty_days_end_with_the_day(today: str, first: str) -> None:
    assert first_day(today) == first


def test_held_back_is_what_was_collapsed_or_hidden_on_one_day() -> None:
    assert held_back(MONTH, day=TODAY) == 49
    assert held_back(MONTH, day="2025-11-21") == 0


def test_the_first_page_links_to_it_where_rows_were_counted() -> None:
    def shown(held: int | None) -> PageChecker:
        return PageChecker(render_index_page([], generated_ms=NOON, zone=ZONE, held_back=held))

    assert "What entered : 49 rows were collapsed or hidden on 27 Nov" in shown(49).text
    assert "What entered : 0 rows were collapsed or hidden on 27 Nov" in shown(0).text
    assert shown(1).links == ["entries.html"]
    assert shown(None).links == []


def test_the_page_loads_neither_rules_nor_charts() -> None:
    code = (
        "import sys; from reports.entries_page import render_entries_page;"
        "render_entries_page([], today='2026-11-28', generated_ms=0, zone='UTC');"
        "assert not {'altair', 'sunrise.domain.admission', 'sunrise.domain.payload_rules'} & set(sys.modules)"
    )
    root = Path(reports.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
