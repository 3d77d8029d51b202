"""Receipts that the report tests and nobody else use."""

from __future__ import annotations

from sunrise.domain.receipts import Anomaly, Balance, RunReceipt, RunStatus, StepTiming

ZONE = "Asia/Taipei"
NOON = 1_764_216_000_000  # 2025-11-27 12:00 in Taipei
HOUR = 3_600_000
HOSTILE = "<script>alert('x')</script> \u202etxt.exe \u05d0\u05d1\u05d2 \ud800 \x00 " + "long" * 125


def harvest(
    run_id: str = "harvest-0007",
    *,
    started_ms: int = NOON,
    status: RunStatus = RunStatus.OK,
    seen: int = 10,
    quarantined: int = 1,
    parent: str | None = None,
    finished: bool = True,
) -> RunReceipt:
    return RunReceipt(
        run_id=run_id,
        flow="harvest",
        status=status,
        started_ms=started_ms,
        finished_ms=started_ms + 1_234 + 40 * seen if finished else None,
        parent_run_id=parent,
        counts={
            "seen": seen,
            "inserted": seen - 2,
            "duplicate": 1,
            "quarantined": quarantined,
            "redacted": 0,
        },
        groups={
            "quarantined_by_reason": {"bad_json": 1},
            "kinds": {"tool_call": 5, "message": 3, "compaction": 1},
        },
        figures={"rows_per_s": 41_322.4, "redacted_share": 0.0125},
        facts={"source": "spool", "schema": "openclaw-mem.observation.v1"},
        refs={"inserted": ("obs:12", "obs:13", "obs:14")},
        steps=(
            StepTiming("read_spool", 412.25),
            StepTiming("check_contract", 96.0),
            StepTiming("insert", 1_033.0),
        ),
        balances=(Balance("seen", ("inserted", "duplicate", "quarantined")),),
    )


def writeback() -> RunReceipt:
    return RunReceipt(
        run_id="writeback-0003",
        flow="writeback",
        status=RunStatus.ANOMALY,
        started_ms=NOON + 20 * 60_000,
        finished_ms=NOON + 20 * 60_000 + 184_000,
        dry_run=True,
        parent_run_id="sunrise-0001",
        counts={"checked": 1_204, "updated": 1_100, "overwritten": 0, "skipped": 40, "missing": 62},
        groups={
            "overwrittenFields": {},
            "label_counts": {"must": 31, "nice": 402, "ignore": 667, "unknown": 4},
        },
        refs={"missingIds": tuple(f"mem:4f1c2a7e-9d3b-4c55-8a10-{number:012d}" for number in range(12))},
        steps=(StepTiming("read_ledger", 12_400.0), StepTiming("merge", 171_600.0)),
        balances=(Balance("checked", ("updated", "skipped", "missing")),),
        anomalies=(
            Anomaly("missing_ids", "62 observations point to memories that the table does not hold.", 62),
            Anomaly("slow", "The merge took four times its usual time."),
        ),
    )


def hostile() -> RunReceipt:
    return RunReceipt(
        run_id="drift/" + HOSTILE[:40],
        flow="drift",
        status=RunStatus.FAILED,
        started_ms=NOON,
        finished_ms=NOON + 61_000,
        parent_run_id=HOSTILE,
        reason=HOSTILE,
        counts={HOSTILE: 3},
        groups={HOSTILE: {HOSTILE: 2, "b": 1}},
        figures={HOSTILE: float("nan")},
        facts={"model": HOSTILE},
        refs={"bad": (HOSTILE, "obs:1")},
        steps=(StepTiming(HOSTILE, 0.0),),
        balances=(Balance("whole", (HOSTILE,)),),
        anomalies=(Anomaly(HOSTILE, HOSTILE, 2),),
    )


def history() -> list[RunReceipt]:
    statuses = [RunStatus.OK] * 8 + [RunStatus.ANOMALY, RunStatus.SKIPPED, RunStatus.OK]
    return [
        harvest(
            f"harvest-h{index:02}",
            started_ms=NOON - (12 - index) * HOUR,
            status=status,
            seen=6 + index * 5 % 17,
        )
        for index, status in enumerate(statuses)
    ]
