"""What an owner keeps by hand is harvested whole, whatever else is harvested and in whichever order."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flows.harvest import harvest
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.settings import load_settings
from tasks.run_frame import run_flow
from tests.fakes import FrozenClock
from tests.flows.curated_memory import FACTS, chatter, page
from tests.homes import NOW, write_captures

FIELD = Path(__file__).parents[3] / "shared/data/field"
IN_FIELD = 25
ORDERS = (("markdown", "capture"), ("capture", "markdown"))
PATHS = {"markdown": "workspace", "capture": "capture.jsonl"}


def harvested(home: Path, order: Sequence[str], *, more: str = "") -> RunReceipt:
    """Harvest a workspace and a capture file in an order, with the network that weighs rows."""
    sources = "".join(f'[[sources]]\nkind = "{kind}"\npath = "{PATHS[kind]}"\n' for kind in order)
    (home / "sunrise.toml").write_text(sources + more, encoding="utf-8")
    return run_flow("harvest", harvest, home=str(home), clock=FrozenClock(NOW))


def rows(home: Path) -> list[dict[str, Any]]:
    """Return every row with whether it is in use."""
    with open_home(load_settings(home)) as place:
        found = place.ledger.rows_to_judge(after_id=0, since_ms=0, limit=10_000).to_pylist()
        states = place.ledger.lifecycle_rows().column("state").to_pylist()
    return [{**row, "in_use": state != "archived"} for row, state in zip(found, states, strict=True)]


def in_use(home: Path, origin: str = "operator") -> list[str]:
    return [row["summary"] for row in rows(home) if row["in_use"] and row["source_kind"] == origin]


@pytest.mark.slow
@pytest.mark.skipif(not FIELD.is_dir(), reason=f"the collected inputs are not at {FIELD}")
@pytest.mark.parametrize("order", ORDERS)
def test_all_facts_of_a_collected_workspace_are_in_use(tmp_path: Path, order: Sequence[str]) -> None:
    shutil.copytree(FIELD / "01-curated-memory", tmp_path, dirs_exist_ok=True)
    receipt = harvested(tmp_path, order)
    assert receipt.status is RunStatus.OK
    found = rows(tmp_path)
    assert len(found) == IN_FIELD + 330
    assert len(in_use(tmp_path)) == IN_FIELD
    assert "Likes short, direct answers" in in_use(tmp_path)


@pytest.mark.parametrize("order", ORDERS)
def test_all_notes_of_an_owner_are_in_use_beside_the_chatter_of_tools(
    tmp_path: Path, order: Sequence[str]
) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "MEMORY.md").write_text(page(), encoding="utf-8")
    (tmp_path / "workspace" / "SOUL.md").write_text("Wren answers calmly and never shouts at people.\n")
    echoes = [
        {"ts": NOW, "kind": "note", "source_kind": "agent", "summary": text}
        for text in (
            "Wren always answers calmly and never shouts at people",
            "Ask first before anything leaves this machine",
        )
    ]
    write_captures(tmp_path / "capture.jsonl", [*chatter(330, start_ms=NOW - 86_400_000), *echoes])
    receipt = harvested(tmp_path, order)
    assert receipt.status is RunStatus.OK
    assert sorted(in_use(tmp_path)) == sorted(FACTS)
    assert len(FACTS) == 56
    # The agent's echoes of both boot files are held back all the same.
    assert in_use(tmp_path, "agent") == []
    assert receipt.groups["archived_at_entry_by_rule"]["boot_file"] == 1
    assert receipt.groups["collapsed_by_rule"]["boot_file"] == 1


def test_a_note_that_comes_later_is_in_use_too(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    write_captures(tmp_path / "capture.jsonl", chatter(330, start_ms=NOW - 86_400_000))
    harvested(tmp_path, ("capture",))
    (workspace / "USER.md").write_text("- Pronouns: they/them\n- tea\n")
    (workspace / "memory" / "2026-11-17.md").write_text("- The saw hangs on the left wall\n- 鑰匙在抽屜裡\n")
    harvested(tmp_path, ("capture", "markdown"), more='[admission]\nboot_files = ["workspace/**/*.md"]\n')
    assert in_use(tmp_path) == ["Pronouns: they/them", "tea"]
    assert in_use(tmp_path, "agent") == ["The saw hangs on the left wall", "鑰匙在抽屜裡"]
