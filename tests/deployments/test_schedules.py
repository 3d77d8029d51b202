"""The schedules: our data, what Prefect makes of it, and prefect.yaml say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from prefect import Flow
from prefect.client.schemas.schedules import CronSchedule
from prefect.deployments.runner import RunnerDeployment

from deployments.schedules import flow_deployments, load_flow
from sunrise.domain.schedule import DAY, DAY_ENTRYPOINT, FLOW_NAMES, SCHEDULED_FLOWS
from sunrise.errors import ConfigurationError
from sunrise.rooms import rooms_path
from sunrise.settings import Settings

ENTRYPOINTS = {flow.name: flow.entrypoint for flow in SCHEDULED_FLOWS} | {DAY: DAY_ENTRYPOINT}


@pytest.fixture(scope="module")
def served() -> dict[str, RunnerDeployment]:
    """What `sunrise up` serves, by the name of its flow."""
    settings = Settings(home=Path("/srv/sunrise"))
    return {str(one.flow_name): one for one in flow_deployments(settings)}


@pytest.fixture(scope="module")
def written() -> dict[str, dict[str, Any]]:
    """What prefect.yaml deploys, by the name of its flow."""
    text = (rooms_path() / "deployments" / "prefect.yaml").read_text(encoding="utf-8")
    names = {entrypoint: name for name, entrypoint in ENTRYPOINTS.items()}
    return {names[one["entrypoint"]]: one for one in yaml.safe_load(text)["deployments"]}


@pytest.mark.parametrize("name", FLOW_NAMES)
def test_entrypoint_is_a_flow_of_that_name(name: str) -> None:
    flow = load_flow(ENTRYPOINTS[name])
    assert isinstance(flow, Flow)
    assert flow.name == name


def test_what_is_no_flow_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no flow"):
        load_flow("flows.grade.grade")


def test_every_flow_is_served_from_a_module(served: dict[str, RunnerDeployment]) -> None:
    assert {name: one.entrypoint for name, one in served.items()} == ENTRYPOINTS
    assert list(served) == list(FLOW_NAMES)


def test_only_the_parent_flow_has_no_schedule(served: dict[str, RunnerDeployment]) -> None:
    assert [name for name, one in served.items() if not one.schedules] == [DAY]


def test_every_run_knows_its_home(served: dict[str, RunnerDeployment]) -> None:
    assert {one.parameters["home"] for one in served.values()} == {"/srv/sunrise"}


def test_what_comes_too_early_is_cancelled(served: dict[str, RunnerDeployment]) -> None:
    for one in served.values():
        assert one.concurrency_limit == 1
        assert one.concurrency_options is not None
        assert one.concurrency_options.collision_strategy.value == "CANCEL_NEW"


def test_time_zone_and_cron_come_from_the_settings() -> None:
    settings = Settings(timezone="Europe/Rome", schedules={"grade": "7 3 * * *"})
    grade = next(one for one in flow_deployments(settings) if one.flow_name == "grade")
    (schedule,) = _lines(grade)
    assert (schedule["cron"], schedule["timezone"]) == ("7 3 * * *", "Europe/Rome")


@pytest.mark.parametrize("schedules", [{"grade": "every day"}, {"grades": "0 * * * *"}])
def test_schedules_that_cannot_be_are_refused(schedules: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="schedules"):
        flow_deployments(Settings(schedules=schedules))


def test_prefect_yaml_deploys_what_is_served(
    served: dict[str, RunnerDeployment], written: dict[str, dict[str, Any]]
) -> None:
    assert list(written) == list(served)
    for name, one in served.items():
        assert written[name]["name"] == one.name
        assert written[name]["entrypoint"] == one.entrypoint
        assert written[name]["schedules"] == _lines(one)
        assert written[name]["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}
        assert set(written[name]["parameters"]) == set(one.parameters)


def _lines(deployment: RunnerDeployment) -> list[dict[str, Any]]:
    lines = []
    for one in deployment.schedules or []:
        assert isinstance(one.schedule, CronSchedule)
        cron, timezone = one.schedule.cron, one.schedule.timezone
        lines.append({"cron": cron, "timezone": timezone, "slug": one.slug, "active": one.active})
    return lines
