"""The one frozen Settings: ``sunrise.toml`` < ``SUNRISE_*`` environment < arguments, read once."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from sunrise.errors import ConfigurationError

CONFIG_FILE = "sunrise.toml"
DEFAULT_HOME = "~/.sunrise"


class _Section(BaseModel):
    # An error that is shown whole must not show what was set: it may be a secret.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


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


class MemoriesSettings(_Section):
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


class EmbedderSettings(_Section):
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
        3.0, gt=0, le=60, description="openai: seconds that recall waits; then words alone answer."
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


class SourceSettings(_Section):
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


class HarvestSettings(_Section):
    """What is read into the ledger."""

    episodes: bool = Field(default=True, description="Keep what was said and done word for word.")
    batch_lines: int = Field(20_000, ge=100, le=1_000_000, description="Lines in one transaction.")
    max_rejected_share: float = Field(
        0.5, gt=0, le=1, description="Above this share of refused lines a run ends as an anomaly."
    )


class AdmissionSettings(_Section):
    """What is counted and collapsed onto a row that is kept, in place of being stored again."""

    off: tuple[str, ...] = Field(
        (), description="Rules that are switched off; see `sunrise admission rules`."
    )
    window_days: float = Field(
        7.0, gt=0, le=3650, description="A row that says the same is collapsed within this many days."
    )
    boot_files: tuple[str, ...] = Field(
        (),
        description="Files or globs that the agent reads at each start; those of an OpenClaw workspace too.",
    )
    by_meaning: bool = Field(
        default=True,
        description="Where boot files are at hand, rows of the agent are compared by vectors too.",
    )


class GradeSettings(_Section):
    """How importance is graded."""

    scorer: Literal["heuristic-v1", "heuristic-v2", "http", "off"] = Field(
        "heuristic-v1",
        description="heuristic-v1 grades as openclaw-mem does; heuristic-v2 reads whole words, negation and"
        " more languages; http asks `http_url`; off grades nothing.",
    )
    batch_rows: int = Field(50_000, ge=100, le=1_000_000, description="Rows in one transaction.")
    http_url: str = Field(
        "", pattern=r"^(https?://[^/\s]+\S*)?$", description="Where the scorer `http` posts rows as JSON."
    )
    http_timeout_s: float = Field(10.0, gt=0, le=300, description="Seconds to wait for one answer of it.")

    @model_validator(mode="after")
    def _knows_where_to_ask(self) -> Self:
        if self.scorer == "http" and not self.http_url:
            msg = "the scorer http needs http_url"
            raise ValueError(msg)
        return self


class IndexSettings(_Section):
    """When and how the memories table is kept in shape."""

    keep_days: float = Field(
        7.0, ge=0.05, description="Versions without a tag are kept this long; readers may still be at them."
    )
    max_fragments: int = Field(20, ge=2, description="Compact when the table has more fragments.")
    max_versions: int = Field(500, ge=2, description="Clean up when the table has more versions.")
    max_dead_mib: int = Field(
        1024, ge=1, description="Clean up when files that only old versions need are larger, in MiB."
    )
    optimize_hours: float = Field(
        24.0, gt=0, description="Optimize after so many hours also where no threshold is passed."
    )
    embed_rows: int = Field(
        20_000, ge=0, description="Memories that one run of the index flow embeds, the oldest first."
    )
    check_days: float = Field(
        7.0, gt=0, description="Every vector of ours is looked at after this many days."
    )
    calibrate_growth: float = Field(
        0.1, gt=0, description="Calibrate the ranking anew when the rows grew or shrank by this share."
    )
    calibrate_days: float = Field(7.0, gt=0, description="Calibrate the ranking anew after this many days.")


class LifecycleSettings(_Section):
    """When unused records are softly archived. P0 never is."""

    p1_days: int = Field(90, ge=1, description="Days without use after which P1 records are archived.")
    p2_days: int = Field(30, ge=1, description="Days without use after which P2 records are archived.")


class DriftSettings(_Section):
    """When a changed distribution is called drift."""

    warn: float = Field(0.1, gt=0, description="Population stability index from which a shift is noted.")
    alarm: float = Field(0.25, gt=0, description="Population stability index from which it is drift.")
    min_rows: int = Field(50, ge=1, description="Below this many rows nothing is judged.")
    baseline_days: int = Field(7, ge=1, description="A quiet baseline is renewed after this many days.")


class EvaluateSettings(_Section):
    """What recall is measured on."""

    golden: tuple[str, ...] = Field(
        (), description="More golden JSONL files or globs; HOME/golden/*.jsonl too."
    )
    k: int = Field(5, ge=1, le=100, description="Depth at which recall and hits are counted.")
    min_hit: float = Field(0.0, ge=0, le=1, description="A hit rate below this is an anomaly.")


class SnapshotSettings(_Section):
    """How long safety copies are kept."""

    keep: int = Field(7, ge=1, description="The newest snapshots kept, at least.")
    keep_days: float = Field(14.0, ge=0, description="Snapshots younger than this are kept too.")
    keep_manual_days: float = Field(
        365.0, ge=0, description="Snapshots taken by hand are kept so long, whatever their number."
    )


class ReportSettings(_Section):
    """The report site."""

    keep_days: int = Field(90, ge=1, description="Pages of older runs are removed; their receipts stay.")


class NotifySettings(_Section):
    """Whom to tell when something needs a look."""

    urls: tuple[str, ...] = Field((), description="Apprise URLs; empty means nobody is told.")


class PrefectSettings(_Section):
    """The server that `sunrise up` starts."""

    host: str = Field("127.0.0.1", description="Address of the Prefect server.")
    port: int = Field(4242, ge=1, le=65535, description="Port of the Prefect server.")


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
    timezone: Zone = Field("Asia/Taipei", description="Zone of the schedules and of the times on pages.")
    sources: tuple[SourceSettings, ...] = Field((), description="What to harvest; see `sunrise sources`.")
    memories: MemoriesSettings = MemoriesSettings()
    embedder: EmbedderSettings = EmbedderSettings()
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

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with top-level values replaced: how arguments win over everything."""
        return self.model_copy(update=changes)


def load_settings(home: str | Path | None = None) -> Settings:
    """
    Read the settings of a home.

    The home itself comes from the argument, else ``SUNRISE_HOME``, else ``~/.sunrise``; its ``sunrise.toml``
    may be missing.

    Raises:
        ConfigurationError: The file is not TOML, or a value is unknown or out of range.
    """
    root = Path(home or os.environ.get("SUNRISE_HOME") or DEFAULT_HOME).expanduser().absolute()
    values = _read_toml(root / CONFIG_FILE)
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


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
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
