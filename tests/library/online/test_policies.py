"""What the settings say reaches the calls that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from sunrise.domain.auto_recall import AutoRecallPolicy
from sunrise.errors import DataError
from sunrise.online.policies import ranking_policy, store_policy, turn_policy
from sunrise.settings import Settings


def test_a_store_waits_for_a_vector_as_long_as_a_recall(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, embedder={"query_timeout_s": 7.5})
    assert ranking_policy(settings).embed_timeout_s == 7.5
    assert store_policy(settings).embed_timeout_s == 7.5


@pytest.mark.parametrize(("said", "given"), [(1, 1), (6, 6), (7, 6), (20, 6)])
def test_a_turn_is_given_no_more_than_six_memories_whatever_the_settings_say(
    tmp_path: Path, said: int, given: int
) -> None:
    settings = Settings(home=tmp_path, auto_recall={"max_items": said})
    assert turn_policy(settings).recall.max_items == given
    with pytest.raises(DataError) as caught:
        AutoRecallPolicy(max_items=7)
    assert caught.value.reason == "bad_auto_recall_policy"
