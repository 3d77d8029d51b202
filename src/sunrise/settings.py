"""The one frozen Settings: ``sunrise.toml`` < ``SUNRISE_*`` environment < arguments, read once."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from sunrise.errors import ConfigurationError
from sunrise.sections.batch import (
    AdmissionSettings,
    DriftSettings,
    EvaluateSettings,
    GradeSettings,
    HarvestSettings,
    HighestOrigin,
    IndexSettings,
    LifecycleSettings,
    NotifySettings,
    PrefectSettings,
    ReportSettings,
    SnapshotSettings,
)
from sunrise.sections.online import (
    AutoCaptureSettings,
    AutoRecallSettings,
    BudgetSettings,
    RecallSettings,
    ReceiptSettings,
    ScopePolicySettings,
    WorkingSetSettings,
)
from sunrise.sections.section import Section
from sunrise.sections.serve import ServeSettings

CONFIG_FILE = "sunrise.toml"
DEFAULT_HOME = "~/.sunrise"

_LOCALTIME = Path("/etc/localtime")
_TIMEZONE = Path("/etc/timezone")


def machine_zone() -> str:
    """
    Return the time zone of this machine by its name: of ``TZ``, else of the files of the system, else UTC.

    A zone without a name in the time zone database, such as ``CST-8``, is passed over.
    """
    for name in _machine_zones():
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name).key
    return "UTC"


def _machine_zones() -> Iterator[str]:
    for place in (os.environ.get("TZ", "").removeprefix(":"), str(_LOCALTIME)):
        # A path leads into the time zone database, where zones are named by their paths below its root.
        whole = os.path.realpath(place) if place.startswith("/") else place
        yield whole.rpartition("/zoneinfo/")[2].removeprefix("posix/")
    with suppress(OSError, UnicodeDecodeError):
        yield _TIMEZONE.read_text(encoding="ascii").strip()


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        msg = f"no such time zone: {name!r}"
        raise ValueError(msg) from error
    return name


Zone = Annotated[str, AfterValidator(_known_zone)]

_SECRET_OPTIONS = re.compile(
    r"secret|password|token|sas_|(access|account|master|customer|service_account)_key", re.IGNORECASE
)
"""What stands in the names of storage options whose values are secrets."""


def _is_secret(option: str) -> bool:
    return _SECRET_OPTIONS.search(option) is not None


class MemoriesSettings(Section):
    """Where the agent's memories live."""

    uri: str = Field(
        "",
        description="LanceDB directory or URI, perhaps the gateway's own; empty means HOME/lance.",
    )
    table: str = Field("memories", description="Name of the table.")
    storage_options: dict[str, str] = Field(
        {},
        repr=False,
        description="What LanceDB is told of object storage, by name: endpoint, region and the like; secrets"
        " only in the environment.",
    )
    default_scope: str = Field("global", description="Scope of memories that name none.")

    @property
    def public_options(self) -> dict[str, str]:
        """The storage options that are no secrets: what may be shown."""
        return {name: value for name, value in self.storage_options.items() if not _is_secret(name)}


class EmbedderSettings(Section):
    """What turns text into vectors."""

    name: Literal["use", "e5", "openai", "none"] = Field(
        "use",
        description="use: built in, any OS, many languages; e5: better and slower, the extra [e5]; openai: a"
        " service; none: lexical search only.",
    )
    base_url: str = Field(
        "",
        pattern=r"^(https?://[^/\s@?#]+(/[^\s@?#]*)?)?$",
        description="openai: address of the service up to its `/embeddings`, such as"
        " http://127.0.0.1:11434/v1.",
    )
    model: str = Field("", max_length=200, description="openai: the service's name of the model.")
    dimension: int = Field(0, ge=0, le=16_384, description="openai: numbers in a vector of this model.")
    send_dimension: bool = Field(
        default=False, description="openai: ask for vectors of this dimension; not every model has a choice."
    )
    api_key_env: str = Field(
        "",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,63})?$",
        description="openai: the environment variable that holds the key; empty: no key is sent.",
    )
    timeout_s: float = Field(
        30.0, gt=0, le=600, description="openai: seconds that one try with texts may take; there are four."
    )
    query_timeout_s: float = Field(
        3.0, gt=0, le=60, description="Seconds that a recall or a store waits for a vector."
    )
    batch_texts: int = Field(64, ge=1, le=2048, description="openai: texts in one request.")
    max_chars: int = Field(
        6000, ge=100, le=1_000_000, description="openai: a longer text is cut to its head and its tail."
    )
    head_chars: int = Field(500, ge=0, description="openai: of these characters, so many are the head.")
    max_bytes: int = Field(0, ge=0, description="openai: the same limit in bytes; 0: none.")
    text_prefix: str = Field(
        "", max_length=200, description="openai: what the model wants before each text that is stored."
    )
    query_prefix: str = Field(
        "", max_length=200, description="openai: what the model wants before each question."
    )

    @model_validator(mode="after")
    def _knows_its_service(self) -> Self:
        if self.name == "openai" and not (self.base_url and self.model and self.dimension):
            msg = "the embedder openai needs base_url, model and dimension"
            raise ValueError(msg)
        return self


SourceKind = Literal["openclaw", "capture", "transcripts", "agent-database", "markdown", "legacy-ledger"]


