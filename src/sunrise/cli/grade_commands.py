"""What the commands of grading do: explain one grade, and measure a scorer on a labelled set."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from sunrise import rooms
from sunrise.cli.output import say
from sunrise.cli.tables import table
from sunrise.cli.trust_commands import beginning, terminal_text
from sunrise.domain.importance import ImportanceLabel, normalize_label
from sunrise.domain.scoring.agreement import LABELS, Agreement, Judged, agreement_of
from sunrise.domain.scoring.scorers import SCORERS
from sunrise.domain.scoring.signals import Explanation, Scorer
from sunrise.domain.text.cleaning import clean
from sunrise.settings import load_settings

DEFAULT_SCORER = next(iter(SCORERS))
SHOWN_CASES = 20

_REF = re.compile(r"(?:obs:\d+|mem:\S+)", re.ASCII)


def explain(home: str | None, text_or_ref: str, *, scorer: str | None, as_json: bool) -> None:
    """Print the grade of a text or of a record, with each signal that fired, its weight and its words."""
    settings = load_settings(home)
    chosen = _scorer(scorer or _table_named(settings.grade.scorer))
    cells: Mapping[str, Any] = {"kind": "note", "tool_name": None, "summary": clean(text_or_ref)}
    if _REF.fullmatch(text_or_ref):
        from sunrise.bootstrap import open_home

        with open_home(settings) as place:
            cells = rooms.load("tasks.grade:graded_cells")(place, text_or_ref)
        if cells is None:
            raise typer.BadParameter(f"no record has this ref: {terminal_text(text_or_ref)}")
    told = chosen.explain(**cells)
    say({"scorer": chosen.method, **asdict(told)}, _explained(told), as_json=as_json)


def bench(path: str, *, scorer: str | None, as_json: bool) -> None:
    """Print how far a scorer agrees with a labelled set, a JSON line a case."""
    chosen = _scorer(scorer or DEFAULT_SCORER)
    found = agreement_of(_judged(Path(path), chosen))
    if not found.cases:
        raise typer.BadParameter(f"{path} holds no case")
    data = {
        "scorer": chosen.method,
        "cases": found.cases,
        "agreement": found.agreement,
        "within_window": found.within_window / found.cases,
        "macro_f1": found.macro_f1,
        "confusion": {str(wanted): _by_name(given) for wanted, given in found.confusion.items()},
        "disagreed": [asdict(one) for one in found.disagreed],
    }
    say(data, _measured(found, chosen), as_json=as_json)


def _scorer(name: str) -> Scorer:
    if name not in SCORERS:
        raise typer.BadParameter(f"no such scorer: {terminal_text(name)}; there are {', '.join(SCORERS)}")
    return SCORERS[name]


def _table_named(setting: str) -> str:
    # A service tells its rationale only, and "off" grades nothing: the default can still be explained.
    return setting if setting in SCORERS else DEFAULT_SCORER


def _explained(told: Explanation) -> str:
    grade = told.grade
    rows = [["base", f"{told.base:+.2f}", "", ""]]
    rows += [
        [one.name, f"{one.weight:+.2f}", beginning(", ".join(one.words)), one.sentence] for one in told.fired
    ]
    signals = table(rows, header=["signal", "weight", "words", "meaning"])
    return f"{grade.score:.2f}  {grade.label}  ({grade.method} {grade.version})\n\n{signals}"


def _measured(found: Agreement, scorer: Scorer) -> str:
    header = ["wanted", *map(str, LABELS)]
    matrix = [[str(wanted), *map(str, _by_name(found.confusion[wanted]).values())] for wanted in LABELS]
    summary = (
        f"{scorer.method} {scorer.version}: {found.agreed} of {found.cases} labels agree"
        f" ({found.agreement:.1%}), {found.within_window} scores are within their window,"
        f" macro F1 {found.macro_f1:.3f}"
    )
    lines = [summary, "", table(matrix, header=header)]
    missed = [f"{terminal_text(one.case_id)}  {one.score:.2f}  {one.given}" for one in found.disagreed]
    return "\n".join([*lines, *([""] if missed else []), *missed[:SHOWN_CASES]])


def _by_name(counts: Mapping[ImportanceLabel, int]) -> dict[str, int]:
    return {str(label): count for label, count in counts.items()}


def _judged(path: Path, scorer: Scorer) -> Iterator[Judged]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _case(json.loads(line), scorer, number)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise typer.BadParameter(f"{path}, line {number}: not a labelled case") from error


def _case(case: Mapping[str, Any], scorer: Scorer, number: int) -> Judged:
    seen, expect = case["obs"], case["expect"]
    wanted = normalize_label(expect["label"])
    if wanted not in LABELS:
        msg = "no label"
        raise ValueError(msg)
    tool = seen.get("tool_name")
    grade = scorer.grade(
        kind=str(seen.get("kind") or ""), tool_name=tool and clean(tool), summary=clean(seen["summary"])
    )
    low, high = float(expect.get("score_min", -math.inf)), float(expect.get("score_max", math.inf))
    name = str(case.get("id", f"line {number}"))
    return Judged(name, wanted, grade.label, grade.score, low <= grade.score <= high)
