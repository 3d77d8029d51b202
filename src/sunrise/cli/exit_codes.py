"""What a command's exit code says; every command keeps to these."""

from __future__ import annotations

from enum import IntEnum

from sunrise.domain.receipts import RunStatus


class ExitCode(IntEnum):
    """Codes that scripts and timers may rely on."""

    OK = 0
    FAILED = 1
    USAGE = 2
    ANOMALY = 3
    BUSY = 75
    CONFIGURATION = 78


MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "done, or nothing to do",
    ExitCode.FAILED: "the work failed; the receipt says why",
    ExitCode.USAGE: "the command line is wrong",
    ExitCode.ANOMALY: "done, and something needs a look",
    ExitCode.BUSY: "another run holds the lease (EX_TEMPFAIL of sysexits.h): try again later",
    ExitCode.CONFIGURATION: "the setup is wrong (EX_CONFIG of sysexits.h); the message says what to change",
}


def code_for(status: RunStatus) -> ExitCode:
    """
    Return the exit code of a run.

    >>> code_for(RunStatus.BUSY)
    <ExitCode.BUSY: 75>
    """
    return {
        RunStatus.OK: ExitCode.OK,
        RunStatus.SKIPPED: ExitCode.OK,
        RunStatus.ANOMALY: ExitCode.ANOMALY,
        RunStatus.BUSY: ExitCode.BUSY,
    }.get(status, ExitCode.FAILED)
