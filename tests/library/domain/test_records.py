from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.records import memory_ref, observation_ref, split_ref


@given(row_id=st.integers(1, 2**62))
def test_observation_refs_split_again(row_id: int) -> None:
    assert split_ref(observation_ref(row_id)) == ("obs", str(row_id))


@pytest.mark.parametrize("memory_id", ["3f0c", "a:b", "字", "mem:x"])
def test_memory_refs_split_again(memory_id: str) -> None:
    assert split_ref(memory_ref(memory_id)) == ("mem", memory_id)


@pytest.mark.parametrize(
    ("ref", "parts"), [("doc:repo:docs/a.md#3", ("doc", "repo:docs/a.md#3")), ("ep:7", ("ep", "7"))]
)
def test_documents_and_episodes_have_refs_too(ref: str, parts: tuple[str, str]) -> None:
    assert split_ref(ref) == parts


@pytest.mark.parametrize(
    "text", ["", "obs:", "obs", "tale:1", "mem:with space", " obs:1", "OBS:1", "obs:1\n"]
)
def test_other_texts_are_no_refs(text: str) -> None:
    with pytest.raises(ValueError, match="not a record ref"):
        split_ref(text)
