"""A local S3 server of the tests' own, that can be stopped and asked what it holds."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

import pytest

BUCKET = "sunrise-tests"
PYTHON = os.environ.get("SUNRISE_MOTO_PYTHON", sys.executable)
"""The Python that has moto: this one, or one that the environment names."""

_STARTS_WITHIN_S = 30
_ANYBODY = "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/s3/aws4_request, Signature=none"
"""Whoever shows no signature at all is let in nowhere; what it says is not checked."""


@dataclass(frozen=True, slots=True)
class S3Server:
    """A server at a port of this machine; it takes whatever credentials it is shown."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def options(self) -> dict[str, str]:
        """What LanceDB must be told of it, but for the credentials."""
        return {
            "endpoint": f"http://127.0.0.1:{self.port}",
            "allow_http": "true",
            "region": "us-east-1",
            # A server that is down is to be given up soon.
            "client_max_retries": "0",
        }

    def objects(self, prefix: str) -> dict[str, bytes]:
        """Return what stands below a prefix, by key."""
        found: dict[str, bytes] = {}
        after = ""
        while keys := self._keys(prefix, after):
            found |= {key: self._ask("GET", f"/{BUCKET}/{quote(key)}") for key in keys}
            after = keys[-1]
        return found

    def stop(self) -> None:
        """Stop it; it forgets everything."""
        self.process.terminate()
        self.process.wait(timeout=20)

    def _keys(self, prefix: str, after: str) -> list[str]:
        query = f"list-type=2&prefix={quote(prefix)}&start-after={quote(after)}"
        return re.findall(r"<Key>([^<]+)</Key>", self._ask("GET", f"/{BUCKET}?{query}").decode())

    def _ask(self, method: str, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, headers={"Content-Length": "0", "Authorization": _ANYBODY})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == http.client.OK, (answer.status, body)
            return body
        finally:
            connection.close()


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Start a server with an empty bucket, and stop it in the end; skips where moto is not at hand."""
    tried = subprocess.run([PYTHON, "-c", "import moto.server, flask_cors"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("needs moto's server, here or in the Python that SUNRISE_MOTO_PYTHON names")
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = int(place.getsockname()[1])
    process = subprocess.Popen(
        [PYTHON, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = S3Server(port, process)
    try:
        _make_bucket(server)
        yield server
    finally:
        server.stop()


def _make_bucket(server: S3Server) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN_S
    while True:
        try:
            server._ask("PUT", f"/{BUCKET}")
        except OSError:
            assert server.process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.05)
        else:
            return
