"""lancedb, loaded without its client for tables of a remote catalog, which is half of its time."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any, Final

_REMOTE: Final = "lance_namespace_urllib3_client"


def load_lancedb() -> ModuleType:
    """
    Return lancedb.

    Its package of a remote catalog loads a dozen classes of calls, half a second, and for tables in a folder
    or a bucket only the models beside them are asked for. The package is put in place unread, and is read
    when somebody asks it for more.
    """
    if "lancedb" not in sys.modules:
        _put_in_place()
    import lancedb  # noqa: PLC0415

    return lancedb


def _put_in_place() -> None:
    spec = None if _REMOTE in sys.modules else importlib.util.find_spec(_REMOTE)
    if spec is None or spec.loader is None:
        return
    loader, package = spec.loader, importlib.util.module_from_spec(spec)

    def read(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        vars(package).pop("__getattr__", None)
        loader.exec_module(package)
        return getattr(package, name)

    vars(package)["__getattr__"] = read
    sys.modules[_REMOTE] = package
