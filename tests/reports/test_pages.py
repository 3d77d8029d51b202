"""What holds for every page of the site."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import reports
from tests.reports.pages import PageChecker, assert_golden

NAMES = ["run", "run_anomaly", "run_hostile", "run_running", "index", "index_quiet", "index_empty"]
STYLE = Path(reports.__file__).parent / "templates" / "_style.css.j2"


@pytest.mark.parametrize("name", NAMES)
def test_page_is_as_accepted(name: str, pages: dict[str, str]) -> None:
    assert_golden(name, pages[name])


@pytest.mark.parametrize("name", NAMES)
def test_page_is_well_formed_and_needs_no_network(name: str, pages: dict[str, str]) -> None:
    page = pages[name]
    checker = PageChecker(page)
    assert checker.faults == []
    assert not re.search(r"https?://(?!www\.w3\.org/)|url\((?!#)|@import", page)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in checker.tags}
    assert [tag for tag, _ in checker.tags].count("h1") == 1
    assert [tag for tag, _ in checker.tags].count("main") == 1
    assert page.encode("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_tables_times_and_drawings_are_accessible(name: str, pages: dict[str, str]) -> None:
    tags = PageChecker(pages[name]).tags
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in tags if tag == "th")
    assert all(
        re.match(r"\d{4}-.*\+08:00$", attributes["datetime"] or "")
        for tag, attributes in tags
        if tag == "time"
    )
    drawings = [attributes for tag, attributes in tags if tag == "svg"]
    assert all(drawing["role"] == "img" and drawing["aria-label"] for drawing in drawings)
    assert not any("width" in drawing for drawing in drawings)


def test_page_without_charts_loads_no_chart_library() -> None:
    code = (
        "import sys; from dataclasses import replace; from reports.run_page import render_run_page;"
        "from tests.reports.samples import harvest; render_run_page(replace(harvest(), groups={}));"
        "assert not {'altair', 'vl_convert', 'pandas'} & set(sys.modules)"
    )
    root = Path(reports.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tone_is_readable_on_its_ground(scheme: str) -> None:
    light, dark = STYLE.read_text(encoding="utf-8").split("prefers-color-scheme: dark", 1)
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", light if scheme == "light" else dark))
    for tone in ("good", "look", "bad", "quiet"):
        assert contrast(colours[tone], colours[f"{tone}-wash"]) >= 4.5
        assert contrast(colours[tone], colours["paper"]) >= 4.5
        assert contrast(colours["link"], colours[f"{tone}-wash"]) >= 4.5
    assert contrast(colours["soft"], colours["paper"]) >= 4.5
    assert contrast(colours["soft"], colours["card"]) >= 4.5
    for accent in ("#c26a24", "#d2454f"):
        assert contrast(accent, colours["card"]) >= 3


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
