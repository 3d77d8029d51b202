"""An agent of a real OpenClaw gateway uses the MCP door over both transports."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunReceipt, RunStatus
from sunrise.serve.tokens import BoundToken, Caller, TokenBook, hash_of
from sunrise.settings import load_settings
from tests.openclaw_gateway import gateway
from tests.serving import served
from tests.spoken_model import spoken_model

RUN = "20261118T110640Z-grade-123456"
SECRET = "operator" * 5
BOOK = TokenBook((BoundToken(hash_of(SECRET), Caller("operator")),))


@pytest.mark.slow
@pytest.mark.node
@pytest.mark.timeout(900)
def test_an_agent_of_a_gateway_stores_recalls_and_forgets(own_home: Path, tmp_path: Path) -> None:
    with open_home(load_settings(own_home)) as opened:
        opened.ledger.save_run(RunReceipt(run_id=RUN, flow="grade", status=RunStatus.OK, started_ms=1))
    with served(own_home, tokens=BOOK, mcp=True) as running, spoken_model() as model:
        http = {
            "url": f"{running.url}/mcp", "transport": "streamable-http",
            "headers": {"Authorization": f"Bearer {SECRET}"},
        }  # fmt: skip
        stdio = {"command": str(_command(tmp_path)), "args": ["mcp"], "env": {"SUNRISE_HOME": str(own_home)}}
        with gateway(tmp_path / "gateway", model=model, servers={"http": http, "stdio": stdio}) as agent:
            # What one of the doors is told the other one knows.
            for door, other in (("http", "stdio"), ("stdio", "http")):
                _round(agent.call, door, other)
            tools = set(agent.call("none")["tools"])
    assert {name.partition("__")[2] for name in tools if name.startswith("http__")} == {
        "memory_recall", "memory_store", "memory_forget", "memory_list", "memory_stats", "memory_get",
        "memory_export", "memory_import", "resources_list", "resources_read",
    }  # fmt: skip


def _round(call: Any, door: str, other: str) -> None:
    said = f"The {door} lamp has a green shade \ud83d"
    stored = call(f"{door}__memory_store", text=said, category="fact")
    assert stored["status"] == "created"
    for one in (door, other):
        found = call(f"{one}__memory_recall", query=f"{door} lamp shade")
        assert {item["text"] for item in found["items"]} >= {f"The {door} lamp has a green shade \ufffd"}
    assert call(f"{door}__memory_get", ref=stored["ref"])["memory"]["category"] == "fact"
    assert call(f"{door}__memory_list", limit=1)["items"][0]["ref"] == stored["ref"]
    assert call(f"{door}__memory_stats")["stats"]["by"]["category"]["fact"] == 1
    assert "green shade" in call(f"{door}__memory_export", format="markdown")["lines"]
    counts = call(f"{door}__memory_import", lines='{"text": "A chair"}', dry_run=True)["counts"]
    assert counts["imported"] == 1
    # The gateway itself says what the schema does not know.
    assert "dryRun" in call(f"{door}__memory_import", lines='{"text": "A chair"}', dryRun=True)
    (receipt,) = call(f"{door}__resources_list")["resources"]
    (read,) = call(f"{door}__resources_read", uri=receipt["uri"])["contents"]
    assert RUN in read["text"]
    assert call(f"{other}__memory_forget", id=stored["ref"])["status"] == "forgotten"
    items = call(f"{door}__memory_recall", query=f"{door} lamp shade")["items"]
    assert stored["ref"] not in {item["ref"] for item in items}


def _command(folder: Path) -> Path:
    # The gateway hands no PYTHONPATH on, and the tests may run on a tree that is not installed.
    command = folder / "sunrise"
    path = os.pathsep.join(one for one in sys.path if one)
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{path}" exec "{sys.executable}" -m sunrise "$@"\n', encoding="utf-8"
    )
    command.chmod(0o755)
    return command
