"""A toy sandbox, registered in the tuple of sandboxes, is used by the commands like the real ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_foundation.registration import Registered
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.process import End, Ended, Output
from benchwright_harness.plan.selection import Selection
from benchwright_harness.sandbox import Job, Sandbox
from benchwright_harness.sandbox import registry as sandboxes
from benchwright_harness.sandbox.kind import Finding, Health, SandboxKind
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, SANDBOXES, open_sandbox, sandbox_kind, sandbox_names
from benchwright_harness.toolchain import Toolchain
from benchwright_server.cli.app import command_line


class NoTools(Toolchain):
    """The toolchain of a sandbox that runs nothing."""

    digest = "no tools"

    def __init__(self, cache: Path) -> None:
        self.cache = cache

    def environment(self, selection: Selection) -> dict[str, str]:
        return {}

    def versions(self, selection: Selection) -> dict[str, str]:
        return {}

    def require(self, tools: Iterable[str], selection: Selection) -> None:
        pass

    def require_packages(self, names: Iterable[str]) -> None:
        pass


class ToySandbox:
    """Runs nothing, and says that every program failed."""

    name = "toy"
    digest = "toy 1"
    runs_images = False
    supervises = False

    def new_user(self) -> int | None:
        return None

    async def run(self, job: Job, log: Output) -> Ended:
        log.write(b"not run")
        return Ended(End.EXITED, 1, 0.0)


TOY = SandboxKind(
    open=ToySandbox,
    toolchain=NoTools,
    examine=lambda: (Finding("Toy", Health.WARNING, "showing how", hint="use another sandbox"),),
)


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Registered("toy", f"{__name__}:TOY", "which runs nothing")
    monkeypatch.setattr(sandboxes, "SANDBOXES", (*sandboxes.SANDBOXES, line))
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache"))


def printed(*words: str) -> dict[str, object]:
    result = CliRunner().invoke(command_line(), [*words, "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_a_solution_is_graded_in_it(tmp_path: Path) -> None:
    solution = tmp_path / "solution"
    (solution / "rtl").mkdir(parents=True)
    (solution / "rtl" / "sync_fifo.sv").write_text("module sync_fifo;\nendmodule\n")
    verdict = printed("grade", "starter/sync-fifo", str(solution), "--sandbox", "toy")
    assert verdict["verdict"] == "failed"
    digests = verdict["digests"]
    assert isinstance(digests, dict)
    assert (digests["sandbox"], digests["toolchain"]) == ("toy 1", "no tools")


def test_a_pack_is_checked_in_it(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    printed("problems", "check", "starter", "--sandbox", "toy", "--report", str(report))
    assert json.loads(report.read_text())["sandbox"] == {"name": "toy", "digest": "toy 1"}


def test_doctor_shows_it() -> None:
    items = printed("doctor")["items"]
    assert isinstance(items, list)
    assert {"name": "Toy", "status": "warning", "hint": "use another sandbox"}.items() <= next(
        item.items() for item in items if item["name"] == "Toy"
    )


def test_a_name_that_nobody_registered_is_refused() -> None:
    with pytest.raises(SandboxUnavailableError, match="no sandbox 'moon'") as refused:
        open_sandbox("moon")
    assert refused.value.hint.endswith("native, which runs without protection, or toy, which runs nothing")


@pytest.mark.parametrize("name", sandbox_names())
def test_each_sandbox_has_the_name_that_it_is_registered_by(name: str) -> None:
    sandbox: Sandbox = sandbox_kind(name).open()
    assert sandbox.name == name


def test_the_setting_of_vs_code_offers_each_sandbox() -> None:
    manifest = json.loads((Path(__file__).parents[3] / "client-vscode" / "package.json").read_text())
    groups = manifest["contributes"]["configuration"]
    setting = next(found for group in groups if (found := group["properties"].get("benchwright.sandbox")))
    assert setting["enum"] == [one.name for one in SANDBOXES]
    assert setting["default"] == DEFAULT_SANDBOX
