"""What the doors ask: an open home whose table and model are kept warm, and what may be asked of it."""

from __future__ import annotations

import ipaddress
import re
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sunrise.adapters.private_files import check_folder
from sunrise.adapters.spool_files import HTTP
from sunrise.adapters.spool_writer import SpoolWriter
from sunrise.bootstrap import Home
from sunrise.domain.capture_request import CaptureRequest, CaptureResult
from sunrise.domain.capture_stamp import stamp_of
from sunrise.domain.erasure import EraseResult
from sunrise.domain.forget import ForgetRequest, ForgetResult
from sunrise.domain.recall import RecallRequest, RecallResult
from sunrise.domain.receipts import RunReceipt
from sunrise.domain.scope_policy import ScopePolicy
from sunrise.domain.store import StoreRequest, StoreResult
from sunrise.domain.turn_log import LoggedTurn
from sunrise.domain.turn_request import AutoRecallRequest, AutoRecallResult
from sunrise.errors import ConfigurationError, StoreError, SunriseError
from sunrise.online.auto_recall import auto_recall
from sunrise.online.forget import forget
from sunrise.online.policies import scope_policy, store_policy, turn_policy
from sunrise.online.store import store
from sunrise.ports import MemoryTable
from sunrise.sections.serve import ServeSettings
from sunrise.serve.audit import Audit
from sunrise.serve.metrics import Metrics
from sunrise.serve.problems import RefusalError
from sunrise.serve.rates import RateLimit
from sunrise.serve.service_log import note
from sunrise.serve.tokens import Caller, TokenBook, load_tokens
from sunrise.serve.workers import Workers
from sunrise.settings import load_settings

if TYPE_CHECKING:
    from sunrise.client import OpenMemories

Changed = TypeVar("Changed")

_FAILED_RATE: Final = 1.0
_FAILED_BURST: Final = 10
_MAX_RUNS: Final = 5000
_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What can be changed while the service runs: the settings of its section, and the tokens."""

    settings: ServeSettings = field(default_factory=ServeSettings)
    tokens: TokenBook = field(default_factory=TokenBook)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether each part answers: ``ok``, ``failed``, or ``missing`` for a table that is yet to be made."""

    ledger: str
    memories: str
    embedder: str

    @property
    def is_ready(self) -> bool:
        """Whether nothing has failed."""
        return "failed" not in {self.ledger, self.memories, self.embedder}


