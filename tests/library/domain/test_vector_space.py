"""Which column answers, whatever the fields of a table say."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.vector_space import (
    Fault,
    SpaceState,
    VectorSpace,
    active_space,
    column_of,
    described,
    fault_in,
    restated,
    searched,
    space_in,
    space_of,
)

LEGACY = VectorSpace("vector", "", 8, SpaceState.LEGACY)


def own(model_id: str, state: SpaceState, dimension: int = 8) -> VectorSpace:
    return VectorSpace(column_of(model_id), model_id, dimension, state)


@given(one=st.text(), other=st.text())
def test_two_models_share_no_column_and_no_name_needs_quotes(one: str, other: str) -> None:
    assert re.fullmatch(r"vector_[a-z0-9_]*[0-9a-f]{6}", column_of(one))
    assert len(column_of(one)) <= 46
    assert (column_of(one) == column_of(other)) == (one == other)


def test_names_that_differ_in_signs_alone_are_two_columns() -> None:
    assert len({column_of(name) for name in ("use/1", "use-1", "USE/1", "use_1", "/", "茶")}) == 6


@given(
    model_id=st.text(min_size=1).filter(lambda text: text.isprintable()),
    dimension=st.integers(1, 4096),
    state=st.sampled_from([SpaceState.BUILDING, SpaceState.ACTIVE, SpaceState.RETIRED]),
)
def test_what_a_field_says_is_read_as_it_was_written(
    model_id: str, dimension: int, state: SpaceState
) -> None:
    space = own(model_id, state, dimension)
    assert space_in(space.column, dimension, described(space)) == space
    for later in (SpaceState.ACTIVE, SpaceState.RETIRED):
        said = described(space) | restated(later)
        assert space_in(space.column, dimension, said) == own(model_id, later, dimension)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"sunrise.model": "other/1"},
        {"sunrise.dimension": "9"},
        {"sunrise.state": "legacy"},
        {"sunrise.state": "nonsense"},
    ],
)
def test_a_column_that_says_nonsense_is_no_space(said: dict[str, str]) -> None:
    whole = described(own("use/1", SpaceState.ACTIVE)) | said if said else said
    assert space_in(column_of("use/1"), 8, whole) is None


def test_the_column_of_others_is_theirs_whatever_it_says() -> None:
    assert space_in("vector", 8, described(own("use/1", SpaceState.ACTIVE))) == LEGACY


def test_one_active_column_answers_and_two_do_not() -> None:
    one, other = own("a", SpaceState.ACTIVE), own("b", SpaceState.ACTIVE)
    assert active_space([LEGACY, own("b", SpaceState.BUILDING), one]) == one
    assert active_space([one, other]) is None
    assert active_space([]) is None
    assert searched([LEGACY, one, other], "a", 8) == "no_vectors_of_model"


def test_a_model_finds_the_column_of_its_own_alone() -> None:
    one = own("a", SpaceState.RETIRED)
    assert space_of([LEGACY, one], "a") == one
    assert space_of([LEGACY, one], "") is None


@pytest.mark.parametrize(
    ("spaces", "expected"),
    [
        ([LEGACY], LEGACY),
        ([LEGACY, own("a", SpaceState.BUILDING)], LEGACY),
        ([LEGACY, own("a", SpaceState.ACTIVE)], own("a", SpaceState.ACTIVE)),
        ([LEGACY, own("b", SpaceState.ACTIVE)], "no_vectors_of_model"),
        ([own("a", SpaceState.ACTIVE, 9)], "dimension_mismatch"),
        ([VectorSpace("vector", "", 9, SpaceState.LEGACY)], "dimension_mismatch"),
        ([own("a", SpaceState.BUILDING)], "no_vectors_of_model"),
        ([], "no_vectors_of_model"),
    ],
)
def test_a_query_meets_vectors_of_its_model_or_none(
    spaces: list[VectorSpace], expected: VectorSpace | str
) -> None:
    assert searched(spaces, "a", 8) == expected
    assert searched(spaces, "none", 0) == "embedder_none"


@pytest.mark.parametrize(
    ("vector", "fault"),
    [
        (None, Fault.MISSING),
        ([None, None], Fault.GAP),
        ([math.nan, None], Fault.GAP),
        ([0.0, math.inf], Fault.NOT_FINITE),
        ([0.0, -0.0], Fault.ZERO),
        ([0.0, 1e-30], None),
    ],
)
def test_what_is_wrong_with_a_vector(vector: list[float | None] | None, fault: Fault | None) -> None:
    assert fault_in(vector) == fault
