"""A command as it is typed: its exit code and what it printed, without a process of its own."""

from __future__ import annotations

import pytest

from sunrise.cli import start


def typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of ``sunrise`` with these words."""
    monkeypatch.setattr("sys.argv", ["sunrise", *words])
    code = 0
    try:
        start.main()
    except SystemExit as left:
        code = int(left.code or 0)
    out, err = capsys.readouterr()
    return code, out, err
