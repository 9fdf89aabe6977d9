"""Requests that schemathesis makes of the bench service's own OpenAPI document, on both databases: none breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from benchwright_service.app import make_api

from ..support.service.bench_service import DATABASES, Service, Solver, running_service
from ..support.service.postgres import new_database

pytestmark = pytest.mark.long

PATIENCE_S = 60.0
REQUESTS = [
    (method, path, mode)
    for path, operations in make_api().openapi()["paths"].items()
    for method in operations
    for mode in GenerationMode
    # Without parameters nothing can be wrong.
    if mode is GenerationMode.POSITIVE or not path.endswith(("/live", "/ready", "/key", "/keys", "/me", "/assignments"))
]


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers=0)) as started:
        yield started
        assert started.process is not None and started.process.poll() is None


@pytest.fixture(scope="module")
def schemas(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """For people and for workers."""
    solver = Solver.joining(service, service.set_up(), tmp_path_factory.mktemp("solver"))
    solver.log.close()
    tokens = {"person": solver.token, "worker": service.worker_token()}
    return {
        role: schemathesis.openapi.from_url(
            f"{service.url}/api/v1/openapi.json", headers={"Authorization": f"Bearer {token}"}
        )
        for role, token in tokens.items()
    }


@pytest.mark.sampled
@pytest.mark.parametrize(("method", "path", "mode"), REQUESTS)
def test_no_request_breaks_the_service(
    schemas: dict[str, Any], method: str, path: str, mode: GenerationMode, nightly: bool
) -> None:
    operation = schemas["worker" if path.startswith("/api/v1/jobs") else "person"][path][method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=500 if nightly else 20, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    def holds(case: Any) -> None:
        # Who waits for a change or for work waits long enough elsewhere.
        case.query.pop("wait_s", None) if isinstance(case.query.get("wait_s"), float) else None
        case.call_and_validate(timeout=PATIENCE_S)

    holds()
