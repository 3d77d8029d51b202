"""Where the rooms of the flows are, and how the library reaches them without importing them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from sunrise.errors import ConfigurationError

ROOMS = ("contracts", "deployments", "flows", "reports", "tasks")
_PACKAGE = Path(__file__).resolve().parent


def rooms_path() -> Path:
    """
    Return the folder that holds the rooms: inside an installed wheel, or the root of a checkout.

    Raises:
        ConfigurationError: This installation carries no rooms.
    """
    for folder in (_PACKAGE / "_rooms", _PACKAGE.parents[1]):
        if all((folder / room / "__init__.py").is_file() for room in ROOMS):
            return folder
    msg = "this installation carries no flows: install the wheel or work in a checkout"
    raise ConfigurationError(msg)


def load(target: str) -> Any:
    """
    Return an object of a room by its ``module:name``.

    Raises:
        ConfigurationError: The rooms or the batch extra are not installed.
    """
    module_name, _, attribute = target.partition(":")
    folder = str(rooms_path())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in (*ROOMS, "sunrise"):
            raise
        msg = (
            f"this command needs the batch extra (missing: {error.name}):"
            " pip install '.[batch]' in the folder of the project"
        )
        raise ConfigurationError(msg) from error
    return getattr(module, attribute)
