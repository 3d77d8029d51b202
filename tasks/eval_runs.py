"""Runs of evaluation: made over golden sets, kept under a name, found again and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sunrise.domain.secret_fields import without_secrets
from sunrise.errors import DataError
from sunrise.settings import Settings
from tasks.eval_answers import Answer, ask
from tasks.eval_figures import figures_of
from tasks.eval_tables import Place, place_of
from tasks.golden import GoldenSet
from tasks.receipt_files import write_whole

EVAL_SCHEMA = "sunrise.eval.v1"
LAST = "last"
"""In place of a run's name: the newest over the same golden sets with the same ranker."""

MAX_KEPT = 200
"""Runs without a name of their own that are kept, the newest."""

_NAMED = 10
"""So many of the kept runs, the last by their names, are named where another one is asked for."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRun:
    """
    What one ranker made of golden sets: answers in refs, and what it went by.

    ``golden`` maps the name of each set to a digest of its file, ``calibrations`` to the id that was used.
    ``quarantined`` counts memories of the sets that the index flow hid.
    """

    name: str
    at_ms: int
    ranker: str
    embedder: str
    golden: dict[str, str]
    calibrations: dict[str, str | None]
    settings: dict[str, Any]
    answers: tuple[Answer, ...]
    quarantined: int = 0
    unresolved: int = 0

    def to_dict(self, *, ks: Sequence[int]) -> dict[str, Any]:
        """Return plain values, the figures with them."""
        figures = figures_of(self.answers, ks=ks)
        values = {name: value for name, value in asdict(self).items() if name != "answers"}
        answers = [asdict(one) for one in self.answers]
        return {"schema": EVAL_SCHEMA, **values, "figures": figures, "answers": answers}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EvalRun:
        """
        Return the run that :meth:`to_dict` wrote.

        Raises:
            DataError: It is none; reason ``eval_unreadable``.
        """
        try:
            answers = tuple(
                Answer(**{**one, "relevant": tuple(one["relevant"]), "ranked": tuple(one["ranked"])})
                for one in data["answers"]
            )
            own = {name: data[name] for name in cls.__slots__ if name != "answers"}
            return cls(**own, answers=answers)
        except (KeyError, TypeError) as error:
            raise DataError("this is no kept evaluation", reason="eval_unreadable") from error


def ask_sets(
    settings: Settings,
    sets: Sequence[GoldenSet],
    *,
    rankers: Sequence[str],
    depth: int,
    at_ms: int,
    own: Place | None = None,
) -> list[EvalRun]:
    """
    Ask each ranker all queries, over the same tables; return a run of each.

    *own* is the home where it is open already.

    Raises:
        DataError: A set brings no memories and the home has none.
    """
    answers: dict[str, list[Answer]] = {ranker: [] for ranker in rankers}
    models: dict[str, None] = {}
    calibrations: dict[str, str | None] = {}
    quarantined = 0
    for golden in (one for one in sets if one.queries):
        with place_of(golden, settings, own=own) as place:
            models[place.model_id] = None
            calibrations[golden.name] = place.calibration
            quarantined += place.quarantined
            for ranker in rankers:
                answers[ranker] += ask(
                    place.home, place.table, golden.queries, golden=golden.name, ranker=ranker, depth=depth
                )
    return [
        EvalRun(
            name=_default_name(sets, ranker=ranker, at_ms=at_ms),
            at_ms=at_ms,
            ranker=ranker,
            embedder=", ".join(models),
            golden={one.name: one.digest for one in sets},
            calibrations=calibrations,
            settings=_shown(settings),
            answers=tuple(given),
            quarantined=quarantined,
            unresolved=sum(one.unresolved for one in sets),
        )
        for ranker, given in answers.items()
    ]


def keep_run(folder: Path, run: EvalRun, *, ks: Sequence[int], name: str | None = None) -> Path:
    """
    Write a run and return its file; the oldest without a name of their own make room.

    Raises:
        DataError: The name is none for a file; reason ``bad_eval_name``.
    """
    if name is not None:
        check_name(name)
    kept = replace(run, name=name or run.name)
    path = folder / f"{kept.name}.json"
    write_whole(path, json.dumps(kept.to_dict(ks=ks), ensure_ascii=False, indent=1) + "\n")
    for old in sorted(folder.glob("2*T*Z-*.json"))[:-MAX_KEPT]:
        old.unlink(missing_ok=True)
    return path


def find_run(folder: Path, wanted: str, *, like: EvalRun) -> EvalRun:
    """
    Return a kept run by its name, by its file, or the last *like* another.

    Raises:
        DataError: There is none, reason ``no_such_eval``; or it cannot be read, reason ``eval_unreadable``.
    """
    if wanted == LAST:
        return _last(folder, like=like)
    return _read(_file_of(folder, wanted))


def check_name(name: str) -> None:
    """
    Check that a run can be kept under a name.

    Raises:
        DataError: The name is none for a file; reason ``bad_eval_name``.
    """
    if _NAME.fullmatch(name) is None or name in (LAST, "bm25", "dense", "recall"):
        msg = f"not a name for an evaluation: {name!r} (letters, digits, dot, dash, plus and underscore)"
        raise DataError(msg, reason="bad_eval_name")


def check_kept(folder: Path, wanted: str) -> None:
    """
    Check that a run is kept under a name, or in a file; whether there is a last one is seen later.

    Raises:
        DataError: There is none; reason ``no_such_eval``.
    """
    if wanted != LAST:
        _file_of(folder, wanted)


def _file_of(folder: Path, wanted: str) -> Path:
    is_name = _NAME.fullmatch(wanted) is not None
    for path in (*([folder / f"{wanted}.json"] if is_name else []), Path(wanted)):
        if path.is_file():
            return path
    names = ", ".join(sorted(path.stem for path in folder.glob("*.json"))[-_NAMED:]) or "none yet"
    raise DataError(f"no evaluation is kept as {wanted}; there are {names}", reason="no_such_eval")


def _last(folder: Path, *, like: EvalRun) -> EvalRun:
    found = None
    for path in folder.glob("*.json"):
        try:
            run = _read(path)
        except DataError:
            # Something else lies in the folder; it is none of ours.
            continue
        is_like = (run.golden.keys(), run.ranker) == (like.golden.keys(), like.ranker)
        if is_like and (found is None or (run.at_ms, run.name) > (found.at_ms, found.name)):
            found = run
    if found is None:
        raise DataError("no earlier evaluation over these golden sets is kept", reason="no_such_eval")
    return found


def _read(path: Path) -> EvalRun:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read", reason="eval_unreadable") from error
    return EvalRun.from_dict(data if isinstance(data, dict) else {})


def _default_name(sets: Sequence[GoldenSet], *, ranker: str, at_ms: int) -> str:
    stamp = datetime.fromtimestamp(at_ms / 1000, tz=UTC)
    names = re.sub(r"[^A-Za-z0-9._-]+", "-", "+".join(one.name for one in sets))[:60]
    return f"{stamp:%Y%m%dT%H%M%SZ}-{ranker}-{names}"


def _shown(settings: Settings) -> dict[str, Any]:
    """Return the sections that a ranking may depend on."""
    sections = ("embedder", "index", "evaluate", "recall")
    found = {name: getattr(settings, name) for name in sections if hasattr(settings, name)}
    shown: dict[str, Any] = without_secrets(
        {name: one.model_dump(mode="json") for name, one in found.items()}
    )
    return shown
