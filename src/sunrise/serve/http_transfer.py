"""The addresses under /v1 that carry memories out and in."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, BinaryIO, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from sunrise.adapters.lent_files import export_folder
from sunrise.adapters.service_transfer import EXPORT_HEADER, IMPORT_PATH, STREAM_TYPE
from sunrise.domain.transfer import ExportResult
from sunrise.errors import StoreError
from sunrise.serve import admin_calls
from sunrise.serve.admin_models import (
    ExportAsked,
    ExportGiven,
    ImportFileAsked,
    ImportGiven,
    ImportLinesAsked,
    ImportStreamAsked,
)
from sunrise.serve.asking import ANSWERED, described, scope_or_all, scope_to_write, who
from sunrise.serve.service import Service
from sunrise.serve.tokens import Caller, Right

_BLOCK: Final = 64 * 1024
_TYPES: Final[Mapping[str, str]] = {
    "jsonl": "application/x-ndjson",
    "json": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
_GIVEN: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": f"The memories, with what was left out in `{EXPORT_HEADER}`; for a file, its summary.",
        "content": {
            "application/json": {"schema": {}},
            **{kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in list(_TYPES.values())[::2]},
            "application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}

_STREAM: Final[dict[str, Any]] = {
    "required": True,
    "content": {STREAM_TYPE: {"schema": {"type": "string", "format": "binary"}}},
}

router = APIRouter(tags=["transfer"])


@router.post("/v1/export", response_class=Response, responses={**described(*ANSWERED), **_GIVEN})
async def export(asked: ExportAsked, request: Request) -> Response:
    """Return memories, oldest first, or write them into a file of HOME/exports; secrets are redacted."""
    service, caller = who(request, Right.READ)
    if asked.file is not None or asked.with_quarantined or not asked.redact:
        caller.check_right(Right.ADMIN)
    scope = scope_or_all(request, caller, asked.scope)
    wanted = {
        **asked.wanted(),
        "format": asked.format,
        "redact": asked.redact,
        "with_vectors": asked.with_vectors,
        "with_quarantined": asked.with_quarantined,
    }
    if asked.file is not None:
        name = asked.file
        done = await service.workers.run(lambda: admin_calls.exported_to(service, name, scope, **wanted))
        return JSONResponse(ExportGiven.model_validate(done, by_alias=True).model_dump(by_alias=True))
    file, told = await service.workers.run(lambda: _spooled(service, scope, wanted))
    return StreamingResponse(
        _blocks(file),
        media_type=_TYPES[asked.format],
        headers={EXPORT_HEADER: json.dumps(told.to_dict()), "Content-Length": str(_size(file))},
    )


@router.post("/v1/import", response_model=ImportGiven, responses=described(*ANSWERED, 404, 409))
async def import_memories(asked: ImportLinesAsked | ImportFileAsked, request: Request) -> Response:
    """Add memories that are not there yet, each looked at as if a stranger had written it."""
    service, caller = who(request, Right.ADMIN)
    _check_vouching(caller, vouches=asked.trust)
    how = {
        "dedupe": asked.dedupe,
        "trust": asked.trust,
        "scope": _into(request, caller, asked.scope),
        "dry_run": asked.dry_run,
        "batch": asked.batch,
    }
    found = await service.workers.write(
        lambda: admin_calls.imported(service, lines=asked.lines, file=asked.file, asked=how)
    )
    return JSONResponse(found)


@router.post(
    IMPORT_PATH,
    response_model=ImportGiven,
    responses=described(*ANSWERED, 409),
    openapi_extra={"requestBody": _STREAM},
)
async def import_stream(asked: Annotated[ImportStreamAsked, Query()], request: Request) -> Response:
    """Add the memories of a file that is the body itself, however large, as ``/v1/import`` does."""
    service, caller = who(request, Right.ADMIN)
    _check_vouching(caller, vouches=asked.trust)
    how = asked.model_dump() | {"scope": _into(request, caller, asked.scope)}
    name, file = how.pop("name"), request.scope.pop("sunrise.file")
    found = await service.workers.write(lambda: admin_calls.carried_in(service, file, name, how))
    return JSONResponse(found)


def _check_vouching(caller: Caller, *, vouches: bool) -> None:
    # Rows of a file that is vouched for may be trusted as the owner's are.
    if vouches:
        caller.check_right(Right.OWNER)


def _into(request: Request, caller: Caller, asked: str | None) -> str | None:
    return scope_to_write(request, caller, asked) if asked or caller.is_bound else None


def _spooled(service: Service, scope: str | None, wanted: Mapping[str, Any]) -> tuple[BinaryIO, ExportResult]:
    """Export into a file without a name: what fails is a problem, and never half of an answer."""
    folder = export_folder(service.home.path)
    try:
        file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  closed when it was sent
    except OSError as error:
        raise StoreError("the export cannot be written") from error
    try:
        done = admin_calls.exported(service, file, scope, **wanted)
        file.flush()
    except OSError as error:
        file.close()
        raise StoreError("the export cannot be written") from error
    except BaseException:
        file.close()
        raise
    return file, done


def _size(file: BinaryIO) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size


async def _blocks(file: BinaryIO) -> AsyncIterator[bytes]:
    # What was written a moment ago stands in memory: a thread would cost more than the reading.
    with file:
        while block := file.read(_BLOCK):
            yield block
