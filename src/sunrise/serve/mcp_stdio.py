"""MCP over standard input and output: for a client that starts the server itself."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from sunrise.adapters.private_files import check_folder
from sunrise.bootstrap import open_home
from sunrise.serve.mcp_server import build_mcp
from sunrise.serve.service import ServeOptions, Service
from sunrise.serve.service_log import log_to_stderr
from sunrise.serve.tokens import EVERY_RIGHT, Caller
from sunrise.settings import load_settings


def answer_stdio(home: Path | str | None, *, scopes: Sequence[str] = ()) -> None:
    """
    Answer until the input ends. Whoever started us is the operator, or is bound to the scopes named.

    Raises:
        ConfigurationError: A setting is wrong, or others may write to the home.
        StoreError: The ledger cannot be opened.
    """
    log_to_stderr()
    settings = load_settings(home)
    check_folder(settings.home)
    caller = Caller("stdio", EVERY_RIGHT, tuple(scopes) or None)
    with open_home(settings) as opened:
        service = Service(opened, ServeOptions(settings.serve))
        try:
            build_mcp(service, lambda _: caller).run("stdio")
        finally:
            service.close()
    sys.stdout.flush()
