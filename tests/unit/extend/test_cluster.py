"""A toy kind of cluster, registered in the tuple of clusters, runs the tasks of a command."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_foundation.registration import Registration
from benchwright_harness.cluster import ClusterKind, ClusterOptions, Executor
from benchwright_harness.cluster import registry as clusters
from benchwright_harness.cluster.registry import CLUSTERS, cluster_kind
from benchwright_harness.cluster.task import ClusterTask
from benchwright_problems.verdict import Reason, Verdict
from benchwright_server.cli.app import app_with_commands

ASKED: list[tuple[str, ClusterOptions, int]] = []


class ToyExecutor:
    """Cancels everything."""

    def __init__(self, address: str, options: ClusterOptions) -> None:
        self._address = address
        self._options = options

    async def run(self, tasks: Sequence[ClusterTask]) -> AsyncGenerator[tuple[ClusterTask, Verdict], None]:
        ASKED.append((self._address, self._options, len(tasks)))
        for task in tasks:
            yield task, Verdict(reason=Reason.CANCELLED, detail="nothing runs on a toy")


class ToyCluster:
    @asynccontextmanager
    async def open(self, address: str, cache: Path, options: ClusterOptions) -> AsyncIterator[Executor]:
        yield ToyExecutor(address, options)


TOY = ToyCluster()


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "CLUSTERS", (*CLUSTERS, Registration("toy", f"{__name__}:TOY")))
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache"))
    ASKED.clear()


def test_a_pack_is_checked_on_it(tmp_path: Path) -> None:
    # The native sandbox needs no toolchain.
    words = ["problems", "check", "starter", "--sandbox", "native", "--cluster", "toy", "--jobs", "3"]
    invocation = CliRunner().invoke(app_with_commands(), [*words, "--cluster-option", "queue=short", "--json"])
    assert invocation.exit_code == 2, invocation.output
    (address, options, task_count), *_ = ASKED
    assert (address, options.jobs, options.queue) == ("toy", 3, {"queue": "short"})
    assert task_count > 0
    assert json.loads(invocation.stdout)["ok"] < json.loads(invocation.stdout)["total"]


@pytest.mark.parametrize("name", [kind.name for kind in CLUSTERS])
def test_each_registered_kind_is_one(name: str) -> None:
    assert isinstance(cluster_kind(name), ClusterKind)
