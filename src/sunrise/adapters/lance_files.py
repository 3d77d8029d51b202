"""The files of a table in a local folder: what its versions need, lack, and have left behind."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sunrise.adapters.lance_border import is_remote, located
from sunrise.adapters.lance_manifest import MALFORMED, NEWEST_FIRST, fragments_in, message_of, message_start
from sunrise.ports import TableFiles

AT_WORK_S: Final = 3600.0
"""A younger file that no version needs may belong to a writer that has yet to commit."""

MOST_MANIFEST_BYTES: Final = 64 << 20
"""Beyond this nobody reads all manifests: tens of thousands of versions list all their files each."""

_END: Final = b"LANC"
_DATA_FILE: Final = re.compile(
    rb"(?:[01]{24}[0-9a-f]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.lance"
)
"""The byte before a name tells its length, and may look like a digit of it."""

_OLD_NAME_DIGITS: Final = 19


@dataclass(frozen=True, slots=True)
class Manifest:
    """The file that makes a version: which data files and indices it consists of."""

    version: int
    path: Path

    @property
    def is_whole(self) -> bool:
        """Whether the file ends as every manifest does; a truncated one keeps the table from being opened."""
        with self.path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - len(_END)))
            return file.read() == _END


def local_folder(table: Any) -> Path | None:
    """Return the folder of an open table; None in object storage."""
    uri = str(table.uri)
    return None if is_remote(uri) else Path(located(uri))


def manifests(folder: Path) -> list[Manifest]:
    """Return the manifests of a table's folder, newest first."""
    found = (_manifest(path) for path in (folder / "_versions").glob("*.manifest"))
    return sorted((one for one in found if one), key=lambda one: one.version, reverse=True)


def thin_versions(folder: Path, tagged: Collection[int], *, older_than: timedelta) -> int:
    """
    Remove the manifests of old versions where all together are too large to be read; return how many.

    A clean-up reads every manifest, and a table that was never compacted has tens of thousands of them, each
    of which lists all files. What only they named stays for as long as lancedb keeps files that no version
    names, a week: a reader that holds such a version goes on reading.
    """
    found = manifests(folder)
    total, young = sum(_size(one.path) for one in found), time.time() - older_than.total_seconds()
    removed = 0
    # Half of what can be read is left, so that this is not done again at every turn.
    for one in reversed(found[1:]) if total > MOST_MANIFEST_BYTES else ():
        if total <= MOST_MANIFEST_BYTES // 2:
            break
        if one.version not in tagged and _changed(one.path) < young:
            total -= _size(one.path)
            one.path.unlink(missing_ok=True)
            removed += 1
    return removed


def fragment_parts(folder: Path) -> dict[int, dict[int, bytes]]:
    """
    Return of each version its fragments by number, with what each consists of: its files, what is deleted.

    Two that consist of the same show the same rows. A version whose manifest reads otherwise is left out.
    """
    found: dict[int, dict[int, bytes]] = {}
    for one in manifests(folder):
        with suppress(FileNotFoundError, *MALFORMED):
            found[one.version] = fragments_in(message_of(one.path.read_bytes()))
    return found


def missing_files(folder: Path) -> list[Path]:
    """Return the data files that the newest version needs and that are not there."""
    newest = next((one for one in manifests(folder) if one.is_whole), None)
    if newest is None:
        return []
    needed = set(_DATA_FILE.findall(_fragments(newest.path.read_bytes())))
    return [path for name in sorted(needed) if not (path := folder / "data" / name.decode()).exists()]


def orphan_files(folder: Path) -> list[Path] | None:
    """Return the files that no version needs; None where there are too many versions to read."""
    census = _census(folder)
    return None if census is None else census.orphans


def table_files(folder: Path) -> TableFiles | None:
    """Return the figures of a table's files; None where there are too many versions to read."""
    census = _census(folder)
    if census is None:
        return None
    return TableFiles(
        dead_bytes=_bytes_of(census.dead),
        orphans=len(census.orphans),
        orphan_bytes=_bytes_of(census.orphans),
    )


@dataclass(frozen=True, slots=True)
class _Census:
    dead: list[Path]
    orphans: list[Path]


def _census(folder: Path) -> _Census | None:
    # A list made before the manifests are read holds no file of a version that comes meanwhile.
    parts = _parts(folder)
    versions = manifests(folder)
    if not versions or sum(_size(one.path) for one in versions) > MOST_MANIFEST_BYTES:
        return None
    live = _needed(versions[:1], parts)
    older = _needed(versions[1:], parts)
    rest = set(parts) - live - older
    young = time.time() - AT_WORK_S
    orphans = [path for path in _files(parts[name] for name in rest) if _changed(path) < young]
    return _Census(sorted(_files(parts[name] for name in older - live)), sorted(orphans))


def _parts(folder: Path) -> dict[bytes, Path]:
    # A data file stands in a manifest by its name, an index by the sixteen bytes that name its folder.
    found = {path.name.encode(): path for path in (folder / "data").glob("*.lance")}
    for path in (folder / "_indices").glob("*"):
        with suppress(ValueError):
            found[UUID(path.name).bytes] = path
    return found


def _needed(versions: Iterable[Manifest], parts: dict[bytes, Path]) -> set[bytes]:
    indices = {name for name, path in parts.items() if path.suffix != ".lance"}
    needed: set[bytes] = set()
    for one in versions:
        with suppress(FileNotFoundError):
            content = one.path.read_bytes()
            needed.update(_DATA_FILE.findall(_fragments(content)))
            needed.update(name for name in indices - needed if name in content)
    return needed & parts.keys()


def _fragments(content: bytes) -> bytes:
    # The change that made the version names what it took away.
    with suppress(*MALFORMED):
        return content[message_start(content) :]
    return content


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from (one for one in path.rglob("*") if one.is_file()) if path.is_dir() else (path,)


def _manifest(path: Path) -> Manifest | None:
    if not path.stem.isdigit():
        return None
    number = int(path.stem)
    return Manifest(NEWEST_FIRST - number if len(path.stem) > _OLD_NAME_DIGITS else number, path)


def _bytes_of(paths: Iterable[Path]) -> int:
    return sum(_size(path) for path in paths)


def _size(path: Path) -> int:
    # Another writer's clean-up may be under way.
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _changed(path: Path) -> float:
    with suppress(FileNotFoundError):
        return path.stat().st_mtime
    return time.time()
