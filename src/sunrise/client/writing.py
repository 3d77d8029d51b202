"""The door as one who writes: carry in, bring back. Each leaves a run that an operator can see."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from sunrise.adapters.memory_file import MemoryFile, opened_memories
from sunrise.client.opened import Opened
from sunrise.domain.forget import ForgetRequest, ForgetResult
from sunrise.domain.record_requests import ReviveResult
from sunrise.domain.scope_policy import kept_scope
from sunrise.domain.store import StoreRequest, StoreResult
from sunrise.domain.transfer import Dedupe, ImportRequest, ImportResult
from sunrise.online.admin_import import import_memories
from sunrise.online.admin_revive import revive
from sunrise.online.forget import forget
from sunrise.online.policies import scope_policy, store_policy
from sunrise.online.store import store


class Writing(Opened):
    """What changes the memories."""

    def store(self, text: str, **more: Any) -> StoreResult:
        """
        Store one text as a memory; *more* are the other fields of :class:`StoreRequest`.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     done = memories.store("The NAS has four disks", scope="ops", source_kind="operator")
        ...     str(done.status), memories.recall("disks", scope="ops").items[0].ref == done.ref
        ('created', True)

        What it ``replaces`` is told behind it from then on.

        >>> with sunrise.open(demo) as memories:
        ...     done = memories.store("The backups go to the cloud", scope="ops", replaces=["mem:nas-backup"])
        ...     done.receipt.replaced, [str(one.reason) for one in done.receipt.not_replaced]
        (('mem:nas-backup',), [])

        Raises:
            DataError: A value makes no sense.
            ConfigurationError: There is no table yet.
            StoreError: A store cannot be written; what the ledger took is finished later.
        """
        request = StoreRequest(text, **more)
        table = self._to_write_to()
        return store(
            request,
            memories=table,
            ledger=self.home.ledger,
            embedder=self.home.recall_embedder(table),
            clock=self.home.clock,
            policy=store_policy(self.home.settings),
        )

    def forget(self, ref: str | None = None, **more: Any) -> ForgetResult:
        """
        Forget a memory by its ref, id, or beginning of an id; or by a ``query``; see :class:`ForgetRequest`.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     str(memories.forget("green-tea").status), memories.recall("green tea").items
        ('forgotten', ())

        Raises:
            DataError: A value makes no sense.
            ConfigurationError: There is no table yet.
            StoreError: A store cannot be written; what the ledger took is finished later.
        """
        request = ForgetRequest(ref, **more)
        table = self._to_write_to()
        embedder = self.home.recall_embedder(table)
        return forget(
            request,
            memories=table,
            ledger=self.home.ledger,
            embedder=embedder,
            clock=self.home.clock,
            calibration=self._calibration(table, embedder),
        )

    def import_(
        self,
        source: str | Path | BinaryIO | bytes,
        *,
        name: str | None = None,
        dedupe: Dedupe | str = Dedupe.ID_TEXT,
        trust: bool = False,
        scope: str | None = None,
        dry_run: bool = False,
        batch: int = 10_000,
    ) -> ImportResult:
        r"""
        Add the memories of a file, an open file, or bytes; with ``trust`` you vouch for what it claims.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     done = memories.import_(b'{"id": "a", "text": "Coffee at nine"}\n{"id": ', dry_run=True)
        ...     done.counts["imported"], dict(done.groups["refused_by_reason"])
        (1, {'torn_line': 1})

        Raises:
            BusyError: Another import is at work.
            ConfigurationError: The file is not there, or there is no table that takes the memories.
            DataError: The scope is no valid name.
            StoreError: A store cannot be read or written; run it again.
        """
        request = ImportRequest(dedupe=Dedupe(dedupe), trust=trust, scope=scope, dry_run=dry_run, batch=batch)
        scopes = scope_policy(self.home.settings)
        if scope is not None:
            request = replace(request, scope=kept_scope(scope, scopes))
        with _lent(source) as stream:
            done = import_memories(
                request,
                source=MemoryFile(stream, name=f"import:{name or _named(source)}"),
                memories=self._to_look_at() if dry_run else self._to_write_to(),
                ledger=self.home.ledger,
                screen=self.home.screen(),
                clock=self.home.clock,
                backend=self.home.backend(),
                zone=self.home.settings.zone,
                scopes=scopes,
            )
        if done.run is not None:
            self.home.keep_receipt(done.run)
        return done

    def revive(
        self, ref: str, *, dry_run: bool = False, scopes: tuple[str, ...] | None = None
    ) -> ReviveResult:
        """
        Bring an archived or replaced record back; the run that did it can be undone.

        Where ``scopes`` are named, there is no record outside of them.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     str(memories.revive("mem:old-tape").status), str(memories.revive("mem:old-tape").status)
        ('revived', 'not_archived')

        Raises:
            DataError: The ref names no kind of record.
            StoreError: A store cannot be written.
        """
        if not dry_run:
            self._check_writable()
        done = revive(
            ref,
            memories=self._to_look_at(),
            ledger=self.home.ledger,
            clock=self.home.clock,
            backend=self.home.backend(),
            dry_run=dry_run,
            scopes=scopes,
        )
        if done.run is not None:
            self.home.keep_receipt(done.run)
        return done


def _lent(source: str | Path | BinaryIO | bytes) -> AbstractContextManager[BinaryIO]:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    return opened_memories(Path(source)) if isinstance(source, str | Path) else nullcontext(source)


def _named(source: str | Path | BinaryIO | bytes) -> str:
    return str(Path(source).absolute()) if isinstance(source, str | Path) else "stream"
