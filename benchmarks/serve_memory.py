"""Resident memory of the service over many requests: `python -m benchmarks.serve_memory [--rows 10000]`."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sunrise
from sunrise.adapters.service_presence import Presence, running_service

SAID = (
    "backup database deploy server port user likes green tea config index memory agent note decision always"
    " before after release harbour lantern bicycle kitchen window garden letter 部署 資料庫 備份 必須 完成"
)
WORDS = SAID.split()
MIX = ("recall",) * 60 + ("list",) * 12 + ("stats",) * 6 + ("store",) * 12 + ("forget",) * 10
WARM = 1000
AT_MOST = 1.10
"""So much of what it has after the first thousand requests it may have after all of them."""


def main() -> None:
    """Make a home, serve it, send requests, and print what the service holds in memory meanwhile."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve_memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--embedder", default="none", help="none, or use: then each row has a vector")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        _fill(home, rows=chosen.rows, embedder=chosen.embedder)
        figures = _served(home, requests=chosen.requests)
    first, last = figures[min(WARM, chosen.requests)], figures[chosen.requests]
    print(f"resident MiB after {WARM}: {first:.0f}, after {chosen.requests}: {last:.0f}, {last / first:.3f}x")
    sys.exit(0 if last <= AT_MOST * first else 1)


def _fill(home: Path, *, rows: int, embedder: str) -> None:
    home.mkdir()
    (home / "sunrise.toml").write_text(f'[embedder]\nname = "{embedder}"\n', encoding="utf-8")
    source = random.Random(7)
    lines = [json.dumps({"id": f"m-{at}", "text": _said(source, at)}) for at in range(rows)]
    with sunrise.open(home) as memories:
        memories.import_("\n".join(lines).encode())
    if embedder != "none":
        subprocess.run([sys.executable, "-m", "sunrise", "run", "index", "--home", str(home)], check=True)


def _served(home: Path, *, requests: int) -> dict[int, float]:
    limits = {"SUNRISE_SERVE__RATE_PER_S": "1000000", "SUNRISE_SERVE__BURST": "1000000"}
    command = [sys.executable, "-m", "sunrise", "serve", "--home", str(home), "--port", "0"]
    process = subprocess.Popen(command, env={**os.environ, **limits}, stderr=subprocess.DEVNULL)
    figures = {}
    try:
        presence = _waited_for(home)
        connection = http.client.HTTPConnection(presence.host, presence.port, timeout=120)
        statuses: Counter[str] = Counter()
        stored: list[str] = []
        for number, (call, body) in enumerate(_requests(requests, stored), start=1):
            status, answer = _asked(connection, call, body)
            statuses[f"{call} {status}"] += 1
            if call == "store" and answer.get("ref"):
                stored.append(answer["ref"])
            if number % WARM == 0 or number == requests:
                figures[number] = _rss_mib(process.pid)
                print(f"{number:>7} requests  {figures[number]:7.0f} MiB", file=sys.stderr, flush=True)
        print(f"answers: {dict(sorted(statuses.items()))}", file=sys.stderr)
    finally:
        process.terminate()
        process.wait()
    return figures


def _requests(count: int, stored: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    source = random.Random(11)
    for number in range(count):
        call = source.choice(MIX)
        if call == "forget":
            yield call, {"id": stored.pop(0) if stored else "m-nobody-has-this"}
        elif call == "store":
            yield call, {"text": f"{_said(source, number)} once more {number}"}
        elif call == "recall":
            yield call, {"query": " ".join(source.choices(WORDS, k=4))}
        else:
            yield call, {"limit": 50} if call == "list" else {"withVectors": False}


def _said(source: random.Random, at: int) -> str:
    return " ".join(source.choices(WORDS, k=source.randint(8, 30))) + f" number {at}"


def _asked(connection: http.client.HTTPConnection, call: str, body: dict[str, Any]) -> tuple[int, Any]:
    connection.request("POST", f"/v1/{call}", json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def _waited_for(home: Path) -> Presence:
    while (found := running_service(home)) is None:
        time.sleep(0.05)
    return found


def _rss_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
