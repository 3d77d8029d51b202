"""What systemd wants to hear of a service: that it is ready, alive, and going."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Final

PATIENCE_S: Final = 0.1


def notify(state: str, *, environment: Mapping[str, str] = os.environ) -> bool:
    """
    Tell the service manager a state, such as ``READY=1``; False where nobody listens.

    >>> notify("READY=1", environment={})
    False
    """
    address = environment.get("NOTIFY_SOCKET", "")
    if address[:1] not in {"/", "@"} or not hasattr(socket, "AF_UNIX"):
        return False
    # An abstract name begins with NUL, which an environment cannot hold.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as teller:
            # Whoever does not read what they are told must not hold us up.
            teller.settimeout(PATIENCE_S)
            teller.sendto(state.encode(), target)
    except OSError:
        return False
    return True


def watchdog_s(*, environment: Mapping[str, str] = os.environ) -> float | None:
    """
    Return how often the service manager wants to hear that we live, None where it does not.

    Half of what was asked, so that one late beat is not the end.

    >>> watchdog_s(environment={"WATCHDOG_USEC": "30000000"})
    15.0
    >>> watchdog_s(environment={}) is None
    True
    """
    asked, whose = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not asked.isdecimal() or not int(asked) or (whose and whose != str(os.getpid())):
        return None
    return int(asked) / 2_000_000
