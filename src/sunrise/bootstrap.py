"""The one place where adapters are built: from settings to a home with its stores open."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sunrise.adapters.boot_files import boot_texts
from sunrise.adapters.builtin_calibration import builtin_calibration
from sunrise.adapters.clock import SystemClock
from sunrise.adapters.sources import paths_of, readers
from sunrise.adapters.sqlite_ledger import LEDGER_FILE, SqliteLedger
from sunrise.adapters.sqlite_reading import ReadOnlyLedger
from sunrise.adapters.whole_files import written_whole
from sunrise.domain.admin import Backend
from sunrise.domain.calibration import Calibration, note_of, read_calibration
from sunrise.domain.recall import RecallRequest, RecallResult, scoped
from sunrise.domain.receipts import RunReceipt, receipt_file
from sunrise.domain.use import served_of
from sunrise.domain.vector_space import VectorSpace, active_space, searched
from sunrise.errors import ConfigurationError, StoreError
from sunrise.ports import (
    Clock,
    Embedder,
    Ledger,
    MemoryReader,
    MemoryTable,
    ObservationSource,
    TextScreen,
)
from sunrise.settings import EmbedderSettings, Settings

if TYPE_CHECKING:
    from sunrise.domain.capture_request import CaptureRequest, CaptureResult
    from sunrise.domain.turn_request import AutoRecallRequest, AutoRecallResult
    from sunrise.online.auto_recall import TurnPorts
    from sunrise.online.backbone_lane import Backbones

DEFAULT_DIMENSION = 512
"""Vector length of a table that we make while no embedder is set: that of the built-in one."""


@dataclass(frozen=True, slots=True)
class Home:
    """An open home: settings, clock and ledger; memories and embedder are opened when first asked for."""

    settings: Settings
    clock: Clock
    ledger: Ledger
    is_read_only: bool = False

    @property
    def path(self) -> Path:
        """The folder where everything lives."""
        return self.settings.home

    @property
    def spool(self) -> Path:
        """Where capture files are dropped."""
        return self.path / "spool"

    @property
    def receipts(self) -> Path:
        """Where receipts are kept as JSON files, by year and month."""
        return self.path / "receipts"

    @property
    def reports(self) -> Path:
        """The static site."""
        return self.path / "reports"

    @property
    def backups(self) -> Path:
        """Where copies of the ledger are kept."""
        return self.path / "backups"

    @property
    def golden(self) -> Path:
        """Where golden sets are kept."""
        return self.path / "golden"

    def sources(self) -> list[ObservationSource]:
        """Return a reader for everything there is to harvest at this moment."""
        from sunrise.online.policies import scope_policy  # noqa: PLC0415 (as in existing_memories)

        return readers(self.settings, scopes=scope_policy(self.settings))

    def missing_sources(self) -> list[str]:
        """Return the sources of the settings that stand for nothing that is there."""
        named = self.settings.sources
        return [f"{one.kind} {one.path}" for one in named if not paths_of(one, self.settings)]

    def boot_texts(self, *, with_memories: bool = True) -> tuple[str, ...]:
        """Return what the agent reads at each start, with or without the memory files among it."""
        named = _matches(self.settings.admission.boot_files, self.path)
        return boot_texts(self.settings, named=named, with_memories=with_memories)

    def golden_files(self) -> list[Path]:
        """Return the golden sets of the home and of the settings, by path."""
        paths = {*self.golden.glob("*.jsonl"), *_matches(self.settings.evaluate.golden, self.path)}
        return sorted(path for path in paths if path.is_file())

    def embedder(self) -> Embedder:
        """Return the embedder of the settings; its model is loaded when it is first used."""
        return embedder_of(self.settings)

    def recall_embedder(self, memories: MemoryReader) -> Embedder:
        """Return the embedder whose vectors answer in this table; see :func:`recall_embedder`."""
        return recall_embedder(self.settings, memories)

    def calibration(self, memories: MemoryReader, embedder: Embedder) -> Calibration | None:
        """
        Return the calibration of the vectors that answer: the home's own, else that of the package.

        None where no vectors answer, or their model has neither: recall then ranks by ranks.
        """
        try:
            space = searched(memories.spaces(), embedder.model_id, embedder.dimension)
            if not isinstance(space, VectorSpace):
                return None
            note = self.ledger.get_note(note_of(space.column))
        except StoreError:
            return None
        own = None if note is None else _calibration(note, embedder.model_id, space.column)
        return own or builtin_calibration(embedder.model_id, space.column)

    def turn_ports(self, memories: MemoryReader | None) -> TurnPorts:
        """Return what a turn of the agent needs; what was read for working sets is kept in the process."""
        from sunrise.online.auto_recall import TurnPorts  # noqa: PLC0415 (as existing_memories)

        embedder = self.embedder() if memories is None else self.recall_embedder(memories)
        return TurnPorts(
            memories=memories,
            turns=self.ledger,
            backbones=_backbones(self.settings.memories_uri, self.settings.memories.table),
            embedder=embedder,
            clock=self.clock,
            calibration=None if memories is None else self.calibration(memories, embedder),
        )

    def auto_recall(self, request: AutoRecallRequest) -> AutoRecallResult:
        """
        Return what is put before the agent at a turn; see :func:`sunrise.online.auto_recall.auto_recall`.

        Raises:
            ConfigurationError: A scope of the settings is no valid name.
        """
        from sunrise.online.auto_recall import auto_recall  # noqa: PLC0415 (as existing_memories)
        from sunrise.online.policies import turn_policy  # noqa: PLC0415

        ports = self.turn_ports(existing_memories(self.settings))
        return auto_recall(request, ports=ports, policy=turn_policy(self.settings))

    def auto_capture(self, request: CaptureRequest) -> CaptureResult:
        """
        Keep what the owner said in a session; see :func:`sunrise.online.auto_capture.auto_capture`.

        Raises:
            ConfigurationError: A scope of the settings is no valid name.
        """
        from sunrise.online.auto_capture import CapturePorts, auto_capture  # noqa: PLC0415 (as existing_memories)
        from sunrise.online.policies import capture_policy  # noqa: PLC0415

        memories = self.memories()
        embedder = self.embedder() if memories is None else self.recall_embedder(memories)
        ports = CapturePorts(memories, self.ledger, embedder, self.clock)
        return auto_capture(request, ports=ports, policy=capture_policy(self.settings))

    def recall(self, request: RecallRequest, *, memories: MemoryReader | None = None) -> RecallResult:
        """
        Return what the memories answer: those given, else those of the home, opened for this once.

        What is handed out counts as used, unless the request or the home is to be read only. Where there are
        no memories yet, or they cannot be opened, nothing comes back and the receipt says why.

        Raises:
            DataError: The scope is no text that a store can take.
        """
        from sunrise.online.policies import ranking_policy, scope_policy  # noqa: PLC0415 (as in existing_memories)
        from sunrise.online.recall import recall, unanswered  # noqa: PLC0415

        request = scoped(request, scope_policy(self.settings))
        reason = "no_memories_table"
        if memories is None:
            try:
                memories = self.memories()
            except StoreError:
                reason = "store_failed"
        if memories is None:
            return unanswered(request, reason=reason, now_ms=self.clock.now_ms())
        embedder = self.recall_embedder(memories)
        found = recall(
            request,
            memories=memories,
            embedder=embedder,
            clock=self.clock,
            calibration=self.calibration(memories, embedder),
            policy=ranking_policy(self.settings),
        )
        served = None if request.read_only or self.is_read_only else served_of(found)
        if served is None or self.ledger.note_served(served):
            return found
        return replace(found, receipt=replace(found.receipt, is_use_lost=True))

    def screen(self) -> TextScreen:
        """Return what looks through many texts at once for secrets and for orders to the model."""
        # As in existing_memories.
        from sunrise.adapters.text_screen import ColumnScreen  # noqa: PLC0415

        return ColumnScreen()

    def backend(self) -> Backend:
        """Return where the memories are, for receipts."""
        return Backend(self.settings.memories_uri, self.settings.memories.table)

    def keep_receipt(self, receipt: RunReceipt) -> None:
        """
        Write the receipt of a run as a file, from which the report flow makes its page.

        Raises:
            StoreError: It cannot be written.
        """
        path = self.receipts / receipt_file(receipt)
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            file.write((json.dumps(receipt.to_dict(), ensure_ascii=False, indent=2) + "\n").encode())

    def memories(self) -> MemoryTable | None:
        """
        Open the memories table, or return None when the agent has not made it yet.

        A table in the home's own ``lance`` folder is made if it is missing. In a directory that belongs to
        someone else it is not: the agent makes it, and we adopt it.

        Raises:
            StoreError: The table is there and cannot be opened.
        """
        found = existing_memories(self.settings)
        if found is not None or self.settings.memories.uri or self.is_read_only:
            return found
        from sunrise.adapters.lance_memories import LanceMemories  # noqa: PLC0415 (as in existing_memories)

        return LanceMemories.create(
            self.settings.memories_uri,
            table=self.settings.memories.table,
            storage_options=self.settings.memories.storage_options,
            dimension=self.embedder().dimension or DEFAULT_DIMENSION,
        )


@contextmanager
def open_home(settings: Settings, *, clock: Clock | None = None) -> Iterator[Home]:
    """
    Open a home for the time of a block, making its folders and its ledger if need be.

    Raises:
        StoreError: The ledger cannot be opened or migrated.
    """
    clock = clock or SystemClock()
    ledger = SqliteLedger(settings.home / LEDGER_FILE, clock=clock)
    try:
        yield Home(settings, clock, ledger)
    finally:
        ledger.close()


@contextmanager
def open_home_to_read(settings: Settings, *, clock: Clock | None = None) -> Iterator[Home]:
    """Open a home for the time of a block without making or changing anything; there may be none."""
    clock = clock or SystemClock()
    ledger = ReadOnlyLedger(settings.home / LEDGER_FILE, clock=clock)
    try:
        yield Home(settings, clock, ledger, is_read_only=True)
    finally:
        ledger.close()


def existing_memories(settings: Settings) -> MemoryTable | None:
    """
    Open the memories table if it is there. Looking makes nothing, neither a table nor a folder.

    Raises:
        StoreError: The table is there and cannot be opened.
    """
    # What reads captures and what grades them knows no memories, and must not pay for loading the rest.
    from sunrise.adapters.lance_memories import LanceMemories  # noqa: PLC0415

    wanted = settings.memories
    return LanceMemories.find(
        settings.memories_uri, table=wanted.table, storage_options=wanted.storage_options
    )


def embedder_of(settings: Settings) -> Embedder:
    """Return the embedder of the settings; its model is loaded when it is first used."""
    return embedder_named(settings.embedder.name, settings)


def embedder_named(name: str, settings: Settings | None = None) -> Embedder:
    """
    Return the embedder of a name; one that is a service is found where the settings say.

    Raises:
        ConfigurationError: There is none of this name, or it lacks something that the message names.
    """
    # What the others are made of stands in no setting, so that any two homes share one model.
    return _embedder(name, settings.embedder if settings and name == "openai" else None)


def recall_embedder(settings: Settings, memories: MemoryReader) -> Embedder:
    """
    Return the embedder that recall asks: that of the settings, or until the switch that of the vectors.

    After a change of the settings the old vectors answer until the new ones are all there. The vectors of the
    last questions are kept.
    """
    asked: Any = _answering(settings, memories)
    return _remembering(asked)


def embedder_of_model(model_id: str, settings: Settings | None = None) -> Embedder | None:
    """Return the embedder that makes vectors of a model, or None where none does any more."""
    from sunrise.adapters.embedders import embedder_names  # noqa: PLC0415 (as in existing_memories)

    for name in embedder_names():
        try:
            embedder = embedder_named(name, settings)
        except ConfigurationError:
            continue
        if embedder.model_id == model_id:
            return embedder
    return None


def _answering(settings: Settings, memories: MemoryReader) -> Embedder:
    wanted = embedder_of(settings)
    try:
        active = active_space(memories.spaces())
    except StoreError:
        return wanted
    if active is None or not wanted.dimension or active.model_id == wanted.model_id:
        return wanted
    return embedder_of_model(active.model_id, settings) or wanted


@lru_cache(maxsize=2)
def _calibration(note: str, model_id: str, column: str) -> Calibration | None:
    # The same object for the same note: what recall makes of it is made once.
    return read_calibration(note, model_id=model_id, column=column)


@lru_cache(maxsize=8)
def _backbones(uri: str, table: str) -> Backbones:  # noqa: ARG001 (they say whose they are)
    from sunrise.online.backbone_lane import Backbones  # noqa: PLC0415 (as existing_memories)

    return Backbones()


@lru_cache(maxsize=8)
def _embedder(name: str, settings: EmbedderSettings | None) -> Embedder:
    # A model takes most of a second to load: one process loads it once.
    from sunrise.adapters.embedders import build_embedder  # noqa: PLC0415 (as in existing_memories)

    return build_embedder(name, settings)


@lru_cache(maxsize=8)
def _remembering(embedder: Embedder) -> Embedder:
    from sunrise.adapters.cached_embedder import CachedEmbedder  # noqa: PLC0415 (as in existing_memories)

    return CachedEmbedder(embedder)


def _matches(patterns: Iterable[str], base: Path) -> Iterator[Path]:
    """Yield what globs name; a name that is no pattern stands for itself, so that its absence is seen."""
    for pattern in patterns:
        whole = base / Path(pattern).expanduser()
        if glob.has_magic(str(whole)):
            yield from (Path(name) for name in glob.iglob(str(whole), recursive=True))  # noqa: PTH207  any root
        else:
            yield whole
