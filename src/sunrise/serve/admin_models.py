"""What the HTTP door takes and gives where memories are looked through, carried out and in."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from sunrise.adapters.lent_files import MAX_NAME
from sunrise.domain.admin import MAX_PAGE
from sunrise.domain.record_requests import LONGEST_ID, MAX_AROUND, MAX_WINDOW_MS
from sunrise.domain.transfer import MAX_BATCH, MAX_SOURCE_NAME
from sunrise.serve.http_models import Asked, Given, MomentMs, ScopeName, ShortName, Text, WholeNumber

FileName = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=r"^\w[\w .,()+=@~#%&'!\[\]{}-]*$")]
RefName = Annotated[
    str, Field(min_length=1, max_length=LONGEST_ID + 4, pattern=r"^[^\s\x00-\x1f\x7f-\x9f]+$")
]


class FilterAsked(Asked):
    """What memories must be to be meant; what is not named asks for nothing."""

    scope: ScopeName | None = Field(None, description="Else that of the token, else every one.")
    category: ShortName | None = None
    label: Literal["must_remember", "nice_to_have", "ignore", "unknown"] | None = None
    trust: Literal["trusted", "untrusted", "quarantined", "unknown"] | None = None
    state: Literal["active", "stale", "superseded", "archived", "captured"] | None = None
    since_ms: MomentMs | None = None
    until_ms: MomentMs | None = None

    def wanted(self) -> dict[str, Any]:
        """Return the filter by the names of the library, but for the scope."""
        names = ("category", "label", "trust", "state", "since_ms", "until_ms")
        return {name: getattr(self, name) for name in names}


class ListAsked(FilterAsked):
    """One page of memories."""

    limit: WholeNumber = Field(50, ge=1, le=MAX_PAGE, description="Memories on a page, at most.")
    cursor: Annotated[str, Field(max_length=2000)] | None = Field(None, description="Where a page ended.")
    with_quarantined_texts: bool = Field(default=False, description="Needs the right admin.")


class ListGiven(Given):
    """One page, newest first, and the cursor of the next."""

    items: list[dict[str, Any]]
    next_cursor: str | None
    total: int
    receipt: dict[str, Any]


class StatsAsked(Asked):
    """Figures of one scope or of all."""

    scope: ScopeName | None = Field(None, description="Else that of the token, else every one.")
    with_vectors: bool = Field(default=True, description="Count missing vectors, which reads them all.")


class StatsGiven(Given):
    """Figures. Of a token that is bound, those of the table as a whole are left out."""

    stats: dict[str, Any]
    receipt: dict[str, Any]


class GetAsked(Asked):
    """One record."""

    ref: RefName = Field(description="mem:ID, obs:NUMBER, an id, or 8 characters of one.")
    scope: ScopeName | None = Field(None, description="Only in this scope.")
    with_quarantined_texts: bool = Field(default=False, description="Needs the right admin.")


class GetGiven(Given):
    """One record with its history; neither kind where it was not found."""

    memory: dict[str, Any] | None
    observation: dict[str, Any] | None
    candidates: list[str]
    has_more: bool = Field(alias="has_more")
    changes: list[dict[str, Any]]
    links: list[dict[str, Any]]
    usage: dict[str, Any]
    receipt: dict[str, Any]


class TimelineAsked(Asked):
    """What was captured around a record or a moment, one of them."""

    ref: RefName | None = None
    at_ms: MomentMs | None = None
    scope: ScopeName | None = None
    window_ms: WholeNumber = Field(86_400_000, ge=1, le=MAX_WINDOW_MS, description="How far, either way.")
    before: WholeNumber = Field(10, ge=0, le=MAX_AROUND)
    after: WholeNumber = Field(10, ge=0, le=MAX_AROUND)
    with_quarantined_texts: bool = Field(default=False, description="Needs the right admin.")


class TimelineGiven(Given):
    """What was captured, oldest first."""

    at_ms: int | None = Field(alias="at_ms")
    anchor: str | None
    items: list[dict[str, Any]]
    receipt: dict[str, Any]


class ReviveAsked(Asked):
    """One archived or replaced record to be brought back."""

    ref: RefName
    scope: ScopeName | None = Field(None, description="Only in this scope.")
    dry_run: bool = False


class ReviveGiven(Given):
    """What came of it."""

    status: Literal["revived", "forgotten", "not_archived", "not_found", "ambiguous"]
    ref: str | None
    run_id: str | None
    candidates: list[str]
    has_more: bool
    receipt: dict[str, Any]


class ExportAsked(FilterAsked):
    """Memories to be carried out: as the answer, or into a file."""

    format: Literal["jsonl", "json", "markdown", "parquet"] = "jsonl"
    redact: bool = Field(default=True, description="Secrets as they are need the right admin.")
    with_vectors: bool = False
    with_quarantined: bool = Field(default=False, description="Needs the right admin.")
    file: FileName | None = Field(None, description="A name in HOME/exports; needs the right admin.")


class ExportGiven(Given):
    """What was written into a file."""

    exported: int
    left_out: dict[str, int]
    receipt: dict[str, Any]


class ImportAsked(Asked):
    """How memories are carried in."""

    dedupe: Literal["none", "id", "id_text"] = "id_text"
    trust: bool = Field(default=False, description="You vouch for the tiers and origins.")
    scope: ScopeName | None = Field(None, description="Put every row here; else that of the token, if bound.")
    dry_run: bool = False
    batch: WholeNumber = Field(10_000, ge=1, le=MAX_BATCH)


class ImportLinesAsked(ImportAsked):
    """Memories to be carried in, as JSON lines or one array."""

    lines: Text = Field(description="What a file would hold.")
    file: None = None


class ImportFileAsked(ImportAsked):
    """Memories to be carried in, as a file of HOME/imports."""

    file: FileName
    lines: None = None


class ImportStreamAsked(BaseModel):
    """How the memories of a file are carried in whose content is the body."""

    # Words of an address are texts, and are read as what they say.
    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    name: Annotated[
        str, Field(min_length=1, max_length=MAX_SOURCE_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")
    ] = Field("lines", description="What the file is called where lines are refused; it is not opened.")
    dedupe: Literal["none", "id", "id_text"] = "id_text"
    trust: bool = Field(default=False, description="You vouch for the tiers and origins.")
    scope: ScopeName | None = Field(None, description="Put every row here; else that of the token, if bound.")
    dry_run: bool = False
    batch: int = Field(10_000, ge=1, le=MAX_BATCH)


class ImportGiven(Given):
    """What became of the rows."""

    counts: dict[str, int]
    groups: dict[str, dict[str, int]]
    run_id: str | None
    receipt: dict[str, Any]
