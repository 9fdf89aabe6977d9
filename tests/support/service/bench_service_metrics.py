"""Fixtures and helpers of the tests of bench service metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from .bench_service import Service, running_service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running_service(Service(tmp_path / "service", options=["--metrics-port", "0"])) as started:
        yield started


def scrape_samples(service: Service) -> list[Sample]:
    address = re.findall(r"Metrics at (\S+)", service.log.read_text())[-1]
    text = httpx2.get(address, trust_env=False).text
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def value(samples: list[Sample], name: str, **labels: str) -> float:
    return sum(sample.value for sample in samples if sample.name == name and labels.items() <= sample.labels.items())
