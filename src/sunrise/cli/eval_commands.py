"""What the command does that measures recall on golden sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from sunrise import rooms
from sunrise.adapters.embedders import embedder_names
from sunrise.cli.output import say
from sunrise.cli.tables import table
from sunrise.domain.recall import MAX_LIMIT
from sunrise.errors import DataError
from sunrise.settings import load_settings

RANKERS = ("recall", "bm25", "dense")
_OWN = "own"
_FIRST = 16
"""Width of the first column, so that the tables stand below each other."""


def evaluate_golden(
    home: str | None,
    golden: Sequence[str],
    *,
    embedder: str | None,
    k: str,
    limit: int | None,
    ranker: str,
    baseline: str | None,
    save: str | None,
    as_json: bool,
) -> None:
    """Ask a ranker the queries of golden sets, print and keep its figures, and compare them."""
    ks = _depths(k)
    if ranker not in RANKERS:
        raise typer.BadParameter(f"no such ranker: {ranker!r}; there are {', '.join(RANKERS)}")
    if embedder is not None and embedder not in embedder_names():
        raise typer.BadParameter(f"no such embedder: {embedder!r}; there are {', '.join(embedder_names())}")
    settings = rooms.load("tasks.eval_tables:with_embedder")(load_settings(home), embedder)
    _check_names(settings.home / "evals", baseline=baseline, save=save)
    sets, refused = rooms.load("tasks.golden_sets:read_golden_sets")([_path(one) for one in golden])
    sets = [rooms.load("tasks.golden_sets:thinned")(one, limit) for one in sets]
    if not any(one.queries for one in sets):
        raise DataError("the golden sets hold no query", reason="no_queries")
    runs = _asked(settings, sets, ranker=ranker, baseline=baseline, depth=max(*ks, 10))
    folder = settings.home / "evals"
    # Found before this run is kept: the last is the one before.
    earlier = _earlier(folder, runs, baseline)
    kept = rooms.load("tasks.eval_runs:keep_run")(folder, runs[0], ks=ks, name=save)
    data = _told(runs[0], earlier, ks=ks, kept=kept, refused=len(refused))
    say(data, _text(data, ks=ks), as_json=as_json)


def _check_names(folder: Path, *, baseline: str | None, save: str | None) -> None:
    """Check before anything is measured, which takes a while, what the runs are called."""
    try:
        if save is not None:
            rooms.load("tasks.eval_runs:check_name")(save)
        if baseline is not None and baseline not in RANKERS:
            rooms.load("tasks.eval_runs:check_kept")(folder, baseline)
    except DataError as error:
        raise typer.BadParameter(str(error)) from error


def _depths(k: str) -> list[int]:
    try:
        ks = sorted({int(one) for one in k.split(",")})
    except ValueError as error:
        raise typer.BadParameter(f"--k takes depths such as 5,10,20, not {k!r}") from error
    if not 1 <= ks[0] <= ks[-1] <= MAX_LIMIT:
        raise typer.BadParameter(f"--k takes depths from 1 to {MAX_LIMIT}")
    return ks


def _path(name: str) -> Path:
    path = Path(name).expanduser()
    if name == _OWN and not path.exists():
        own: Path = rooms.load("tasks.golden_sets:own_golden_file")()
        return own
    return path


def _asked(settings: Any, sets: Any, *, ranker: str, baseline: str | None, depth: int) -> Any:
    from sunrise.adapters.clock import SystemClock

    # Another ranker as the baseline is asked over the same tables.
    beside = [baseline] if baseline in RANKERS and baseline != ranker else []
    ask_sets = rooms.load("tasks.eval_runs:ask_sets")
    return ask_sets(settings, sets, rankers=[ranker, *beside], depth=depth, at_ms=SystemClock().now_ms())


def _earlier(folder: Path, runs: Any, baseline: str | None) -> Any:
    if baseline is None:
        return None
    if len(runs) > 1:
        return runs[1]
    return rooms.load("tasks.eval_runs:find_run")(folder, baseline, like=runs[0])


def _told(run: Any, earlier: Any, *, ks: Sequence[int], kept: Path, refused: int) -> dict[str, Any]:
    figures_of: Callable[..., dict[str, Any]] = rooms.load("tasks.eval_figures:figures_of")
    data = {
        **figures_of(run.answers, ks=ks),
        "ranker": run.ranker,
        "embedder": run.embedder,
        "golden": run.golden,
        "calibrations": run.calibrations,
        "refused": refused,
        "unresolved": run.unresolved,
        "quarantined": run.quarantined,
        "kept": str(kept),
    }
    if len(run.golden) > 1:
        data["by_set"] = {
            name: figures_of([one for one in run.answers if one.golden == name], ks=ks) for name in run.golden
        }
    if earlier is not None:
        data["baseline"] = _compared(run, earlier, ks=ks)
    return data


def _compared(run: Any, earlier: Any, *, ks: Sequence[int]) -> dict[str, Any]:
    found = rooms.load("tasks.eval_figures:differences")(run.answers, earlier.answers, ks=ks)
    return {
        "name": earlier.name,
        "ranker": earlier.ranker,
        "embedder": earlier.embedder,
        "golden_changed": any(earlier.golden.get(name) not in (None, it) for name, it in run.golden.items()),
        "pairs": next((one.pairs for one in found.values()), 0),
        "differences": {
            name: {
                "difference": round(one.mean, 4),
                "low": round(one.low, 4),
                "high": round(one.high, 4),
                "clear": one.is_clear,
            }
            for name, one in found.items()
        },
    }


def _text(data: dict[str, Any], *, ks: Sequence[int]) -> str:
    columns = ["queries", *(f"recall@{k}" for k in ks), *(f"hit@{k}" for k in ks), "mrr", "ndcg"]
    groups = {
        "": {"all": data},
        "category": data["by_category"],
        "language": data["by_language"],
        "set": data.get("by_set", {}),
    }
    parts = []
    for title, group in groups.items():
        rows = [_row(name, figures, ks) for name, figures in group.items()]
        parts += [table(rows, header=[title.ljust(_FIRST), *columns]), ""] if rows else []
    return "\n".join([*parts, *_facts(data), *_comparison(data.get("baseline"))])


def _facts(data: dict[str, Any]) -> list[str]:
    wrong = {
        "wrong scope": (data["wrong_scope"], "of the queries"),
        "stale first": (data["stale_first"], "of the queries that forbid an answer"),
        "off-topic": (data["off_topic_answered"], "of such queries returned something"),
    }
    odd = {
        "refused": "lines of golden sets",
        "unresolved": "queries whose evidence is not there",
        "quarantined": "memories look like orders to the model and were hidden",
    }
    return [
        f"ranker       {data['ranker']}, embedder {data['embedder']}",
        *(f"{name:<12} {share} % {what}" for name, (share, what) in wrong.items() if share is not None),
        f"latency      p50 {data['latency_ms']['p50']} ms, p95 {data['latency_ms']['p95']} ms",
        *(f"{name:<12} {data[name]} {what}" for name, what in odd.items() if data[name]),
        f"kept         {data['kept']}",
    ]


def _row(name: str, figures: dict[str, Any], ks: Sequence[int]) -> list[str]:
    shares = [f"{figures[kind][str(k)]:.1f}" for kind in ("recall", "hit") for k in ks]
    return [name, str(figures["queries"]), *shares, f"{figures['mrr']:.3f}", f"{figures['ndcg']:.3f}"]


def _comparison(baseline: dict[str, Any] | None) -> list[str]:
    if baseline is None:
        return []
    made_by = f"{baseline['ranker']}, {baseline['embedder']}"
    told = ["", f"against {baseline['name']} ({made_by}), {baseline['pairs']} pairs"]
    told += ["the golden sets are not those of that run"] if baseline["golden_changed"] else []
    rows = [
        [
            name,
            f"{one['difference']:+.4f}",
            f"{one['low']:+.4f} .. {one['high']:+.4f}",
            "" if one["clear"] else "may be chance" if one["low"] < one["high"] else "the same",
        ]
        for name, one in baseline["differences"].items()
    ]
    return [*told, table(rows, header=["measure", "difference", "95 % interval", ""])]
