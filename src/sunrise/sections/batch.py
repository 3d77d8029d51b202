"""What the flows do, how much of it, and whom they tell."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from sunrise.sections.section import Section

HighestOrigin = Literal["agent", "operator"]
"""The most that the lines of a capture may claim to come from."""


class HarvestSettings(Section):
    """What is read into the ledger."""

    episodes: bool = Field(default=True, description="Keep what was said and done word for word.")
    batch_lines: int = Field(20_000, ge=100, le=1_000_000, description="Lines in one transaction.")
    spool_highest_origin: HighestOrigin = Field(
        "agent",
        description="The origin that lines of HOME/spool/*.jsonl may claim at most. operator, which is"
        " trusted, only where the owner alone writes there; what came by HTTP is bound by its token.",
    )
    max_rejected_share: float = Field(
        0.5, gt=0, le=1, description="Above this share of refused lines a run ends as an anomaly."
    )


class AdmissionSettings(Section):
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
        description="Rows are weighed by vectors; where boot files are at hand the agent's are compared too.",
    )


class GradeSettings(Section):
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


class IndexSettings(Section):
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


class LifecycleSettings(Section):
    """When unused records are softly archived. P0 never is."""

    p1_days: int = Field(90, ge=1, description="Days without use after which P1 records are archived.")
    p2_days: int = Field(30, ge=1, description="Days without use after which P2 records are archived.")
    max_archived_share: float = Field(
        0.1,
        gt=0,
        le=1,
        description="A run that would archive more of the active rows of a store archives nothing and asks.",
    )
    unchecked_rows: int = Field(
        5, ge=0, description="So few rows of a store are archived whatever their share."
    )


class DriftSettings(Section):
    """When a changed distribution is called drift."""

    warn: float = Field(0.1, gt=0, description="Population stability index from which a shift is noted.")
    alarm: float = Field(0.25, gt=0, description="Population stability index from which it is drift.")
    min_rows: int = Field(50, ge=1, description="Below this many rows nothing is judged.")
    baseline_days: int = Field(7, ge=1, description="A quiet baseline is renewed after this many days.")


class EvaluateSettings(Section):
    """What recall is measured on."""

    golden: tuple[str, ...] = Field(
        (), description="More golden JSONL files or globs; HOME/golden/*.jsonl too."
    )
    k: int = Field(5, ge=1, le=100, description="Depth at which recall and hits are counted.")
    min_hit: float = Field(0.0, ge=0, le=1, description="A hit rate below this is an anomaly.")


class SnapshotSettings(Section):
    """How long safety copies are kept."""

    keep: int = Field(7, ge=1, description="The newest snapshots kept, at least.")
    keep_days: float = Field(14.0, ge=0, description="Snapshots younger than this are kept too.")
    keep_manual_days: float = Field(
        365.0, ge=0, description="Snapshots taken by hand are kept so long, whatever their number."
    )


class ReportSettings(Section):
    """The report site."""

    keep_days: int = Field(90, ge=1, description="Pages of older runs are removed; their receipts stay.")


class NotifySettings(Section):
    """Whom to tell when something needs a look."""

    urls: tuple[str, ...] = Field((), description="Apprise URLs; empty means nobody is told.")


class PrefectSettings(Section):
    """The server that `sunrise up` starts."""

    host: str = Field("127.0.0.1", description="Address of the Prefect server.")
    port: int = Field(4242, ge=1, le=65535, description="Port of the Prefect server.")
