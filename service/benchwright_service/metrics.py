"""Metrics of a running service for Prometheus: amounts, speeds, outcomes; never persons or contents."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, start_http_server
from prometheus_client.metrics import MetricWrapperBase
from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import IntegrityError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from benchwright_judges.service.server import JudgeServiceError

LOOPBACK = "127.0.0.1"
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_EVENTS = "/api/v1/attempts/{attempt}/events"
_QUICK_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30)
_LONG_S = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800)

logger = logging.getLogger(__name__)


class Metrics:
    """Counts of one process, with the names that the reference lists."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._requests = Counter(
            "benchwright_requests", "Requests answered.", ["method", "route", "status"], registry=registry
        )
        self._request_s = Histogram(
            "benchwright_request_seconds",
            "From a request to the end of its answer; some wait for a change on purpose.",
            ["method", "route"],
            buckets=_QUICK_S,
            registry=registry,
        )
        self._acknowledged_s = Histogram(
            "benchwright_event_acknowledgement_seconds",
            "From events to their receipt.",
            buckets=_QUICK_S,
            registry=registry,
        )
        self._ended = Counter("benchwright_runs_ended", "Runs that have ended.", ["outcome"], registry=registry)
        self._waited_s = Histogram(
            "benchwright_run_wait_seconds", "From a run's request to its start.", buckets=_LONG_S, registry=registry
        )
        self._ran_s = Histogram(
            "benchwright_run_seconds", "From a run's start to its verdict.", buckets=_LONG_S, registry=registry
        )
        self._queued = Gauge("benchwright_runs_queued", "Runs that wait for a worker.", registry=registry)
        self._running = Gauge("benchwright_runs_running", "Runs that workers have.", registry=registry)
        self._workers = Gauge("benchwright_workers", "Workers heard of within a lease's term.", registry=registry)
        self._mails_sent = Counter("benchwright_mails_sent", "Notices sent by mail.", registry=registry)
        self._mails_waiting = Gauge(
            "benchwright_mails_waiting", "Notices that wait to be sent by mail.", registry=registry
        )
        self._mails_stuck = Gauge(
            "benchwright_mails_stuck",
            "Of these, those that the mail server has not taken for an hour.",
            registry=registry,
        )
        self._mails_given_up = Gauge(
            "benchwright_mails_given_up", "Notices given up in the last seven days.", registry=registry
        )
        self._refusals = Counter(
            "benchwright_quota_refusals", "Requests refused by a quota of an account.", ["quota"], registry=registry
        )
        self._database_errors = Counter(
            "benchwright_database_errors", "Statements and connections that failed.", registry=registry
        )

    def descriptions(self) -> Iterator[tuple[str, str, Sequence[str], str]]:
        """Name, type, labels and meaning of each metric but the process's."""
        for metric in vars(self).values():
            if isinstance(metric, MetricWrapperBase):
                (family,) = metric.describe()
                suffix = "_total" if family.type == "counter" else ""
                yield family.name + suffix, family.type, metric._labelnames, family.documentation

    def set_queue_gauges(self, read_size: Callable[[], tuple[int, int, int]]) -> None:
        """Reads the queue's size whenever the metrics are read: waiting, running, workers.

        Args:
            read_size: Is called in another thread.
        """
        _read_when_asked((self._queued, self._running, self._workers), read_size)

    def set_mail_gauges(self, read_size: Callable[[], tuple[int, int, int]]) -> None:
        """Reads the number of notices whenever the metrics are read: waiting, stuck, given up.

        Args:
            read_size: Is called in another thread.
        """
        _read_when_asked((self._mails_waiting, self._mails_stuck, self._mails_given_up), read_size)

    def count_sent_mail(self) -> None:
        """Counts a notice that was sent."""
        self._mails_sent.inc()

    def count_quota_refusal(self, quota_name: str) -> None:
        """Counts a refusal by a quota of this name."""
        self._refusals.labels(quota_name).inc()

    def count_ended_run(self, outcome: str, *, waited_s: float | None = None, ran_s: float | None = None) -> None:
        """Counts a run.

        Args:
            outcome: Outcome of its verdict, or `cancelled`.
            waited_s: Time that it waited for a worker, in seconds; None if it did not get one.
            ran_s: Time that it ran, in seconds; None if it was cancelled.
        """
        self._ended.labels(outcome).inc()
        if waited_s is not None:
            self._waited_s.observe(max(0.0, waited_s))
        if ran_s is not None:
            self._ran_s.observe(max(0.0, ran_s))

    def count_request(self, method: str, route: str, status: int, took_s: float) -> None:
        """Counts a request.

        Args:
            method: As the client sent it.
            route: The path's template; empty if none was reached.
            status: HTTP status of the answer; 0 if the client left before it.
            took_s: Until the answer's end, in seconds.
        """
        # A client chooses the method: it must not make as many series as it likes.
        method = method if method in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._request_s.labels(method, route).observe(took_s)
        if route == _EVENTS and status == 200:
            self._acknowledged_s.observe(took_s)

    @contextlib.contextmanager
    def counting_database_errors(self) -> Iterator[None]:
        """Counts failures of all databases of this process."""

        def count(error_context: ExceptionContext) -> None:
            # Two requests that add the same row are no failure.
            if not isinstance(error_context.sqlalchemy_exception, IntegrityError):
                self._database_errors.inc()

        event.listen(Engine, "handle_error", count)
        try:
            yield
        finally:
            event.remove(Engine, "handle_error", count)

    @contextlib.contextmanager
    def serving_metrics(self, port: int | None) -> Iterator[None]:
        """Answers at this port of the loopback interface; prints the address.

        Args:
            port: 0 for a free one; None for not at all.

        Raises:
            ServiceError: The port can't be opened.
        """
        if port is None:
            yield
            return
        try:
            metrics_server, thread = start_http_server(port, LOOPBACK, self.registry)
        except OSError as error:
            raise JudgeServiceError(
                f"{LOOPBACK}:{port} can't be opened: {error.strerror}; choose another --metrics-port"
            ) from error
        logger.warning("Metrics at http://%s:%d/metrics", LOOPBACK, metrics_server.server_port)
        try:
            yield
        finally:
            metrics_server.shutdown()
            metrics_server.server_close()
            thread.join()


def _read_when_asked(gauges: Sequence[Gauge], read_numbers: Callable[[], Sequence[float]]) -> None:
    def read(index: int) -> float:
        try:
            return read_numbers()[index]
        except Exception:
            # The database may be away, and the other metrics say so.
            return float("nan")

    for index, gauge in enumerate(gauges):
        gauge.set_function(partial(read, index))


def with_request_metrics(app: ASGIApp, metrics: Metrics) -> ASGIApp:
    """The application, with its requests counted by the template of their path."""

    async def measuring(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        began = time.monotonic()
        try:
            await app(scope, receive, watched)
        finally:
            route = getattr(scope.get("route"), "path", "")
            metrics.count_request(scope["method"], route, status, time.monotonic() - began)

    return measuring
