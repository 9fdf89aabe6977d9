"""Tests marked `nightly` run only when asked for; tests that scale read `nightly` for their load."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="also run the tests that take long")
    parser.addoption("--update", action="store_true", help="write the golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nightly: takes long; run with --nightly")
    config.addinivalue_line("markers", "alone: measures time, or takes a machine's engine or cluster for itself")
    # How long an example takes says more about the machine than about what is tested.
    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--nightly"):
        return
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason="takes long: ./test --nightly runs it"))


@pytest.fixture(scope="session")
def nightly(request: pytest.FixtureRequest) -> bool:
    """Whether the whole load is wanted; a tenth of it otherwise."""
    return bool(request.config.getoption("--nightly"))
