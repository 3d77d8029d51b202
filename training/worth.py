"""
Learn the network that weighs rows at the door: `python -m training.worth [--cross-validate]`.

Needs the dependency group `training`. Writes `src/sunrise/adapters/worth_model.npz`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from sunrise.adapters.embedders import build_embedder
from sunrise.adapters.worth_model import EMBEDDER, FILE, WorthModel
from sunrise.domain.admission.boot_files import BootFiles
from sunrise.domain.admission.worth import NEIGHBOURS
from sunrise.ports import Embedder
from tasks.row_worth import RowWorth
from training.months import HELD_OUT, Month, month_names, owners_said, read_month

NOISE: Final = 0.2
"""Of each month a copy is learned from too, in which so many rows name another source."""

ALONE: Final = 0.35
"""So many rows are learned from as if nothing came before them and there were no boot files."""

OWNERS_AFTER: Final = 3
HEARD: Final = 2_000
"""What owners say is learned from after so many rows of so many months."""

UNITS: Final = 96
NETWORKS: Final = 3
EPOCHS: Final = 8
PENALTY: Final = 1e-3
FOLDS: Final = 4
"""Chosen by cross-validation over authors, of the few that were tried."""

TARGET: Final = Path(__file__).parents[1] / "src/sunrise/adapters" / FILE

Floats = npt.NDArray[np.float32]


def main() -> None:
    """Cross-validate, or learn from all months but those held out, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.worth", description=__doc__)
    parser.add_argument(
        "--cross-validate", action="store_true", help="show what months not learned from give"
    )
    names = [name for name in month_names() if name not in HELD_OUT]
    if parser.parse_args().cross_validate:
        for fold in range(FOLDS):
            model = learned([name for at, name in enumerate(names) if at % FOLDS != fold])
            for name in names[fold::FOLDS]:
                _show(name, model)
        return
    model = learned(names)
    _write(model)
    for name in HELD_OUT:
        _show(name, model)


def learned(names: Sequence[str]) -> WorthModel:
    """Return networks that were learned from these months."""
    from sklearn.neural_network import MLPClassifier  # of a dependency group

    lessons = [*map(_lessons, names), *(_owner_lessons(name) for name in names[:OWNERS_AFTER])]
    features, useful = (np.concatenate(parts) for parts in zip(*lessons, strict=True))
    trained: list[Any] = [
        MLPClassifier((UNITS,), alpha=PENALTY, batch_size=256, max_iter=EPOCHS, random_state=seed, tol=0).fit(
            features, useful
        )
        for seed in range(NETWORKS)
    ]
    return WorthModel(
        hidden=np.stack([one.coefs_[0] for one in trained]).astype(np.float32),
        hidden_bias=np.stack([one.intercepts_[0] for one in trained]).astype(np.float32),
        out=np.stack([one.coefs_[1][:, 0] for one in trained]).astype(np.float32),
        out_bias=np.array([one.intercepts_[1][0] for one in trained], np.float32),
    )


def _lessons(name: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    clean, useful = features_of(name, 0.0)
    noisy, _ = features_of(name, NOISE)
    some = np.random.default_rng(0).random(len(clean)) < ALONE
    alone = np.concatenate([clean[some], noisy[some]])
    alone[:, -len(NEIGHBOURS) :] = 0
    return np.concatenate([clean, noisy, alone]), np.concatenate([useful, useful, useful[some], useful[some]])


def _owner_lessons(name: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return what owners say who speak of other lives and in other languages, after the rows of a month."""
    worth = _untaught(read_month(name))
    worth.hear([row.candidate(str(at)) for at, row in enumerate(read_month(name).rows[:HEARD])])
    said, keep = owners_said()
    features, useful = worth.features(said), np.array(keep, np.bool_)
    alone = features.copy()
    alone[:, -len(NEIGHBOURS) :] = 0
    return np.concatenate([features, alone]), np.concatenate([useful, useful])


@cache
def features_of(name: str, noise: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return what is weighed of each row of a month, and whether it is useful."""
    month = read_month(name)
    rows = month.noisy(noise).rows
    features = _untaught(month).features([row.candidate(str(at)) for at, row in enumerate(rows)])
    return features, np.array([row.is_useful for row in rows])


def _untaught(month: Month) -> RowWorth:
    untaught = WorthModel(*(np.zeros(0, np.float32),) * 4)
    return RowWorth(_Remembering(), untaught, BootFiles(month.boot_texts).sentences)


class _Remembering:
    """The embedder, with every vector made once: a month is read twice."""

    _made: ClassVar[dict[str, Floats]] = {}
    is_at_hand = False

    def __init__(self) -> None:
        self._embedder = _embedder()
        self.model_id, self.dimension = self._embedder.model_id, self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        missing = [text for text in dict.fromkeys(texts) if text not in self._made]
        self._made.update(zip(missing, self._embedder.embed(missing), strict=True))
        return np.stack([self._made[text] for text in texts])

    def embed_query(self, texts: Sequence[str]) -> np.ndarray:
        return self.embed(texts)


@cache
def _embedder() -> Embedder:
    return build_embedder(EMBEDDER)


def _show(name: str, model: WorthModel) -> None:
    """Print how many junk rows pass where so many of the useful ones do."""
    for noise in (0.0, NOISE):
        features, useful = features_of(name, noise)
        odds = model.odds(features)
        cuts = np.quantile(odds[useful], [0.03, 0.05, 0.1])
        junk = int((~useful).sum())
        passing = ", ".join(f"{int(((odds >= cut) & ~useful).sum())}" for cut in cuts)
        print(f"{name}, {noise:.0%} noise: {junk} junk rows, at 97, 95, 90 % useful pass {passing}")


def _write(model: WorthModel) -> None:
    np.savez_compressed(
        TARGET,
        **{
            name: getattr(model, name).astype(np.float16)
            for name in ("hidden", "hidden_bias", "out", "out_bias")
        },
    )


if __name__ == "__main__":
    main()
