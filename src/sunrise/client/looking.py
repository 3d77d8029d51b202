"""The calls that only look: ask, list, count, show, export. They change no memory; a recall counts as use."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Literal

from sunrise.adapters.whole_files import written_whole
from sunrise.client.opened import Opened
from sunrise.domain.admin import ListRequest, ListResult, StatsResult
from sunrise.domain.memory_filter import MemoryFilter
from sunrise.domain.recall import RecallRequest, RecallResult
from sunrise.domain.record_requests import GetRequest, GetResult, TimelineRequest, TimelineResult
from sunrise.domain.transfer import ExportFormat, ExportRequest, ExportResult
from sunrise.online.admin_export import export_memories
from sunrise.online.admin_get import get_record
from sunrise.online.admin_list import list_memories
from sunrise.online.admin_stats import stats
from sunrise.online.admin_timeline import timeline
from sunrise.online.admin_trail import NO_TABLE
from sunrise.online.recall import unanswered


class Looking(Opened):
    """What is asked of the memories."""

    def recall(
        self,
        query: str,
        *,
        scope: str | None = None,
        limit: int = 5,
        include_archived: bool = False,
        verbosity: Literal["low", "high"] = "low",
        read_only: bool = False,
    ) -> RecallResult:
        """
        Return the memories most useful for a query, best first; they count as used, unless ``read_only``.

        Without a ``scope`` that of a tag in the query counts, as ``[SCOPE: ops]``, else the default.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     [item.ref for item in memories.recall("green tea").items]
        ['mem:green-tea']

        Raises:
            DataError: The limit or the scope cannot be one.
        """
        request = RecallRequest(
            query,
            scope=scope or "",
            limit=limit,
            include_archived=include_archived,
            verbosity=verbosity,
            look_elsewhere=True,
            may_see=None,
            read_only=read_only,
        )
        table = self._to_look_at()
        if table is None:
            return unanswered(request, reason=NO_TABLE, now_ms=self.home.clock.now_ms())
        return self.home.recall(request, memories=table)

    def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        with_quarantined_texts: bool = False,
        **wanted: Any,
    ) -> ListResult:
        """
        Return one page of memories, newest first; *wanted* are the fields of :class:`MemoryFilter`.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     page = memories.list(limit=2)
        ...     rest = memories.list(limit=2, cursor=page.next_cursor)
        ...     [item.ref for item in (*page.items, *rest.items)], rest.next_cursor
        (['mem:nas-backup', 'mem:green-tea', 'mem:old-tape'], None)

        Raises:
            DataError: A filter, the limit or the cursor cannot be one.
        """
        request = ListRequest(
            filter=MemoryFilter(**wanted),
            limit=limit,
            cursor=cursor,
            with_quarantined_texts=with_quarantined_texts,
        )
        return list_memories(
            request,
            memories=self._to_look_at(),
            clock=self.home.clock,
            backend=self.home.backend(),
            zone=self.home.settings.zone,
        )

    def stats(self, scope: str | None = None, *, with_vectors: bool = True) -> StatsResult:
        """
        Return the figures of the memories, of one scope or of all.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     dict(memories.stats().stats.by["scope"])
        {'ops': 2, '(none)': 1}
        """
        return stats(
            scope,
            memories=self._to_look_at(),
            clock=self.home.clock,
            backend=self.home.backend(),
            with_vectors=with_vectors,
        )

    def get(
        self, ref: str, *, with_quarantined_texts: bool = False, scopes: tuple[str, ...] | None = None
    ) -> GetResult:
        """
        Return one record with its history: by its ref, a memory's id, or the beginning of one.

        Where ``scopes`` are named, there is no record outside of them.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     memories.get("nas-back").memory.scope
        'ops'

        Raises:
            DataError: The ref names no kind of record.
        """
        return get_record(
            GetRequest(ref=ref, with_quarantined_texts=with_quarantined_texts, scopes=scopes),
            memories=self._to_look_at(),
            ledger=self.home.ledger,
            clock=self.home.clock,
            backend=self.home.backend(),
            zone=self.home.settings.zone,
        )

    def timeline(self, ref: str | None = None, **around: Any) -> TimelineResult:
        """
        Return what was captured around a record, or around ``at_ms``; see :class:`TimelineRequest`.

        >>> import sunrise
        >>> with sunrise.open(demo) as memories:
        ...     memories.timeline("mem:nas-backup").items
        ()

        Raises:
            DataError: The ref or a bound cannot be one.
        """
        return timeline(
            TimelineRequest(ref=ref, **around),
            memories=self._to_look_at(),
            ledger=self.home.ledger,
            clock=self.home.clock,
            backend=self.home.backend(),
            zone=self.home.settings.zone,
        )

    def export(
        self,
        out: str | Path | BinaryIO,
        *,
        format: ExportFormat | str = ExportFormat.JSONL,  # noqa: A002  what people call it
        redact: bool = True,
        with_vectors: bool = False,
        with_quarantined: bool = False,
        **wanted: Any,
    ) -> ExportResult:
        """
        Write memories to a file, which appears when it is whole, or to an open one.

        >>> import io, sunrise
        >>> with sunrise.open(demo) as memories:
        ...     memories.export(io.BytesIO(), scope="ops").exported
        2

        Raises:
            ConfigurationError: The path is a folder, or in none.
            StoreError: The table cannot be read or the file not written.
        """
        request = ExportRequest(
            filter=MemoryFilter(**wanted),
            format=ExportFormat(format),
            redact=redact,
            with_vectors=with_vectors,
            with_quarantined=with_quarantined,
        )
        file = written_whole(Path(out)) if isinstance(out, str | Path) else nullcontext(out)
        with file as sink:
            return export_memories(
                request,
                memories=self._to_look_at(),
                out=sink,
                screen=self.home.screen(),
                clock=self.home.clock,
                backend=self.home.backend(),
                zone=self.home.settings.zone,
            )
