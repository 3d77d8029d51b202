"""The client of the library that the MCP door is made with, over both transports."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from sunrise.rooms import rooms_path
from tests.serving import Served

Ask = Callable[[Any], Awaitable[Any]]


def over_http(running: Served, ask: Ask, *, token: str = "") -> Any:
    """Return what a client is answered by a service that runs."""

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            return await _asked(streamable_http_client(f"{running.url}/mcp", http_client=http), ask)

    return asyncio.run(run())


def over_stdio(home: Path, ask: Ask, *arguments: str) -> Any:
    """Return what a client is answered by a process that it starts and ends."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sunrise", "mcp", "--home", str(home), *arguments],
        cwd=rooms_path(),
        # The client hands on next to nothing of its environment.
        env={"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )
    return asyncio.run(_asked(stdio_client(command), ask))


async def _asked(transport: AbstractAsyncContextManager[Any], ask: Ask) -> Any:
    async with Client(transport) as client:
        return await ask(client)