class Service:
    """
    One home, opened once, for any number of callers and threads.

    It lives as long as the process. Calls that block belong into :attr:`workers`.
    """

    def __init__(self, home: Home, options: ServeOptions) -> None:
        self.home = home
        self.audit = Audit(home.path, clock=home.clock)
        self.metrics = Metrics()
        said = options.settings
        self.workers = Workers(questions=said.questions, threads=said.workers, queue=said.queue)
        self._spool = SpoolWriter(home.spool / HTTP, clock=home.clock)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._memories: MemoryTable | None = None
        self._embeds = False
        self._use(options)

    def warm(self) -> Readiness:
        """Open the table and load the model, so that the first question takes no longer than the others."""
        begin = time.perf_counter()
        self._table_or_none()
        try:
            embedder = self.home.embedder()
            self._embeds = not embedder.dimension or bool(len(embedder.embed_query(["are you awake"])))
        except Exception as error:
            # An embedder is others' code; without it the words alone answer, and the receipts say so.
            note("embedder_failed", kind=type(error).__name__)
        self.recall(RecallRequest("are you awake", read_only=True))
        ready = self.readiness()
        note("warm", ms=round((time.perf_counter() - begin) * 1000), ready=ready.is_ready)
        return ready

    def readiness(self) -> Readiness:
        """Look whether ledger, table and model answer."""
        return Readiness(self._ledger_state(), self._table_state(), "ok" if self._embeds else "failed")

    def recall(self, request: RecallRequest) -> RecallResult:
        """Return what the memories answer; whatever is down is named in the receipt."""
        memories = self._table_or_none()
        found = self.home.recall(request, memories=memories)
        if found.receipt.reason == "store_failed":
            # The table may have been put in place of another one: look anew next time.
            self._forget_table()
        for leg, reason in (
            ("lexical", found.receipt.lexical_skipped),
            ("dense", found.receipt.dense_skipped),
        ):
            if reason is not None:
                self.metrics.skipped.labels(leg, reason).inc()
        return found

    def auto_recall(
        self, request: AutoRecallRequest, *, scopes: Collection[str] | None = None
    ) -> AutoRecallResult:
        """Return what is put before the agent at a turn; no scope beyond *scopes* helps out."""
        policy = turn_policy(self.home.settings)
        if scopes is not None:
            own = tuple(one for one in policy.scope.fallback_scopes if one in scopes)
            policy = replace(policy, scope=replace(policy.scope, fallback_scopes=own))
        return auto_recall(request, ports=self.home.turn_ports(self._table_or_none()), policy=policy)

    def write_use(self) -> bool:
        """Write the use that could not be written when its recall was answered."""
        return self.home.ledger.write_use()

    def last_turn(self, session_key: str | None) -> LoggedTurn | None:
        """Return the newest turn, of one session or of all."""
        return self.home.ledger.last_turn(session_key)

    def scope_policy(self) -> ScopePolicy:
        """Return how scopes are found and checked at this moment."""
        return scope_policy(self.home.settings)

    def store(self, request: StoreRequest) -> StoreResult:
        """Store one text, and say what became of it; one after the other, so that no two make it twice."""
        with self._writing:
            memories = self._table()
            return store(
                request,
                memories=memories,
                ledger=self.home.ledger,
                embedder=self.home.recall_embedder(memories),
                clock=self.home.clock,
                policy=store_policy(self.home.settings),
            )

    def forget(self, request: ForgetRequest) -> ForgetResult:
        """Forget one memory, or return those that a query may mean."""
        with self._writing:
            memories = self._table()
            embedder = self.home.recall_embedder(memories)
            return forget(
                request,
                memories=memories,
                ledger=self.home.ledger,
                embedder=embedder,
                clock=self.home.clock,
                calibration=self.home.calibration(memories, embedder),
            )

    def erase(self, request: ForgetRequest, *, backups: bool = False) -> EraseResult:
        """Forget one memory and take its text out of every store; nothing is written meanwhile."""
        from sunrise.client.erasing import erasing_flow  # noqa: PLC0415  as for memories

        asked = asdict(request)
        with self._writing:
            self._table()
            try:
                erasing_flow()
            except ConfigurationError as error:
                raise RefusalError("no_flows") from error
            try:
                return self.memories().erase(asked.pop("id"), backups=backups, **asked)
            finally:
                # It was opened at a version that may be gone.
                self._forget_table()

    def capture(self, request: CaptureRequest) -> CaptureResult:
        """Keep what the owner said in a session."""
        with self._writing:
            return self.home.auto_capture(request)

    def memories(self) -> OpenMemories:
        """Return the memories as the library lends them, over the table that is kept open."""
        # As with captures: a service that is never asked for it does not load it.
        from sunrise.client import OpenMemories  # noqa: PLC0415

        return OpenMemories(self.home, self._table_or_none())

    def changed(self, call: Callable[[OpenMemories], Changed]) -> Changed:
        """Change memories one call after the other."""
        with self._writing:
            return call(self.memories())

    def append_events(
        self, events: Sequence[Mapping[str, Any]], caller: Caller, scopes: Sequence[str]
    ) -> tuple[str, ...]:
        """Put captured events, each in its scope, where the next harvest reads them, and return their ids."""
        now, highest = self.home.clock.now_ms(), caller.highest_origin
        stamps = [
            stamp_of(caller=caller.name, scope=scope, highest_origin=highest, at_ms=now) for scope in scopes
        ]
        return self._spool.append(events, stamps=stamps)

    def receipt(self, run_id: str) -> RunReceipt | None:
        """Return the receipt of a run, None where there is no such run any more."""
        if not _RUN_ID.fullmatch(run_id):
            return None
        runs = self.home.ledger.runs(limit=_MAX_RUNS)
        return next((one for one in runs if one.run_id == run_id), None)

    def reload(self) -> bool:
        """Read settings and tokens anew; where they are not valid the old ones stay, and the log says so."""
        try:
            settings = load_settings(self.home.path)
            check_folder(settings.home)
            # Where it listens is settled for as long as it runs, whatever the file says by now.
            bound = {name: getattr(self.options.settings, name) for name in ("host", "port")}
            options = ServeOptions(settings.serve.model_copy(update=bound), load_tokens(settings.home))
            check_bind(options)
        except SunriseError as error:
            note("settings_refused", kind=type(error).__name__)
            return False
        with self._lock:
            self.home = Home(settings, self.home.clock, self.home.ledger)
            self._memories = None
        self._use(options)
        note("settings_loaded")
        return True

    def close(self) -> None:
        """Take no more work, and end what is under way: the ledger is closed after this."""
        self.workers.close()

    def _use(self, options: ServeOptions) -> None:
        self.options = options
        wanted = options.settings
        self.rates = RateLimit(rate=wanted.rate_per_s, burst=wanted.burst)
        self.failures = RateLimit(rate=_FAILED_RATE, burst=_FAILED_BURST)

    def _table(self) -> MemoryTable:
        found = self._table_or_none()
        if found is None:
            # Where it is there and cannot be opened, this says so.
            found = self.home.memories()
        if found is None:
            raise RefusalError("no_memories_table")
        return found

    def _table_or_none(self) -> MemoryTable | None:
        with self._lock:
            if self._memories is None:
                try:
                    self._memories = self.home.memories()
                except StoreError:
                    return None
            return self._memories

    def _forget_table(self) -> None:
        with self._lock:
            self._memories = None

    def _ledger_state(self) -> str:
        try:
            self.home.ledger.get_note("ready")
        except StoreError:
            return "failed"
        return "ok"

    def _table_state(self) -> str:
        try:
            table = self.home.memories()
            if table is not None:
                table.newest_version()
        except StoreError:
            return "failed"
        return "ok" if table is not None else "missing"


def check_bind(options: ServeOptions) -> None:
    """
    Let an address pass that only this machine reaches, or any where a token is wanted.

    Raises:
        ConfigurationError: Others could ask without a token.
    """
    if options.tokens.is_open and not is_loopback(options.settings.host):
        msg = (
            f"without a token the service listens on this machine only, not on {options.settings.host}:"
            " run `sunrise serve --init-token` first"
        )
        raise ConfigurationError(msg)


def is_loopback(host: str) -> bool:
    """
    Return whether only this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
