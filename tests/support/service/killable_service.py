"""A bench service on a database of its own, for tests that kill both."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from .bench_service import Service, running_service
from .postgres import Cluster, PostgresError, new_database, restartable_cluster


@contextlib.contextmanager
def killable_database(kind: str) -> Iterator[Cluster | None]:
    """A PostgreSQL of the test's own; None for SQLite. Skips the test where PostgreSQL can't be started."""
    if kind == "sqlite":
        yield None
        return
    try:
        with restartable_cluster() as cluster:
            yield cluster
    except PostgresError as error:
        pytest.skip(str(error))


@contextlib.contextmanager
def killable_service(database: Cluster | None, folder: Path, *, workers: int) -> Iterator[Service]:
    """A service that runs."""
    url = new_database(database.folder) if database else None
    with running_service(Service(folder / "service", url, workers=workers)) as service:
        yield service
