"""Transcripts of a gateway: what the owner said is his, and nothing that another said is."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.harvest import harvest
from sunrise.bootstrap import open_home
from sunrise.domain.receipts import RunStatus
from sunrise.settings import load_settings
from tasks.run_frame import run_flow
from tests.fakes import FrozenClock
from tests.homes import NOW

FIELD = Path(__file__).parents[3] / "shared/data/field"
OWNERS = {
    "02-gateway-notes": {
        "I moved the backup disk to the attic",
        "my sister's birthday is 4 May",
        "she likes orchids",
        "the router password sticker is under the desk",
        "Write the weekly blog post about lobsters",
        "where is the spare key?",
    },
    "02-gateway-notes/group": set(),
    "12-provenance": {"I moved the ladder into the cellar", "The boiler man comes on Tuesday"},
}


@pytest.mark.skipif(not FIELD.is_dir(), reason=f"the collected inputs are not at {FIELD}")
@pytest.mark.parametrize("folder", OWNERS)
def test_a_harvest_trusts_the_owners_words_alone(home_path: Path, folder: str) -> None:
    sources = f'[[sources]]\nkind = "transcripts"\npath = "{FIELD / folder}"\n'
    (home_path / "sunrise.toml").write_text(sources, encoding="utf-8")
    receipt = run_flow("harvest", harvest, home=str(home_path), clock=FrozenClock(NOW))
    assert receipt.status in (RunStatus.OK, RunStatus.ANOMALY)
    with open_home(load_settings(home_path)) as home:
        trusted = home.ledger.trust_standings(tier="trusted", limit=100)
        others = home.ledger.trust_standings(tier=None, limit=100)
    assert {one.text for one in trusted} == OWNERS[folder]
    assert [one.text for one in others if one.origin == "operator"] == []
