"""A real OpenClaw gateway with servers of ours, for a test that has one at hand."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PACKAGES = "SUNRISE_OPENCLAW"
TOKEN = "gateway-token-of-a-test"
OLDEST_NODE = (24, 16)
READY_S = 420.0
"""On a machine that does nothing else it is ready after 15 s."""


@dataclass(frozen=True)
class Gateway:
    """A gateway that runs, and an agent of it."""

    port: int

    def call(self, tool: str, **arguments: Any) -> Any:
        """Let the agent call a tool, and return what the model was then given."""
        said = f"CALL {tool} {json.dumps(arguments)}"
        body = {"model": "openclaw/main", "user": "dana", "messages": [{"role": "user", "content": said}]}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/chat/completions",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = json.load(answer)["choices"][0]["message"]["content"]
        try:
            answer_of_tool = json.loads(text)
        except ValueError:
            return text
        assert answer_of_tool.get("status") != "error", text
        return answer_of_tool


@contextmanager
def gateway(folder: Path, *, model: str, servers: Mapping[str, Any]) -> Iterator[Gateway]:
    """Run a gateway whose home is *folder* for the time of a block; skip the test where there is none."""
    packages, node = _at_hand()
    port = _free_port()
    config = folder / "openclaw.json"
    folder.mkdir()
    config.write_text(json.dumps(_config(port, model=model, servers=servers)), encoding="utf-8")
    environment = {
        "PATH": f"{node.parent}:{os.defpath}", "HOME": str(folder), "OPENCLAW_HOME": str(folder),
        "OPENCLAW_STATE_DIR": str(folder), "OPENCLAW_CONFIG_PATH": str(config), "NO_COLOR": "1",
    }  # fmt: skip
    command = [str(node), str(packages / "openclaw" / "openclaw.mjs"), "gateway", "run"]
    log = folder / "gateway.log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait(process, log)
        yield Gateway(port)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            # It waits minutes for turns that are under way.
            process.kill()
            process.wait()


def _at_hand() -> tuple[Path, Path]:
    packages = Path(os.environ.get(PACKAGES, "")) / "node_modules"
    found = shutil.which("node", path=f"{packages / '.bin'}{os.pathsep}{os.environ['PATH']}")
    if PACKAGES not in os.environ or not (packages / "openclaw").exists() or found is None:
        pytest.skip(f"needs {PACKAGES}, naming a directory where npm has installed openclaw, and Node.js")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, said.strip().lstrip("v").split(".")[:2])) < OLDEST_NODE:
        pytest.skip(f"this Node.js is {said.strip()}: the gateway needs {OLDEST_NODE[0]}.{OLDEST_NODE[1]}")
    return packages, Path(found)


def _wait(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while "[gateway] ready" not in log.read_text(encoding="utf-8"):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < deadline, log.read_text(encoding="utf-8")
        time.sleep(0.2)


def _config(port: int, *, model: str, servers: Mapping[str, Any]) -> dict[str, Any]:
    spoken = {
        "id": "spoken",
        "name": "Spoken",
        "input": ["text"],
        "contextWindow": 128_000,
        "maxTokens": 4096,
    }
    provider = {"baseUrl": model, "apiKey": "none", "api": "openai-completions", "models": [spoken]}
    return {
        "gateway": {
            "mode": "local", "port": port, "bind": "loopback", "auth": {"mode": "token", "token": TOKEN},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "models": {"providers": {"test": provider}},
        "agents": {
            "defaults": {
                "model": {"primary": "test/spoken"}, "heartbeat": {"every": "0m"}, "skipBootstrap": True,
            }
        },
        "tools": {"toolSearch": False},
        "mcp": {"servers": dict(servers)},
    }  # fmt: skip


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
