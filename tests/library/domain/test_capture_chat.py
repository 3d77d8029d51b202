"""What people say to an agent in a chat, half of it in idioms, and whether it is to be kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.library.domain.capture_utterances import Utterance
from tests.library.domain.test_capture_signs import is_kept

CHATS = Path(__file__).with_name("capture_chat")


def chat(name: str) -> tuple[Utterance, ...]:
    rows = [json.loads(line) for line in (CHATS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return tuple(Utterance(row["lang"], row["text"], row["kept"]) for row in rows)


def shares(table: tuple[Utterance, ...]) -> tuple[float, float]:
    kept = [one for one in table if is_kept(one.text)]
    right = sum(one.kept for one in kept)
    return right / len(kept), right / sum(one.kept for one in table)


# Each was measured before anything was mended on it: precision and recall by phrases alone, then with signs.
# The third was measured and left. What is close is near to what is kept on purpose, most of it to be left.
@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        (
            "first",
            0.98,
            0.94,
        ),  # 0.97, 0.79; half of it was mended on, the other had 0.98, 0.76 and 0.99, 0.84
        ("second", 0.98, 0.95),  # 0.93, 0.63; 0.87, 0.88
        ("third", 0.95, 0.85),  # 0.98, 0.68; 0.98, 0.78
        ("fourth", 0.98, 0.95),  # 0.94, 0.75; 0.96, 0.83
        ("fifth", 0.98, 0.90),  # 1.00, 0.59; 0.97, 0.77
        ("sixth", 0.95, 0.88),  # 0.95, 0.70; 0.93, 0.87
        ("seventh", 0.97, 0.90),  # 0.97, 0.70; 0.92, 0.90
        ("idioms", 0.97, 0.94),  # 0.92, 0.44; 0.92, 0.68
        ("close", 0.88, 0.90),  # 0.63, 0.47; 0.58, 0.69
    ],
)
def test_what_is_said_in_a_chat_is_kept_where_it_should_be(
    name: str, precision: float, recall: float
) -> None:
    found = shares(chat(name))
    assert found[0] >= precision
    assert found[1] >= recall


def test_no_sentence_stands_in_two_tables() -> None:
    texts = [one.text for path in sorted(CHATS.glob("*.jsonl")) for one in chat(path.stem)]
    assert len(texts) == len(set(texts)) > 1000
