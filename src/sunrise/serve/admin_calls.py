"""What both doors ask of the library to look through memories, and to carry them out and in; it blocks."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from sunrise.adapters.lent_files import export_path, opened_import
from sunrise.domain.transfer import ExportResult
from sunrise.errors import ConfigurationError
from sunrise.serve.problems import RefusalError
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller

Scopes = tuple[str, ...] | None


def listed(service: Service, scope: str | None, **asked: Any) -> dict[str, Any]:
    """Return one page of memories."""
    found = service.memories().list(scope=scope, **asked)
    service.metrics.items.labels("list").inc(len(found.items))
    return found.to_dict()


def counted(service: Service, caller: Caller, scope: str | None, *, with_vectors: bool) -> dict[str, Any]:
    """Return figures; whoever is bound to scopes is told nothing of the table that holds the others too."""
    found = service.memories().stats(scope, with_vectors=with_vectors)
    if caller.is_bound:
        own = replace(found.stats, table_rows=found.stats.rows, table_bytes=0, table_versions=0)
        found = replace(found, stats=own)
    return found.to_dict()


def shown(service: Service, ref: str, scopes: Scopes, *, with_quarantined_texts: bool) -> dict[str, Any]:
    """Return one record."""
    found = service.memories().get(ref, with_quarantined_texts=with_quarantined_texts, scopes=scopes)
    return found.to_dict()


def around(service: Service, ref: str | None, scopes: Scopes, **asked: Any) -> dict[str, Any]:
    """Return what was captured around a record or a moment."""
    return service.memories().timeline(ref, scopes=scopes, **asked).to_dict()


def revived(service: Service, ref: str, scopes: Scopes, *, dry_run: bool) -> dict[str, Any]:
    """Bring one record back, where it is in one of these scopes."""
    return service.changed(lambda memories: memories.revive(ref, dry_run=dry_run, scopes=scopes)).to_dict()


def exported(service: Service, out: BinaryIO, scope: str | None, **asked: Any) -> ExportResult:
    """Write memories to an open file."""
    done = service.memories().export(out, scope=scope, **asked)
    service.metrics.items.labels("export").inc(done.exported)
    return done


def exported_text(service: Service, scope: str | None, **asked: Any) -> dict[str, Any]:
    """
    Return memories as a text beside what was left out.

    Raises:
        RefusalError: It is larger than a request may be; reason ``export_too_large``.
    """
    out = _Bounded(service.options.settings.max_body_kib * 1024)
    done = exported(service, out, scope, **asked)
    return {**done.to_dict(), "lines": out.getvalue().decode()}


def exported_to(service: Service, name: str, scope: str | None, **asked: Any) -> dict[str, Any]:
    """Write memories to a file of the home."""
    path = export_path(service.home.path, name)
    try:
        done = service.memories().export(path, scope=scope, **asked)
    except ConfigurationError as error:
        raise RefusalError("bad_file") from error
    service.metrics.items.labels("export").inc(done.exported)
    return done.to_dict()


def imported(
    service: Service, *, lines: str | None, file: str | None, asked: Mapping[str, Any]
) -> dict[str, Any]:
    """Add the memories of some lines, or of a file of the home."""
    if (lines is None) == (file is None):
        raise RefusalError("bad_source")
    if file is None:
        return carried_in(service, io.BytesIO((lines or "").encode()), "lines", asked)
    stream = opened_import(service.home.path, file)
    if stream is None:
        raise RefusalError("unknown_file")
    return carried_in(service, stream, file, asked)


def carried_in(service: Service, stream: BinaryIO, name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Add the memories of an open file, and close it."""
    try:
        with stream:
            done = service.memories().import_(stream, name=name, **asked)
    except ConfigurationError as error:
        # Such as one array that is too large to be read whole.
        raise RefusalError("bad_file") from error
    service.metrics.items.labels("import").inc(done.counts["imported"])
    return done.to_dict()


class _Bounded(io.BytesIO):
    """Takes so many bytes and no more."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self._most:
            raise RefusalError("export_too_large", f"at most {self._most} bytes")
        return super().write(data)
