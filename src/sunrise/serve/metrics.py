"""What the service counts, as Prometheus reads it. Labels are routes and codes, never what was sent."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

METRICS_TYPE: Final = CONTENT_TYPE_LATEST
_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The counters of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "sunrise_requests", "Requests by route and status.", ("route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "sunrise_request_seconds",
            "Seconds by route.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.problems = Counter(
            "sunrise_problems", "Problems by route and reason.", ("route", "reason"), registry=self.registry
        )
        self.items = Counter(
            "sunrise_items",
            "Memories and events, by the route they went.",
            ("route",),
            registry=self.registry,
        )
        self.dropped_fields = Counter(
            "sunrise_event_fields_dropped", "Fields of events that no capture has.", registry=self.registry
        )
        self.skipped = Counter(
            "sunrise_recall_skipped",
            "Legs that could not run, by reason.",
            ("leg", "reason"),
            registry=self.registry,
        )
        self.under_way = Gauge(
            "sunrise_requests_under_way", "Requests being answered.", registry=self.registry
        )

    def observe(self, route: str, *, status: int, reason: str | None, seconds: float) -> None:
        """Count one request that was answered."""
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)
        if reason is not None:
            self.problems.labels(route, reason).inc()

    def text(self) -> bytes:
        """Return everything as Prometheus reads it."""
        return generate_latest(self.registry)
