"""What the HTTP door takes and gives, as the OpenAPI document shows it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from sunrise.domain.capture_request import CaptureRequest
from sunrise.domain.recall import MAX_LIMIT
from sunrise.domain.record_requests import MAX_CANDIDATES
from sunrise.domain.replacing import MAX_REPLACED
from sunrise.domain.turn_request import NO_SESSION


def _whole(value: Any) -> Any:
    """Put a replacement character where a text was cut in the middle of one: senders count in halves."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def _integral(value: Any) -> Any:
    """Read 5.0 as 5: JSON knows one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = Annotated[int, BeforeValidator(_integral)]
MomentMs = Annotated[int, Field(ge=0, le=253_402_300_799_999), BeforeValidator(_integral)]
Text = Annotated[str, BeforeValidator(_whole)]
# Some printed character, and no control anywhere.
ShortName = Annotated[
    str,
    Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"),
]
MemoryName = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\s\x00-\x1f\x7f-\x9f]+$")]
Reason = Annotated[str, Field(max_length=200, pattern=r"[^\s\x80-\x9f]")]
Importance = (
    Annotated[float, Field(ge=0, le=1)] | Literal["must_remember", "nice_to_have", "ignore", "unknown"]
)
ScopeName = Annotated[str, Field(max_length=256, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Asked(BaseModel):
    """A request: an unknown name in it is an error."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", frozen=True, hide_input_in_errors=True, strict=True
    )


