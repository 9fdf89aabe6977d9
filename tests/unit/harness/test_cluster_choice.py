"""Settings that a site writes down about its cluster, and mistakes in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.cluster.configuration import open_executor
from benchwright_harness.cluster.local import LocalExecutor
from benchwright_harness.errors import ClusterError


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path), "BENCHWRIGHT_CACHE": str(tmp_path / "cache")})


async def test_without_a_cluster_tasks_run_here(home: Home) -> None:
    async with open_executor(home) as executor:
        assert isinstance(executor, LocalExecutor)


@pytest.mark.parametrize(
    ("cluster", "options", "configuration", "error"),
    [
        (None, ["queue=short"], "", "needs --cluster"),
        ("moon", [], "", "there is no cluster 'moon'"),
        ("slurm", ["queue"], "", "'queue' is not NAME=VALUE"),
        ("slurm", ["wait_s=soon"], "", "wait_s='soon' is not a number of seconds"),
        ("slurm", [], "slurm = 3", r"cluster.toml: slurm: must be a table"),
        ("slurm", [], "[slurm", "cluster.toml can't be read"),
        ("slurm", ["no_such_option=1"], "", "the options for slurm are wrong: .*no_such_option"),
    ],
)
async def test_what_is_wrong_is_named(
    cluster: str | None, options: list[str], configuration: str, error: str, home: Home
) -> None:
    if configuration:
        home.data.mkdir(parents=True)
        (home.data / "cluster.toml").write_text(configuration)
    with pytest.raises(ClusterError, match=error) as refused:
        async with open_executor(home, cluster_name_or_address=cluster, option_assignments=options):
            pass
    assert refused.value.hint


async def test_folders_of_runs_are_not_kept_from_a_cluster(home: Home) -> None:
    with pytest.raises(ClusterError, match="can't be kept"):
        async with open_executor(
            home, cluster_name_or_address="local", before_folder_removal=lambda task, folder: None
        ):
            pass
