"""Measures the calibrations that come with the package: `python -m training.calibration`."""

from __future__ import annotations

from pathlib import Path

import sunrise.adapters
from sunrise.adapters.builtin_calibration import MODELS, file_of, packed, reference_calibration
from sunrise.adapters.embedders import build_embedder


def main() -> None:
    """Write the file of each model."""
    for name in MODELS.values():
        path = Path(sunrise.adapters.__path__[0]) / file_of(name)
        path.write_bytes(packed(reference_calibration(build_embedder(name, None), column="vector")))
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