class Given(BaseModel):
    """An answer."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class RecallAsked(Asked):
    """One question to the memory."""

    query: Text = Field(max_length=200_000, description="What the agent wants to know.")
    scope: ScopeName | None = Field(
        None, description="Else that of a tag in the query, else the first of the token, else the default."
    )
    limit: WholeNumber = Field(5, ge=1, le=MAX_LIMIT, description="Memories, at most.")
    include_archived: bool = Field(default=False, description="Archived memories too.")
    verbosity: Literal["low", "high"] = Field("low", description="high: the parts of each score.")
    read_only: bool = Field(default=False, description="What is handed out does not count as used.")


class MemoryGiven(Given):
    """One memory that answers."""

    ref: str = Field(description="mem:<id>, whole.")
    text: str
    scope: str
    importance_label: str | None
    trust_tier: str | None
    category: str | None
    created_at_ms: int | None
    date: str = Field(description="The same in the home's zone; empty where it is unknown.")
    score: float


class RecallGiven(Given):
    """The memories most useful for a query, best first, and how they were found."""

    items: list[MemoryGiven]
    receipt: dict[str, Any] = Field(description="Refs, counts and codes; see the schema it names.")


class TurnAsked(Asked):
    """A turn of the agent that begins."""

    prompt: Text = Field(max_length=500_000, description="What the agent was told.")
    session_key: str = Field(NO_SESSION, min_length=1, max_length=200, description="Turns of one session.")
    scope: ScopeName | None = Field(None, description="Else that of a tag in the prompt, else the default.")
    turn_key: str | None = Field(None, max_length=200, description="By it asking twice is one turn.")
    read_only: bool = Field(default=False, description="Leave nothing behind.")


class TurnGiven(Given):
    """What is put before the agent: a block of text, empty where there is nothing to say."""

    text: str
    items: list[MemoryGiven]
    receipt: dict[str, Any] = Field(description="Refs, counts and codes; see the schema it names.")


class StoreAsked(Asked):
    """One text to be remembered."""

    text: Text = Field(max_length=500_000, description="What to remember; a very long one is cut.")
    scope: ScopeName | None = Field(None, description="Else the first of the token, else global.")
    category: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")] | None = Field(
        None, description="Such as preference, decision, fact, entity or todo."
    )
    importance: Importance | None = Field(None, description="A score, or a label; else the scorer's.")
    source_kind: Literal["agent", "tool", "web", "operator"] = Field(
        "agent", description="Whose words they are; operator needs the right owner, and is trusted."
    )
    source_ref: ShortName | None = Field(None, description="Where it comes from.")
    agent_id: ShortName | None = None
    id: MemoryName | None = Field(None, description="Make the memory of this id, or write it anew.")
    idempotency_key: ShortName | None = Field(None, description="The same key twice is one store.")
    ttl_days: Annotated[float, Field(gt=0, le=36_525)] | None = Field(
        None, description="Not recalled after so many days."
    )
    review_at_ms: MomentMs | None = Field(None, description="Look at it again then.")
    replaces: list[MemoryName] = Field(
        [], max_length=MAX_REPLACED, description="Memories of the scope that it puts out of date."
    )


class StoreGiven(Given):
    """What became of a text, and the memory that holds it now."""

    ref: str | None
    status: Literal["created", "duplicate", "merged", "updated", "quarantined", "refused"]
    receipt: dict[str, Any]


class ForgetAsked(Asked):
    """How a memory is to be forgotten."""

    scope: ScopeName | None = Field(None, description="Only a memory of this scope.")
    reason: Reason = Field("asked", description="For the audit trail.")
    with_derived: bool = Field(default=False, description="Also the memories that were made of it.")
    everywhere: bool = Field(default=False, description="Keep the text out of every scope.")
    limit: WholeNumber = Field(5, ge=1, le=MAX_CANDIDATES, description="Candidates, at most.")


class ForgetByIdAsked(ForgetAsked):
    """One memory to be forgotten, by its id, its ref, or the beginning of its id."""

    id: MemoryName
    query: None = None


class ForgetByQueryAsked(ForgetAsked):
    """One memory to be forgotten that says just this; else what it may mean is returned."""

    query: Text = Field(min_length=1, max_length=200_000)
    id: None = None


class CandidateGiven(Given):
    """A memory that a query or an id may mean."""

    ref: str
    text: str
    scope: str
    score: float | None
    created_at_ms: int | None = None


class ForgetGiven(Given):
    """What is gone, and what a query may have meant."""

    status: Literal["forgotten", "candidates", "ambiguous", "already", "not_found"]
    refs: list[str]
    candidates: list[CandidateGiven]
    receipt: dict[str, Any]


class EraseByIdAsked(ForgetByIdAsked):
    """One memory to be forgotten and erased; it may have been forgotten before."""

    backups: bool = Field(default=False, description="Remove the snapshots that hold it.")


class EraseByQueryAsked(ForgetByQueryAsked):
    """One memory to be forgotten and erased that says just this; else what it may mean is returned."""

    backups: bool = Field(default=False, description="Remove the snapshots that hold it.")


class ErasureGiven(Given):
    """What an erasure did; nothing holds a text any more where it is complete."""

    run_id: str
    status: str = Field(description="busy: another flow is at work, and nothing was erased.")
    reason: str | None
    complete: bool
    by_text: str
    places: dict[str, dict[str, int]] = Field(description="Found, erased and left, by place.")
    found_in: list[str]
    still_holds: list[dict[str, str]]
    anomalies: list[dict[str, Any]]


class EraseGiven(ForgetGiven):
    """What is gone, and what was taken out of which store; null where there was nothing to erase."""

    erasure: ErasureGiven | None


class CaptureAsked(Asked):
    """The messages of a session as the gateway hands them over when a turn ends."""

    messages: list[dict[str, Any]] = Field(max_length=10_000)
    session_id: ShortName = CaptureRequest(()).session_id
    session_key: ShortName | None = None
    agent_id: ShortName | None = None
    scope: ScopeName | None = Field(None, description="Else that of a tag before a statement.")
    in_group: bool = Field(default=False, description="Only messages count that name the owner.")


class CaptureGiven(Given):
    """The memories that were made or written anew, and why not more."""

    refs: list[str]
    receipt: dict[str, Any]


class ExplainAsked(Asked):
    """The turn that is to be explained: the last one."""

    session_key: str | None = Field(None, max_length=200, description="Of this session, else of all.")


class ExplainGiven(Given):
    """The last turn with its whole receipt: why each memory was, or was not, before the agent."""

    session: str | None
    number: int | None
    turn: dict[str, Any] | None


class EventAsked(BaseModel):
    """One captured event, as a capture file has it; what else there is to say of it belongs into detail."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True, strict=True)

    event_id: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="By it an event that is sent twice is taken once."
    )
    ts: str | int | float | None = Field(None, description="ISO 8601, or epoch; now where there is none.")
    kind: Annotated[str, Field(max_length=64)] | None = None
    summary: Text | None = None
    text: Text | None = None
    scope: ScopeName | None = None
    detail: dict[str, Any] | None = None


class EventsAsked(Asked):
    """Events for the next harvest."""

    events: list[EventAsked] = Field(min_length=1, max_length=500)


class EventsGiven(Given):
    """The ids of the events, in order; they are safe on the disk."""

    event_ids: list[str]
    dropped_fields: int = Field(description="Fields of the events that a capture has no use for.")


class HealthGiven(Given):
    """The process is alive."""

    status: Literal["alive"]


class ReadyGiven(Given):
    """Whether each part answers."""

    status: Literal["ready", "not_ready"]
    ledger: Literal["ok", "failed"]
    memories: Literal["ok", "missing", "failed"]
    embedder: Literal["ok", "failed"]


class FaultGiven(Given):
    """One field that is not valid."""

    field: str
    code: str
    expected: str | None = Field(None, description="What the field takes, in words.")


class ProblemGiven(Given):
    """Why a request was not done (RFC 9457); ``reason`` is a stable code."""

    type: str
    title: str
    status: int
    reason: str
    request_id: str
    detail: str | None = None
    faults: list[FaultGiven] | None = None
