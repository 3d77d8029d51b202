"""The door as one who wants a text gone for good: out of every store, and told what still holds it."""

from __future__ import annotations

from typing import Any

from sunrise import rooms
from sunrise.client.writing import Writing
from sunrise.domain.erasure import ERASE, EraseResult, erasure_of
from sunrise.domain.forget import ForgetStatus
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.records import memory_ref
from sunrise.domain.schedule import ON_DEMAND_ENTRYPOINTS

_ERASED = (ForgetStatus.FORGOTTEN, ForgetStatus.ALREADY)


class Erasing(Writing):
    """What takes memories out of every store."""

    def erase(self, ref: str | None = None, *, backups: bool = False, **more: Any) -> EraseResult:
        """
        Forget a memory as :meth:`forget` does, and take its text out of every store; nothing undoes it.

        One that was forgotten before is erased too. Snapshots that hold it are listed, or with ``backups``
        removed. Where another flow is at work nothing is erased, and the receipt's status is ``busy``.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     done = memories.erase("green-tea")
        ...     str(done.forgotten.status), done.erasure.complete, done.erasure.still_holds
        ('forgotten', True, ())

        Raises:
            ConfigurationError: There is no table yet, or this installation carries no flows.
            DataError: A value makes no sense.
            StoreError: A store cannot be written; what was begun is finished by erasing again.
        """
        self._check_writable()
        # Before anything is forgotten: an installation without flows could not go on.
        flow = erasing_flow()
        forgotten = self.forget(ref, **more)
        if forgotten.status not in _ERASED:
            return EraseResult(forgotten)
        receipt: RunReceipt = flow.fn(
            [one.removeprefix(memory_ref("")) for one in forgotten.refs],
            home=str(self.home.path),
            with_derived=bool(more.get("with_derived")),
            backups=backups,
        )
        # It was opened at a version that may be gone.
        self._kept = None
        return EraseResult(forgotten, erasure_of(receipt))


def erasing_flow() -> Any:
    """
    Return the flow that erases.

    Raises:
        ConfigurationError: This installation carries no flows.
    """
    module, _, name = ON_DEMAND_ENTRYPOINTS[ERASE].rpartition(".")
    return rooms.load(f"{module}:{name}")
