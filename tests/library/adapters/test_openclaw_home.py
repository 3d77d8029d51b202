from __future__ import annotations

import json
from pathlib import Path

import pytest

from sunrise.adapters.openclaw_home import FoundSource, discover, find_openclaw_home

FILES = (
    "memory/openclaw-mem-observations.jsonl",
    "memory/lancedb/memories.lance/data",
    "agents/main/sessions/sessions.json",
    "agents/main/agent/openclaw-agent.sqlite",
    "agents/ada/sessions/a.jsonl",
    "workspace/MEMORY.md",
)


def fill(home: Path, *files: str) -> Path:
    for name in files:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("- a", encoding="utf-8")
    return home


def found(home: Path) -> list[tuple[str, str]]:
    return [(source.kind, source.path.relative_to(home).as_posix()) for source in discover(home)]


def test_the_home_is_where_the_gateway_would_look(tmp_path: Path) -> None:
    for name in ("state", "home/.openclaw", "user/.openclaw"):
        (tmp_path / name).mkdir(parents=True)
    user = {"HOME": str(tmp_path / "user")}
    own = {**user, "OPENCLAW_HOME": str(tmp_path / "home")}
    state = {**own, "OPENCLAW_STATE_DIR": str(tmp_path / "state")}
    assert find_openclaw_home(user) == tmp_path / "user/.openclaw"
    assert find_openclaw_home({**user, "OPENCLAW_HOME": " "}) == tmp_path / "user/.openclaw"
    assert find_openclaw_home(own) == tmp_path / "home/.openclaw"
    assert find_openclaw_home(state) == tmp_path / "state"


def test_a_named_home_that_is_not_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / ".openclaw").mkdir()
    environ = {"HOME": str(tmp_path), "OPENCLAW_STATE_DIR": str(tmp_path / "nowhere")}
    assert find_openclaw_home(environ) is None


def test_without_variables_it_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert find_openclaw_home({}) is None
    (tmp_path / ".openclaw").mkdir()
    assert find_openclaw_home({}) == tmp_path / ".openclaw"


def test_everything_readable_is_found(tmp_path: Path) -> None:
    assert found(fill(tmp_path, *FILES)) == [
        ("capture", "memory/openclaw-mem-observations.jsonl"),
        ("sessions", "agents/ada/sessions"),
        ("sessions", "agents/main/sessions"),
        ("transcripts", "agents/main/agent/openclaw-agent.sqlite"),
        ("workspace", "workspace"),
        ("memories", "memory/lancedb"),
    ]


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert discover(tmp_path) == ()
    assert discover(tmp_path / "nowhere") == ()
    assert list(tmp_path.iterdir()) == []


def test_the_config_moves_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    fill(tmp_path, "desk/MEMORY.md", "ada/memory/2026-11-28.md", "captures.jsonl", "vectors/x", *FILES)
    config = """{
      // where the agents work
      "agents": {"defaults": {"workspace": "~/desk",}, "list": [{"id": "ada", "workspace": "ada"}, "odd"]},
      /* "plugins": null, */
      "plugins": {"entries": {
        "memory-lancedb": {"config": {"dbPath": "vectors"}},
        "openclaw-mem": {"config": {"outputPath": "captures.jsonl", "url": "http://a//b"}},
      }},
    }"""
    (tmp_path / "openclaw.json").write_text(config, encoding="utf-8")
    expected = {
        ("capture", "captures.jsonl"),
        ("capture", "memory/openclaw-mem-observations.jsonl"),
        ("workspace", "desk"),
        ("workspace", "ada"),
        ("memories", "vectors"),
    }
    assert {pair for pair in found(tmp_path) if pair[0] not in {"sessions", "transcripts"}} == expected


@pytest.mark.parametrize(
    "config", ["", "[]", "{", '{"agents": 7}', '{"agents": {"defaults": {"workspace": 7}}}']
)
def test_a_config_that_says_nothing_leaves_the_usual_places(tmp_path: Path, config: str) -> None:
    fill(tmp_path, "workspace/MEMORY.md")
    (tmp_path / "openclaw.json").write_text(config, encoding="utf-8")
    assert discover(tmp_path) == (FoundSource("workspace", tmp_path / "workspace"),)


def test_a_place_on_the_network_is_left_alone(tmp_path: Path) -> None:
    config = {"plugins": {"entries": {"memory-lancedb": {"config": {"dbPath": "s3://bucket/lance"}}}}}
    (fill(tmp_path, "memory/lancedb/x") / "openclaw.json").write_text(json.dumps(config), encoding="utf-8")
    assert discover(tmp_path) == ()
