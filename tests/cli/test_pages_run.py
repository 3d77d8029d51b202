"""README and tutorial are run as they are written, and each command prints what its page shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

_BLOCK = re.compile(
    r"<!-- run -->\n+```(shell|python)\n(.*?)```(?:\n+<!-- prints -->\n+```text\n(.*?)```)?", re.DOTALL
)
_LIST = re.compile(r"<!-- each -->\n+```shell\n(.*?)```", re.DOTALL)
_SHOWN_FOLDER = "/home/dana/sunrise"
"""The folder in which the pages show their commands run."""

# What differs from run to run, known by its form: each is replaced on both sides before they are compared.
_VOLATILE = (
    (r"\d{8}T\d{6}-([a-z]+)-[0-9a-f]{6}", r"RUN-\1"),
    (r"receipts/\d{4}/\d{2}/", "receipts/YEAR/MONTH/"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
    (r"\d{4}-\d{2}-\d{2} \d{2}:\d{2} [+-]\d{2}:\d{2}", "TIME"),
    (r"\b(ok|anomaly|busy|failed|skipped|skipped \(\w+\))  +\d+  +", r"\1 MS "),
    (r"zone +\S+:", "zone ZONE:"),
    (r"\d+\.\d GiB are free", "GIB are free"),
    (r"\d+\.\d+\.\d+ is installed", "VERSION is installed"),
    # Columns are as wide as their widest value, and some of these were masked.
    (r" +", " "),
    (r"[ -]*\n", "\n"),
)
_ENDLESS = {"serve", "up"}


@dataclass(frozen=True)
class Block:
    """A block of commands, and what the page says that they print; None where it shows nothing."""

    language: str
    code: str
    printed: str | None


def blocks_of(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [Block(*match.groups()) for match in _BLOCK.finditer(text)]
    # A mark that stands elsewhere than directly before its block would leave something uncompared.
    assert text.count("<!-- run -->") == len(found)
    assert text.count("<!-- prints -->") == sum(block.printed is not None for block in found)
    return found


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SUNRISE_")}
    bin_folder = Path(sys.executable).parent
    fixed = {"HOME": str(tmp_path), "TZ": "UTC", "COLUMNS": "100", "PATH": f"{bin_folder}:{kept['PATH']}"}
    # Where the machine is busy a question waits only seconds for its vector, and then words alone answer.
    return {**kept, **fixed, "SUNRISE_EMBEDDER__QUERY_TIMEOUT_S": "60"}


def run(block: Block, folder: Path, environment: Mapping[str, str]) -> str:
    programs = {"shell": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
    command = [*programs[block.language], block.code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{block.code}\n{done.stdout}{done.stderr}"
    return done.stdout.replace(str(folder), _SHOWN_FOLDER)


def masked(printed: str) -> str:
    for form, name in _VOLATILE:
        printed = re.sub(form, name, printed)
    return printed.strip()


def differences(page: str, folder: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for block in blocks_of(page):
        printed = run(block, folder, environment)
        if block.printed is None:
            continue
        if masked(printed) != masked(block.printed):
            yield block.code, masked(printed), masked(block.printed)


def test_masks_hide_what_is_volatile_and_nothing_else() -> None:
    line = "harvest  ok       2414   seen 240 = inserted 235 + duplicate 2"
    assert masked(line) == "harvest ok MS seen 240 = inserted 235 + duplicate 2"
    assert masked(line) != masked(line.replace("235", "236"))
    assert masked("mem:6895733d-ee7f-41f1-930a-8d281eb84995  0.99  2026-09-02 19:10 +00:00\n  Text.") == (
        "mem:ID 0.99 TIME\n Text."
    )


def test_the_tutorial_prints_what_it_shows(tmp_path: Path, environment: Mapping[str, str]) -> None:
    shown = [block for block in blocks_of("docs/tutorial.md") if block.printed is not None]
    assert len(shown) >= 8
    assert list(differences("docs/tutorial.md", tmp_path, environment)) == []


def test_the_readme_prints_what_it_shows_on_the_demo_of_make_run(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    (demo,) = re.findall(r"\$\(BIN\)/(sunrise demo .*)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    run(Block("shell", demo, None), tmp_path, environment)
    assert len([block for block in blocks_of("README.md") if block.printed is not None]) == 2
    assert list(differences("README.md", tmp_path, environment)) == []


def test_each_command_of_the_readmes_list_works_in_the_order_of_the_list(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    (commands,) = _LIST.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    lines = [shlex.split(line, comments=True) for line in commands.splitlines()]
    assert {words[1] for words in lines} >= {
        "init",
        "store",
        "recall",
        "doctor",
        "run",
        "undo",
        "serve",
        "up",
    }
    for words in lines:
        if words[1] in _ENDLESS:
            words.append("--help")
        if "RUN" in words:
            newest = max((tmp_path / ".sunrise" / "receipts").rglob("*-grade-*.json"))
            words[words.index("RUN")] = newest.stem
        printed = run(Block("shell", shlex.join(words), None), tmp_path, environment)
        if words[1] == "recall":
            assert "Backups run at 02:30" in printed
        if words[1] == "auto-recall":
            assert "Backups run at 02:30" in printed
