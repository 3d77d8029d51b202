"""The project's own files, as the house rules see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("src", "flows", "tasks", "contracts", "reports", "deployments", "benchmarks", "docs", "training")
_TEXT_SUFFIXES = {
    "", ".cfg", ".conf", ".css", ".env", ".ini", ".j2", ".js", ".json", ".lock", ".md", ".mjs", ".py",
    ".service", ".sh", ".timer", ".toml", ".ts", ".txt", ".yaml", ".yml",
}  # fmt: skip


def python_files() -> list[Path]:
    """Return every module of the rooms."""
    return sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def text_files() -> Iterator[Path]:
    """Yield every text file that the project keeps."""
    tops = [*ROOMS, "tests", "evals", ".ci"]
    places = [path for top in tops for path in (ROOT / top).rglob("*")]
    for path in [*places, *ROOT.iterdir()]:
        own = path.is_file() and "__pycache__" not in path.parts and "node_modules" not in path.parts
        if own and path.suffix in _TEXT_SUFFIXES and not path.name.startswith(".coverage"):
            yield path


def markdown_files() -> list[Path]:
    """Return every page."""
    return [path for path in text_files() if path.suffix == ".md"]


def name_of(path: Path) -> str:
    """Return the path as a reader of the project writes it."""
    return path.relative_to(ROOT).as_posix()
