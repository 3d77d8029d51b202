"""Golden files: read whatever their shape, checked, and thinned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sunrise import rooms
from sunrise.domain.records import Rejected
from sunrise.domain.secrets import redact
from sunrise.errors import DataError
from tasks import golden_shapes
from tasks.golden import GoldenMemory, GoldenQuery, GoldenSet

OWN = "own"
"""Name of the set that comes with sunrise."""

_OWN_FILE = "evals/golden/own.v1.jsonl"

_READERS: dict[str, Callable[..., golden_shapes.Read]] = {
    "records": golden_shapes.life_cycle,
    "summary": golden_shapes.pair,
}


@dataclass(slots=True)
class _Found:
    memories: list[GoldenMemory] = field(default_factory=list)
    queries: list[GoldenQuery] = field(default_factory=list)


def own_golden_file() -> Path:
    """Return the path of the golden set that comes with sunrise."""
    return rooms.rooms_path() / _OWN_FILE


def read_golden_set(path: Path) -> tuple[GoldenSet, list[Rejected]]:
    """
    Return a golden file of any known shape, and the lines of it that are none.

    Raises:
        DataError: The file cannot be read, reason ``golden_unreadable``; or it is a JSON file and holds no
            conversations, reason ``golden_malformed``.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", reason="golden_unreadable") from error
    empty = GoldenSet(path.stem, hashlib.sha256(raw).hexdigest()[:16])
    if path.suffix == ".json":
        return _known_only(golden_shapes.conversations(raw, empty=empty), path)
    found, rejected = _Found(), []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            _take(json.loads(line), found, where=f"{path.name}:{number}")
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            sample = redact(line[:400].decode("utf-8", "replace")).text
            reason = f"malformed_golden.{type(error).__name__}"
            rejected.append(Rejected(str(path), str(number), reason, sample, number))
    whole = replace(empty, memories=tuple(found.memories), queries=tuple(found.queries))
    known, unknown = _known_only(whole, path)
    return known, [*rejected, *unknown]


def read_golden_sets(paths: Sequence[Path]) -> tuple[list[GoldenSet], list[Rejected]]:
    """
    Return golden files and what was refused of them.

    Raises:
        DataError: Two files have one name, so that nobody could tell their queries apart; reason
            ``golden_name_twice``. Else as :func:`read_golden_set`.
    """
    sets: list[GoldenSet] = []
    rejected: list[Rejected] = []
    for path in paths:
        golden, refused = read_golden_set(path)
        if any(golden.name == other.name for other in sets):
            raise DataError(f"two golden sets are named {golden.name}", reason="golden_name_twice")
        sets.append(golden)
        rejected += refused
    return sets, rejected


def thinned(golden: GoldenSet, limit: int | None) -> GoldenSet:
    """Return a set with so many of its queries, evenly from first to last, so that no category goes short."""
    count = len(golden.queries)
    if limit is None or limit >= count:
        return golden
    return replace(golden, queries=tuple(golden.queries[at * count // limit] for at in range(limit)))


def _take(data: Any, found: _Found, *, where: str) -> None:
    # A life cycle's line has a kind too, but one of memories.
    is_ours = data.get("kind") in ("memory", "query")
    readers = {mark: read for mark, read in _READERS.items() if mark in data}
    read = golden_shapes.by_kind if is_ours else next(iter(readers.values()), golden_shapes.about_the_home)
    memories, queries = read(data, where=where)
    found.memories += memories
    found.queries += queries


def _known_only(golden: GoldenSet, path: Path) -> tuple[GoldenSet, list[Rejected]]:
    """Leave out queries about memories that the set brings along but does not hold."""
    if not golden.memories:
        return golden, []
    known = {f"mem:{one.id}" for one in golden.memories}
    lost = [one for one in golden.queries if not known.issuperset((*one.relevant, *one.forbidden))]
    kept = tuple(one for one in golden.queries if one not in lost)
    return replace(golden, queries=kept), list(_unknown(lost, path))


def _unknown(queries: Sequence[GoldenQuery], path: Path) -> Iterator[Rejected]:
    for one in queries:
        yield Rejected(str(path), one.key, "malformed_golden.unknown_memory", "")
