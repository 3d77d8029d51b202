"""The documentation is whole and current, and its links are real."""

from __future__ import annotations

import re

import pytest

from docs.generate import REFERENCE, stale_pages
from docs.library_pages import command_names
from docs.room_pages import frames
from sunrise.domain.schedule import FLOW_NAMES
from sunrise.settings import Settings
from tests.house.tree import ROOT, markdown_files, name_of

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def test_generated_pages_are_current():
    assert stale_pages() == [], "run `make docs`"


def test_every_command_has_its_entry():
    assert {f"## sunrise {name}" for name in command_names()} <= _headings("cli.md")


def test_every_flow_has_its_entry():
    assert {f"## {name}" for name in FLOW_NAMES} <= _headings("flows.md")


def test_every_contract_has_its_entry():
    assert {f"## {frame.__name__}" for _, frame in frames()} <= _headings("contracts.md")


def test_every_setting_has_its_entry():
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    names = [name for name in Settings.model_fields if name not in {"home", "schedules"}]
    expected = []
    for name in names:
        section = getattr(Settings.model_fields[name].annotation, "model_fields", None)
        expected += [name] if section is None else [f"{name}.{key}" for key in section]
    assert [name for name in expected if f"`{name}`" not in page] == []


def test_decisions_are_short_and_have_their_parts():
    pages = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    assert pages
    for number, path in enumerate(pages, start=1):
        text = path.read_text(encoding="utf-8")
        assert path.name.startswith(f"{number:04d}-")
        assert len(text.splitlines()) <= 40, path.name
        assert all(f"## {part}" in text for part in ("Context", "Decision", "Consequences")), path.name


def test_the_notes_for_agents_are_short():
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= 80


def test_links_lead_somewhere():
    broken = []
    for path in markdown_files():
        for link in _LINK.findall(_FENCE.sub("", path.read_text(encoding="utf-8"))):
            target = link.partition("#")[0]
            if target and "://" not in link and not (path.parent / target).exists():
                broken.append((name_of(path), link))
    assert broken == []


def test_every_page_is_linked_from_the_index():
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in markdown_files() if ROOT / "docs" in p.parents}
    assert {page for page in pages - {"index.md"} if f"({page})" not in index} == set()


@pytest.mark.parametrize("page", ["README.md", "AGENTS.md", "CONTRIBUTING.md"])
def test_make_targets_that_are_named_exist(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"`?make ([a-z]+)`?", (ROOT / page).read_text(encoding="utf-8")))
    assert named
    assert {target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)} == set()


def _headings(page):
    return set((REFERENCE / page).read_text(encoding="utf-8").splitlines())
