"""Load the service of a home: `python -m benchmarks.serve HOME [--clients 50] [--seconds 30]`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import Measured, measure
from sunrise.adapters.service_presence import Presence, running_service
from sunrise.bootstrap import Home, existing_memories, open_home
from sunrise.domain.recall import RecallRequest
from sunrise.ports import MemoryTable
from sunrise.settings import load_settings

SAMPLED = 2000
WARM_S = 15.0
WARMING = 40
ALONE = 300


class Asked(NamedTuple):
    """A query, and the scope it is asked in."""

    query: str
    scope: str


def main() -> None:
    """Parse, start a service, ask it alone and by many, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve", description=__doc__)
    parser.add_argument("home", type=Path, help="a home whose memories are indexed")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    asked = _questions(chosen.home)
    alone = _in_process(chosen.home, asked)
    together = _in_threads(chosen.home, asked, threads=chosen.clients, seconds=chosen.seconds)
    # One client without end is what is measured here.
    limits = {"SUNRISE_SERVE__RATE_PER_S": "1000000", "SUNRISE_SERVE__BURST": "1000000"}
    command = [sys.executable, "-m", "sunrise", "serve", "--home", str(chosen.home), "--port", "0"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, **limits}, stderr=subprocess.DEVNULL)
    try:
        presence = _waited_for(chosen.home)
        start = time.perf_counter() - begin
        cpu_at_start = _cpu_s(process.pid)
        # It reads its rows into memory beside the first answers.
        asyncio.run(_load(presence, asked, clients=2, seconds=WARM_S))
        rss = [_rss_mib(process.pid)]
        one, _ = asyncio.run(_load(presence, asked, clients=1, seconds=chosen.seconds / 3))
        rss.append(_rss_mib(process.pid))
        many, errors = asyncio.run(_load(presence, asked, clients=chosen.clients, seconds=chosen.seconds))
        rss.append(_rss_mib(process.pid))
        quick = [_recall_command(chosen.home, one) for one in asked[:20]]
    finally:
        process.terminate()
        process.wait()
    _row("start until ready, s wall and CPU", start, cpu_at_start)
    _row("in process, ms p50 and p95", *_cuts(alone))
    _row(f"{chosen.clients} threads in process, ms p50 and p95", *_cuts(together))
    _row("one client, ms p50 and p95", *_cuts(one))
    _row(f"{chosen.clients} clients, ms p50 and p95", *_cuts(many))
    _row("p95 over that of the threads, ms", _cuts(many)[1] - _cuts(together)[1], errors)
    _row(
        "answers in a second, in process and served",
        len(together) / chosen.seconds,
        len(many) / chosen.seconds,
    )
    _row("answers in a second, and errors", len(many) / chosen.seconds, errors)
    _row("resident MiB at first and at last", rss[0], rss[-1])
    _row("`sunrise recall`, s wall and CPU", *(statistics.median(x) for x in zip(*quick, strict=True)))


def _row(name: str, first: float, second: float) -> None:
    print(f"| {name} | {first:.3g} | {second:.3g} |")


def _questions(home: Path) -> list[Asked]:
    memories = existing_memories(load_settings(home))
    assert memories is not None
    rows = memories.scan(["text", "scope"]).to_pylist()
    chance = random.Random(7)
    picked = chance.sample(rows, min(SAMPLED, len(rows)))
    return [
        Asked(" ".join(chance.sample(words := row["text"].split(), min(4, len(words)))), row["scope"])
        for row in picked
    ]


def _in_process(home: Path, asked: Sequence[Asked]) -> list[float]:
    taken = []
    with open_home(load_settings(home)) as opened:
        memories = opened.memories()
        _warmed(opened, memories, asked)
        for one in asked[:ALONE]:
            begin = time.perf_counter()
            opened.recall(RecallRequest(one.query, scope=one.scope), memories=memories)
            taken.append((time.perf_counter() - begin) * 1000)
    return taken


def _warmed(opened: Home, memories: MemoryTable | None, asked: Sequence[Asked]) -> None:
    """Ask until the rows are in memory."""
    for one in asked[-WARMING:]:
        opened.recall(RecallRequest(one.query, scope=one.scope), memories=memories)
    for thread in threading.enumerate():
        if thread.name == "sunrise-rows":
            thread.join()


def _in_threads(home: Path, asked: Sequence[Asked], *, threads: int, seconds: float) -> list[float]:
    """Return how long each answer took, in ms, where so many threads of one process ask without end."""
    taken = list[float]()
    with open_home(load_settings(home)) as opened:
        memories = opened.memories()
        _warmed(opened, memories, asked)
        end = time.perf_counter() + seconds

        def ask(number: int) -> None:
            chance = random.Random(number)
            while time.perf_counter() < end:
                one = chance.choice(asked)
                begin = time.perf_counter()
                opened.recall(RecallRequest(one.query, scope=one.scope), memories=memories)
                taken.append((time.perf_counter() - begin) * 1000)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(ask, range(threads)))
    return taken


async def _load(
    presence: Presence, asked: Sequence[Asked], *, clients: int, seconds: float
) -> tuple[list[float], int]:
    """Return how long each answer took, in ms, and how many were errors."""
    taken, errors = list[float](), 0
    end = time.perf_counter() + seconds

    async def client(number: int) -> None:
        nonlocal errors
        chance = random.Random(number)
        reader, writer = await asyncio.open_connection(presence.host, presence.port)
        while time.perf_counter() < end:
            begin = time.perf_counter()
            status = await _ask(reader, writer, chance.choice(asked))
            taken.append((time.perf_counter() - begin) * 1000)
            errors += status != 200
        writer.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return taken, errors


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, one: Asked) -> int:
    body = json.dumps({"query": one.query, "scope": one.scope}).encode()
    head = "POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    lines = (await reader.readuntil(b"\r\n\r\n")).lower().splitlines()
    lengths = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")]
    await reader.readexactly(lengths[0])
    return int(lines[0].split()[1])


def _recall_command(home: Path, one: Asked) -> tuple[float, float]:
    done: Measured = measure(
        [sys.executable, "-m", "sunrise", "recall", one.query, "--scope", one.scope, "--home", str(home)]
    )
    return done.wall_s, done.cpu_s


def _waited_for(home: Path) -> Presence:
    while (presence := running_service(home)) is None:
        time.sleep(0.01)
    return presence


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def _cuts(taken: Sequence[float]) -> tuple[float, float]:
    return statistics.median(taken), statistics.quantiles(taken, n=20)[-1]


if __name__ == "__main__":
    main()