class SourceSettings(Section):
    """One thing to harvest; HOME/spool/*.jsonl is read without being named."""

    kind: SourceKind = Field(
        description="openclaw: a gateway's whole home; capture: JSON lines; transcripts: a folder of session"
        " files; agent-database: a gateway's openclaw-agent.sqlite; markdown: a workspace or a file;"
        " legacy-ledger: a ledger of openclaw-mem."
    )
    path: str = Field(min_length=1, description="File, folder or glob; a relative one starts at the home.")
    timezone: Zone | None = Field(
        None, description="Zone of times that name none; else that of the settings."
    )
    highest_origin: HighestOrigin = Field(
        "agent",
        description="Of a capture: the origin that its lines may claim at most. operator, which is trusted,"
        " only where the owner alone writes the file.",
    )

    @model_validator(mode="after")
    def _has_lines_that_claim(self) -> Self:
        if self.highest_origin == "operator" and self.kind != "capture":
            raise ValueError("highest_origin is a setting of the kind capture")
        return self


class Settings(BaseSettings):
    """Everything an operator can set. Values are read once; the object never changes."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        env_prefix="SUNRISE_",
        env_nested_delimiter="__",
        nested_model_default_partial_update=True,
    )

    home: Path = Field(default=Path(DEFAULT_HOME), description="Where everything lives.")
    timezone: Zone = Field(
        "Asia/Taipei",
        description="Zone of the schedules, of every time that people are shown, and of times that name none;"
        " `sunrise init` writes that of the machine.",
    )
    sources: tuple[SourceSettings, ...] = Field((), description="What to harvest; see `sunrise sources`.")
    memories: MemoriesSettings = MemoriesSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    recall: RecallSettings = RecallSettings()
    scope_policy: ScopePolicySettings = ScopePolicySettings()
    auto_recall: AutoRecallSettings = AutoRecallSettings()
    working_set: WorkingSetSettings = WorkingSetSettings()
    budget: BudgetSettings = BudgetSettings()
    auto_capture: AutoCaptureSettings = AutoCaptureSettings()
    receipts: ReceiptSettings = ReceiptSettings()
    serve: ServeSettings = ServeSettings()
    harvest: HarvestSettings = HarvestSettings()
    admission: AdmissionSettings = AdmissionSettings()
    grade: GradeSettings = GradeSettings()
    index: IndexSettings = IndexSettings()
    lifecycle: LifecycleSettings = LifecycleSettings()
    drift: DriftSettings = DriftSettings()
    evaluate: EvaluateSettings = EvaluateSettings()
    snapshot: SnapshotSettings = SnapshotSettings()
    report: ReportSettings = ReportSettings()
    notify: NotifySettings = NotifySettings()
    prefect: PrefectSettings = PrefectSettings()
    schedules: dict[str, str] = Field(
        default_factory=dict, description="Cron lines by flow, in place of the built-in ones."
    )

    @field_validator("home")
    @classmethod
    def _absolute(cls, home: Path) -> Path:
        return home.expanduser().absolute()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  pydantic calls by this signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over what :func:`load_settings` read from the file."""
        return env_settings, init_settings

    @property
    def memories_uri(self) -> str:
        """Where the memories table is: the setting (a relative path starts at the home), or HOME/lance."""
        uri = self.memories.uri or "lance"
        return uri if "://" in uri else str(self.home / Path(uri).expanduser())

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the home."""
        return ZoneInfo(self.timezone)

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with top-level values replaced: how arguments win over everything."""
        return self.model_copy(update=changes)


def load_settings(home: str | Path | None = None) -> Settings:
    """
    Read the settings of a home.

    The home itself comes from the argument, else ``SUNRISE_HOME``, else ``~/.sunrise``; its ``sunrise.toml``
    may be missing: then the time zone is that of the machine.

    Raises:
        ConfigurationError: The file is not TOML, or a value is unknown or out of range.
    """
    root = Path(home or os.environ.get("SUNRISE_HOME") or DEFAULT_HOME).expanduser().absolute()
    values = _read_toml(root / CONFIG_FILE)
    if values is None:
        # A home without the file is new, or never had one: it goes by the clock on the wall beside it.
        values = {"timezone": machine_zone()}
    _refuse_secrets(values, root / CONFIG_FILE)
    try:
        settings = Settings(**{**values, "home": root})
    except ValidationError as error:
        raise ConfigurationError(_explain(error, root / CONFIG_FILE)) from error
    except SettingsError as error:
        # Lists and whole sections in the environment are JSON; what is none never reaches the validation.
        msg = f"SUNRISE_* environment: {error} (a list is written as JSON)"
        raise ConfigurationError(msg) from error
    return settings.replaced(home=root)


def _read_toml(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"{path} cannot be read: {error}"
        raise ConfigurationError(msg) from error


def _refuse_secrets(values: dict[str, Any], path: Path) -> None:
    memories = values.get("memories")
    options = memories.get("storage_options") if isinstance(memories, dict) else None
    for name in options if isinstance(options, dict) else ():
        if _is_secret(name):
            msg = (
                f"{path}: memories.storage_options.{name} is a secret and belongs into the environment:"
                " a variable that LanceDB reads itself (AWS_SECRET_ACCESS_KEY and the like),"
                " or SUNRISE_MEMORIES__STORAGE_OPTIONS as JSON"
            )
            raise ConfigurationError(msg)


def _explain(error: ValidationError, path: Path) -> str:
    lines = [f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
    return f"settings are not valid ({path}, SUNRISE_* environment): " + "; ".join(lines)
