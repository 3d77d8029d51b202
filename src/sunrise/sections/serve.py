"""How the service listens, and what it takes from whom."""

from __future__ import annotations

from pydantic import Field

from sunrise.sections.section import Section


class ServeSettings(Section):
    """The service that answers over HTTP and MCP: `sunrise serve`."""

    host: str = Field(
        "127.0.0.1",
        min_length=1,
        max_length=255,
        description="Address to listen on; any other than one of this machine needs a token.",
    )
    port: int = Field(4243, ge=0, le=65535, description="Port to listen on; 0: any that is free.")
    mcp: bool = Field(default=True, description="Answer MCP at /mcp as well.")
    questions: int = Field(
        2, ge=1, le=64, description="Recalls that are worked on at once: more take longer for each other."
    )
    workers: int = Field(4, ge=1, le=64, description="Other calls that are answered at once.")
    queue: int = Field(64, ge=0, le=10_000, description="Calls that wait for a worker; more are refused.")
    max_connections: int = Field(256, ge=1, le=65_536, description="Connections that are open at once.")
    max_body_kib: int = Field(1024, ge=1, le=65_536, description="Size of a request, in KiB.")
    max_import_mib: int = Field(
        1024, ge=1, le=1_048_576, description="Size of a file that is sent to be imported, in MiB."
    )
    max_depth: int = Field(32, ge=4, le=200, description="How deep the JSON of a request may nest.")
    header_timeout_s: float = Field(10.0, gt=0, le=600, description="Seconds until the headers are there.")
    body_timeout_s: float = Field(10.0, gt=0, le=600, description="Seconds until the whole body is there.")
    request_timeout_s: float = Field(30.0, gt=0, le=3600, description="Seconds that one answer may take.")
    transfer_timeout_s: float = Field(
        600.0, gt=0, le=86_400, description="Seconds that an export or an import may take."
    )
    shutdown_timeout_s: int = Field(
        10, ge=0, le=600, description="Seconds that calls have to end when the service is stopped."
    )
    rate_per_s: float = Field(
        50.0, gt=0, le=1e6, description="Requests of one client in a second, on average."
    )
    burst: int = Field(200, ge=1, le=1_000_000, description="Requests of one client at once.")
    allowed_hosts: tuple[str, ...] = Field(
        (), description="Names by which the service is asked, beside those of this machine and its address."
    )
    allowed_origins: tuple[str, ...] = Field(
        (), description="Origins of web pages that may ask, such as http://localhost:3000."
    )
