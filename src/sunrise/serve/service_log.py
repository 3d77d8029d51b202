"""The service's log: one line of JSON for each thing that happened, without the text of anything."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

LOGGER: Final = logging.getLogger("sunrise.serve")
LOG_FILE: Final = "logs/serve.log"
MAX_BYTES: Final = 5 * 1024 * 1024
KEPT_FILES: Final = 4


class JsonLine(logging.Formatter):
    """Writes a record as one line; of an error its kind and its place, not what it says."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. What is beyond ASCII is escaped, so that nothing can begin a line of its own."""
        at = datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at.replace("+00:00", "Z"), "level": record.levelname.lower()}
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line |= {"event": record.msg, **fields}
        else:
            # Of another library's lines only their form is kept: what is put into it may be anything.
            line |= {"event": "library", "logger": record.name, "message": str(record.msg)[:300]}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = place_of(record.exc_info[1])
        return json.dumps(line)


def note(event: str, *, level: int = logging.INFO, **fields: Any) -> None:
    """Write one line: a code for what happened, and plain values."""
    LOGGER.log(level, event, extra={"fields": fields})


def place_of(error: BaseException) -> str:
    """Return the kind of an error and the innermost place it came from."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        place = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"


def log_to(home: Path, *, level: int = logging.INFO) -> None:
    """
    Send all lines to standard error where systemd or a container keeps them, else to a file of the home.

    The file is nobody else's to read, and makes room for itself: :data:`KEPT_FILES` older ones are kept.
    """
    _use(logging.StreamHandler(sys.stderr) if _is_kept_by_others() else _file_handler(home / LOG_FILE), level)


def log_to_stderr() -> None:
    """Send what needs a look to standard error, where standard output belongs to a protocol."""
    _use(logging.StreamHandler(sys.stderr), logging.WARNING)


def _use(handler: logging.Handler, level: int) -> None:
    handler.setFormatter(JsonLine())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    LOGGER.setLevel(level)


def _is_kept_by_others() -> bool:
    return any(os.environ.get(name) for name in ("JOURNAL_STREAM", "INVOCATION_ID", "SUNRISE_LOG_STDERR"))


def _file_handler(path: Path) -> logging.Handler:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _PrivateRotation(path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="ascii")


class _PrivateRotation(RotatingFileHandler):
    def _open(self) -> Any:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return os.fdopen(handle, self.mode, encoding=self.encoding)
