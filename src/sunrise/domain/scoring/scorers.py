"""The scorers that are tables, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sunrise.domain.scoring.heuristic_v1 import HEURISTIC_V1
from sunrise.domain.scoring.heuristic_v2 import HEURISTIC_V2
from sunrise.domain.scoring.signals import Scorer

SCORERS: Mapping[str, Scorer] = MappingProxyType({one.method: one for one in (HEURISTIC_V1, HEURISTIC_V2)})
"""heuristic-v1 comes first: it is the default."""
