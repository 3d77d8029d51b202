"""What the settings say reaches the calls that it is about."""

from __future__ import annotations

from pathlib import Path

from sunrise.online.policies import ranking_policy, store_policy
from sunrise.settings import Settings


def test_a_store_waits_for_a_vector_as_long_as_a_recall(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, embedder={"query_timeout_s": 7.5})
    assert ranking_policy(settings).embed_timeout_s == 7.5
    assert store_policy(settings).embed_timeout_s == 7.5
