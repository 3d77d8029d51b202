"""The schedules as Prefect deployments: one for each flow; the parent flow has no schedule."""

from __future__ import annotations

import importlib
from typing import Any

from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.deployments.runner import RunnerDeployment
from prefect.flows import Flow
from prefect.schedules import Cron
from prefect.types.entrypoint import EntrypointType

from sunrise.domain.schedule import DAY, DAY_ENTRYPOINT, SCHEDULED_FLOWS, cron_lines
from sunrise.errors import ConfigurationError
from sunrise.settings import Settings
from tasks.lazy_flow import LazyFlow

DEPLOYMENT = "scheduled"
"""Every flow has one deployment, and all have this name: ``grade/scheduled``."""


def flow_deployments(settings: Settings) -> tuple[RunnerDeployment, ...]:
    """
    Return the deployments of a home, the parent flow last.

    Raises:
        ConfigurationError: A cron line of the settings is not valid, or names no flow.
    """
    try:
        lines = cron_lines(settings.schedules)
        scheduled = tuple(
            _deployment(one.entrypoint, settings, cron=lines[one.name], slug=one.name)
            for one in SCHEDULED_FLOWS
        )
    except ValueError as error:
        msg = f"[schedules] in sunrise.toml: {error}"
        raise ConfigurationError(msg) from error
    return (*scheduled, _deployment(DAY_ENTRYPOINT, settings, cron=None, slug=DAY))


def load_flow(entrypoint: str) -> Flow[Any, Any]:
    """
    Return the flow that a module entrypoint names.

    Raises:
        ConfigurationError: What stands there is no flow.
    """
    module, _, name = entrypoint.rpartition(".")
    flow = getattr(importlib.import_module(module), name, None)
    # A room that was imported before Prefect holds flows that have not met it yet.
    flow = flow.real if isinstance(flow, LazyFlow) else flow
    if not isinstance(flow, Flow):
        msg = f"{entrypoint} is no flow"
        raise ConfigurationError(msg)
    return flow


def _deployment(entrypoint: str, settings: Settings, *, cron: str | None, slug: str) -> RunnerDeployment:
    schedule = Cron(cron, timezone=settings.timezone, slug=slug) if cron else None
    return RunnerDeployment.from_flow(
        load_flow(entrypoint),
        name=DEPLOYMENT,
        schedule=schedule,
        parameters={"home": str(settings.home)},
        # Alone, limit=1 would queue what comes too early, and the queue would only grow.
        concurrency_limit=ConcurrencyLimitConfig(
            limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW
        ),
        # The other kind of entrypoint puts the folder flows/ first on sys.path, where its files shadow rooms.
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
