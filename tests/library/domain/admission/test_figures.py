from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sunrise.domain.admission.figures import figures_of, told_figures

NOON = 1_775_044_800_000  # 2026-04-01T12:00Z


@given(st.lists(st.integers(min_value=0, max_value=10**8)))
def test_every_number_is_found_with_commas_or_without(numbers: list[int]) -> None:
    expected = {str(number) for number in numbers}
    assert figures_of(" and ".join(map(str, numbers))) == expected
    assert figures_of(" and ".join(f"{number:,}" for number in numbers)) == expected


def test_a_day_has_the_same_parts_in_each_way_of_writing() -> None:
    assert figures_of("2026-05-01") >= figures_of("5/1") == figures_of("5 月 1 日") == {"5", "1"}


@pytest.mark.parametrize(
    "text",
    [
        "beat at 14:05, next at 2:35:10",
        "2026-04-01 11:00 all quiet",
        "yesterday, 2026-03-31",
        '{"ts": 1775044800000, "at": "2026-04-01T14:00:00+02:00"}',
        "run dcb25409 of 8b5c0f1e-12ab-4f00-9c3d-aa00bb11cc22 took 13 s, waitMs=850",
        "message id 1490 in chat +49 151 000 0000",
        "step 3 of 7, 40 % done",
        "耗時 3 分鐘，第 2 次",
    ],
)
def test_the_clockwork_tells_no_figures(text: str) -> None:
    assert told_figures(text, NOON) == set()


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("due on 2026-05-15", {"2026", "5", "15"}),
        ("82 of 90 GB", {"82", "90"}),
        ("paid 1,204.50 EUR at 14:05", {"1204", "50"}),
        ("HTTP 503 from attic", {"503"}),
        ("40 % of the deposit", {"40"}),
    ],
)
def test_what_is_counted_paid_or_dated_tells(text: str, figures: set[str]) -> None:
    assert told_figures(text, NOON) == figures
