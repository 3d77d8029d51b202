"""What the doctor looks at in the files of the memories table: its manifests, its data, its tags."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from sunrise.adapters.lance_border import is_remote, located
from sunrise.adapters.lance_files import manifests, missing_files, orphan_files
from sunrise.domain.retention import DAY_MS
from sunrise.domain.snapshots import SnapshotRetention, expired
from sunrise.ports import Clock
from sunrise.settings import Settings
from tasks.doctor_findings import Finding, command, ill, look, well
from tasks.snapshot import read_snapshots

FILES, TAGS = "memories files", "tags"
_TAG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MIB = 1 << 20
_SHOWN = 3
_REACH_IT_FIRST = (
    "See that the object storage runs, and that its endpoint and credentials are right; if they are: "
)


def file_findings(settings: Settings) -> Iterator[Finding]:
    """Look at the newest manifest, at the files that it names, and at those that no version needs."""
    folder = _folder(settings)
    if folder is None:
        yield look(
            FILES,
            "the table is in object storage: its files and the age of its tags were not looked at",
            cure=f"If a check below fails, see what is there below {settings.memories_uri} with the storage's"
            " own tools.",
        )
        return
    if not folder.is_dir():
        # That there is no table yet is a finding of its own.
        return
    newest = next(iter(manifests(folder)), None)
    if newest is not None and not newest.is_whole:
        aside = shlex.join(["mv", str(newest.path), f"{newest.path}.damaged"])
        yield ill(
            FILES,
            f"the manifest of version {newest.version} is cut short, so the table cannot be opened",
            cure=f"Fall back to the version before it with `{aside}`; what that version added is lost.",
        )
        return
    missing = missing_files(folder)
    if missing:
        names = ", ".join(path.name for path in missing[:_SHOWN])
        yield ill(FILES, f"{len(missing)} data files are gone: {names}", cure=restore(settings))
        return
    yield _orphan_finding(settings, folder)


def tag_findings(settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Look at the tags: one that cannot be listed, and those that nobody keeps."""
    table = _folder(settings)
    if table is None or not table.is_dir():
        return
    folder = table / "_refs" / "tags"
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    bad = [path for path in files if _TAG_NAME.fullmatch(path.stem) is None]
    for path in bad:
        yield ill(
            TAGS,
            f"the tag {unquote(path.stem)!r} is not ASCII: no tag can be listed and no optimize succeeds",
            cure=f"Remove its file with `rm {shlex.quote(str(path))}`.",
        )
    stale = [path.stem for path in files if path not in bad and _is_stale(path, settings, clock)]
    for tag in stale:
        ours = tag.startswith("sunrise-")
        yield look(
            TAGS,
            f"the tag {tag} is older than versions are kept, and every version since is kept with it",
            cure=f"Expire old snapshots with {command(settings, 'run snapshot')}."
            if ours
            else f"If nobody needs it, remove it with {python_line(settings, f'tags.delete({tag!r})')}",
        )
    if not bad and not stale:
        yield well(TAGS, f"{len(files)} tags")


def restore(settings: Settings) -> str:
    """Return how to go back to the newest snapshot, or by hand where there is none."""
    first = _REACH_IT_FIRST if is_remote(settings.memories_uri) else ""
    newest = next((one.tag for one in read_snapshots(settings.home / "backups") if one.version), None)
    if newest is None:
        return (
            f"{first}There is no snapshot to go back to: put the table aside with "
            f"{_aside(settings)}, and let the agent start a new one."
        )
    back = command(settings, f"snapshot restore {newest} --yes")
    return f"{first}Go back to the newest snapshot with {back}."


def python_line(settings: Settings, call: str) -> str:
    """Return a line of Python that does something to the table, ready to be typed."""
    options = settings.memories.public_options
    more = f", storage_options={options!r}" if options else ""
    code = (
        f"import lancedb; lancedb.connect({settings.memories_uri!r}{more})"
        f".open_table({settings.memories.table!r}).{call}"
    )
    return f"`python -c {shlex.quote(code)}`."


def _orphan_finding(settings: Settings, folder: Path) -> Finding:
    orphans = orphan_files(folder)
    if orphans is None:
        return well(FILES, "no file is missing; with so many versions none was looked for that is left over")
    if not orphans:
        return well(FILES, "no file is missing and none is left over")
    size = sum(path.stat().st_size for path in orphans)
    # Longer than any version is old: only files that no version needs are removed.
    call = "optimize(cleanup_older_than=__import__('datetime').timedelta(days=36500), delete_unverified=True)"
    return look(
        FILES,
        f"{len(orphans)} files of {size / _MIB:.1f} MiB belong to no version; a writer was killed",
        cure="A clean-up removes them when they are a week old. To have the room now, stop whatever writes"
        f" memories, then {python_line(settings, call)}",
    )


def _aside(settings: Settings) -> str:
    if is_remote(settings.memories_uri):
        return f"moving what is below {settings.memories_uri} with the storage's own tools"
    return f"`mv {shlex.quote(settings.memories_uri)} memories-damaged`"


def _folder(settings: Settings) -> Path | None:
    uri = settings.memories_uri
    return None if is_remote(uri) else Path(located(uri)) / f"{settings.memories.table}.lance"


def _is_stale(path: Path, settings: Settings, clock: Clock) -> bool:
    keep, now_ms = settings.snapshot, clock.now_ms()
    # The newest snapshots stay however old they are: on a quiet home the last one is still the right one.
    retention = SnapshotRetention(keep.keep, keep.keep_days, keep.keep_manual_days)
    finished = read_snapshots(settings.home / "backups")
    wanted = {one.tag for one in finished} - {one.tag for one in expired(finished, retention, now_ms=now_ms)}
    days = max(settings.index.keep_days, keep.keep_days if path.stem.startswith("sunrise-") else 0.0)
    return path.stem not in wanted and now_ms - path.stat().st_mtime * 1000 > days * DAY_MS
