"""Reading pages back: a tag checker and the golden comparison."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).parent
ACCEPT = os.environ.get("SUNRISE_ACCEPT_GOLDEN") == "1"
VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}


class PageChecker(HTMLParser):
    """Collects the text, tags and links of a page, and every tag that is closed wrongly or never."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        self.faults += [f"<{tag}> never closed" for tag in self.open]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def links(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.tags if tag == "a"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes nothing")

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)


def assert_golden(name: str, page: str) -> None:
    """Compare with the golden page; SUNRISE_ACCEPT_GOLDEN=1 accepts, a mismatch is kept in ``actual/``."""
    scrubbed = _scrub(page)
    golden = HERE / "golden" / f"{name}.html"
    if ACCEPT:
        golden.write_text(scrubbed, encoding="utf-8")
    if not golden.exists() or golden.read_text(encoding="utf-8") != scrubbed:
        actual = HERE / "actual" / f"{name}.html"
        actual.parent.mkdir(exist_ok=True)
        actual.write_text(scrubbed, encoding="utf-8")
        raise AssertionError(f"{name} differs: diff {golden.relative_to(HERE)} {actual.relative_to(HERE)}")


def _scrub(page: str) -> str:
    # What Vega draws and how the page looks are not the golden pages' subject; the chart's label is.
    page = re.sub(
        r'(<svg class="chart")[^>]*?( role="img"[^>]*>).*?</svg>', r"\1\2</svg>", page, flags=re.DOTALL
    )
    return re.sub(r"<style>.*?</style>", "<style></style>", page, flags=re.DOTALL)
