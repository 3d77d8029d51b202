from __future__ import annotations

from dataclasses import replace

from reports.index_page import render_index_page
from sunrise.domain.receipts import RunReceipt, RunStatus
from tests.reports.pages import PageChecker
from tests.reports.samples import HOUR, NOON, ZONE, harvest, history, writeback


def read(receipts: list[RunReceipt], due: dict[str, int | None] | None = None) -> PageChecker:
    return PageChecker(render_index_page(receipts, generated_ms=NOON + HOUR, zone=ZONE, due=due or {}))


def test_all_quiet_when_nothing_needs_a_look() -> None:
    assert "All quiet: 1 flow, none needs a look. Last run 27 Nov, 12:00." in read([harvest()]).text


def test_a_bad_run_makes_the_headline() -> None:
    shown = read([harvest(), writeback()]).text
    assert "1 flow needs a look." in shown
    assert "writeback : does not add up" in shown


def test_a_good_run_mends_and_a_skipped_or_dry_one_does_not() -> None:
    failed = harvest("h1", started_ms=NOON - HOUR, status=RunStatus.FAILED)
    skipped = harvest("h2", status=RunStatus.SKIPPED)
    assert "All quiet" in read([failed, harvest("h3")]).text
    assert "harvest : failed" in read([failed, skipped]).text
    assert "since then skipped, 27 Nov, 12:00" in read([failed, skipped]).text
    assert "harvest : failed" in read([failed, replace(harvest("h4"), dry_run=True)]).text


def test_a_missed_run_is_named_after_some_grace() -> None:
    assert (
        "lifecycle missed its run, due 27 Nov, 07:00"
        in read([harvest()], {"lifecycle": NOON - 5 * HOUR}).text
    )
    assert "All quiet" in read([harvest()], {"lifecycle": NOON + HOUR - 60_000, "snapshot": None}).text


def test_children_stand_below_their_parent_in_order() -> None:
    day = replace(harvest("day", started_ms=NOON - 1), flow="sunrise", balances=())
    first = harvest("one", parent="day")
    second = harvest("two", started_ms=NOON + 5, parent="day")
    later = harvest("later", started_ms=NOON + 9)
    links = read([second, first, later, day]).links
    assert links[-4:] == ["runs/later.html", "runs/day.html", "runs/one.html", "runs/two.html"]


def test_a_child_whose_parent_is_gone_names_it() -> None:
    assert "part of gone-17" in read([harvest(parent="gone-17")]).text


def test_a_run_that_claims_to_be_its_own_parent_is_listed_once() -> None:
    assert read([harvest("loop", parent="loop")]).links.count("runs/loop.html") == 2  # its flow and its run


def test_only_the_newest_hundred_runs_are_listed() -> None:
    many = [harvest(f"h{index:03}", started_ms=NOON - index * HOUR) for index in range(130)]
    page = read(many)
    assert "The newest 100 of 130." in page.text
    assert "runs/h099.html" in page.links
    assert "runs/h100.html" not in page.links


def test_every_listed_run_links_to_its_page() -> None:
    odd = harvest("a/b c")
    assert "runs/a%2Fb%20c.html" in read([odd, *history()]).links


def test_flows_keep_the_order_of_the_schedule() -> None:
    shown = read([], {"snapshot": None, "grade": None}).text
    assert shown.index("snapshot") < shown.index("grade")
