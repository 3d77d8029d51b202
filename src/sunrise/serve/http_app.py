"""The HTTP application: routes, problems and the guard, over one open home."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from sunrise.bootstrap import Home
from sunrise.errors import DataError, StoreError
from sunrise.serve import http_admin, http_routes, http_transfer, http_writes
from sunrise.serve.guards import Guard
from sunrise.serve.http_models import FaultGiven, ProblemGiven
from sunrise.serve.mcp_http import McpDoor
from sunrise.serve.problems import PROBLEM_TYPE, REASONS, RefusalError, as_refusal, fault_of
from sunrise.serve.service import ServeOptions, Service

API_VERSION: Final = "1"
_DESCRIPTION: Final = (
    "Memories for an agent, over HTTP. Every problem is `application/problem+json` with a reason."
)
_MAX_FAULTS: Final = 20
_BY_STATUS: Final = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large", 415: "content_type"}


def build_app(home: Home, options: ServeOptions) -> Guard:
    """
    Return the ASGI application over an open home. It warms up in its lifespan; ``service`` is what it asks.
    """
    service = Service(home, options)
    api = _api(service)
    api.state.service = service
    if options.settings.mcp:
        api.state.mcp = McpDoor(api, service)
    return Guard(api, service)


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document; no home is needed for it."""
    return _api(None).openapi()


def _api(service: Service | None) -> FastAPI:
    api = FastAPI(
        title="sunrise",
        version=API_VERSION,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=_lifespan_of(service) if service else None,
        exception_handlers={
            RefusalError: _refused,
            RequestValidationError: _not_valid,
            HTTPException: _http_error,
            DataError: _refused,
            StoreError: _refused,
            Exception: _failed,
        },
    )
    api.include_router(http_routes.router)
    api.include_router(http_writes.router)
    api.include_router(http_admin.router)
    api.include_router(http_transfer.router)
    _name_problems(api)
    return api


def _lifespan_of(service: Service) -> Any:
    @asynccontextmanager
    async def lifespan(api: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(service.close)
            await service.workers.run(service.warm)
            if hasattr(api.state, "mcp"):
                await stack.enter_async_context(api.state.mcp.run())
            yield

    return lifespan


def _name_problems(api: FastAPI) -> None:
    """Put the form of a problem into the document, in place of FastAPI's own."""
    plain = api.openapi

    def openapi() -> dict[str, Any]:
        document = plain()
        schemas = document["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        template = "#/components/schemas/{model}"
        schemas["FaultGiven"] = FaultGiven.model_json_schema(ref_template=template)
        problem = ProblemGiven.model_json_schema(ref_template=template)
        problem.pop("$defs", None)
        problem["properties"]["reason"]["enum"] = list(REASONS)
        schemas["ProblemGiven"] = problem
        document["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"bearer": []}, {}]
        return document

    api.openapi = openapi  # type: ignore[method-assign]  # the way that FastAPI documents


def _answer(request: Request, refusal: RefusalError) -> Response:
    request.scope["sunrise.reason"] = refusal.reason
    body = refusal.body(request.scope.get("sunrise.request_id", ""))
    headers = refusal.headers()
    headers.pop("Content-Type")
    return Response(body, status_code=refusal.status, headers=headers, media_type=PROBLEM_TYPE)


async def _refused(request: Request, error: Any) -> Response:
    return _answer(request, as_refusal(error))


async def _not_valid(request: Request, error: Any) -> Response:
    faults = [
        fault_of(".".join(str(part)[:64] for part in one["loc"][1:]) or "body", one)
        for one in error.errors()[:_MAX_FAULTS]
    ]
    is_json = all(fault["code"] != "json_invalid" for fault in faults)
    return _answer(
        request, RefusalError("not_valid", faults=faults) if is_json else RefusalError("bad_request")
    )


async def _http_error(request: Request, error: Any) -> Response:
    answer = _answer(request, RefusalError(_BY_STATUS.get(error.status_code, "bad_request")))
    answer.headers.update(error.headers or {})
    return answer


async def _failed(request: Request, _: Exception) -> Response:
    # The guard notes where; Starlette raises it once more after this.
    return _answer(request, RefusalError("failed"))
