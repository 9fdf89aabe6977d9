"""A toy sandbox, registered in the tuple of sandboxes, is used by the commands like the real ones."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_attempts.errors import EvaluationError
from benchwright_exams.errors import ExamError
from benchwright_exams.reading.reader_process import ReaderAnswer, ReaderProcess
from benchwright_foundation.registration import Registration
from benchwright_harness.errors import DebuggerError, SandboxUnavailableError
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd, StepEnd
from benchwright_harness.own_tests.debugging import Debugging
from benchwright_harness.own_tests.running import run_own_tests
from benchwright_harness.own_tests.simulation import OwnSimulation
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox, SandboxJob
from benchwright_harness.sandbox import registry as sandboxes
from benchwright_harness.sandbox.confinement import ConfinedProgram, Confinement, Confiner, FolderHider
from benchwright_harness.sandbox.kind import HealthFinding, MachineHealth, SandboxKind
from benchwright_harness.sandbox.registry import open_sandbox, sandbox_kind, sandbox_names
from benchwright_harness.toolchain import Toolchain
from benchwright_server.cli.app import app_with_commands
from benchwright_server.references.schema import sandbox_descriptions
from benchwright_subjects.agents.agent_sandbox import AgentSandbox
from benchwright_subjects.inline.failure import SubjectError
from benchwright_subjects.inline.server.confinement import (
    can_confine,
    confined_command_if_possible,
    missing_protection_remark,
)
from benchwright_subjects.inline.workplace import Workplace


class NoTools(Toolchain):
    """The toolchain of a sandbox that runs nothing."""

    digest = "no tools"

    def __init__(self, cache: Path) -> None:
        self.cache = cache

    def environment(self, selection: ToolSelection) -> dict[str, str]:
        return {}

    def versions(self, selection: ToolSelection) -> dict[str, str]:
        return {}

    def require_tools(self, tools: Iterable[str], selection: ToolSelection) -> None:
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

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        log.write(b"not run")
        return StepEnd(ProcessEnd.EXITED, 1, 0.0)


@contextlib.contextmanager
def pretending(argv: Sequence[str], confinement: Confinement) -> Iterator[ConfinedProgram]:
    """Runs another program, which says what it was given."""
    yield ConfinedProgram(["/bin/sh", "-c", f'echo \'{{"words": "{argv[-1]}"}}\''], [], dict(confinement.env))


TOY = SandboxKind(
    open=ToySandbox,
    description="A toy: it runs nothing.",
    toolchain=NoTools,
    examine=lambda: (HealthFinding("Toy", MachineHealth.WARNING, "showing how", hint="use another sandbox"),),
    shows_folders=True,
    confiner=Confiner(pretending, remedy="build the toy"),
    folder_hider=FolderHider("a toy", lambda: True, lambda command, folders: ("toy", str(folders.workdir), *command)),
)


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_line = Registration("toy", f"{__name__}:TOY", "which runs nothing")
    monkeypatch.setattr(sandboxes, "SANDBOXES", (*sandboxes.SANDBOXES, sandbox_line))
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache"))


def doctor_output(*words: str) -> dict[str, object]:
    invocation = CliRunner().invoke(app_with_commands(), [*words, "--json"], catch_exceptions=False)
    printed_json = json.loads(invocation.stdout)
    assert isinstance(printed_json, dict)
    return printed_json


def test_a_solution_is_graded_in_it(tmp_path: Path) -> None:
    solution = tmp_path / "solution"
    (solution / "rtl").mkdir(parents=True)
    (solution / "rtl" / "sync_fifo.sv").write_text("module sync_fifo;\nendmodule\n")
    printed_verdict = doctor_output("grade", "starter/sync-fifo", str(solution), "--sandbox", "toy")
    # It says the same of the reference.
    assert printed_verdict["verdict"] == "error"
    assert printed_verdict["reason"] == "The hidden tests did not run, with the reference solution neither."
    digests = printed_verdict["digests"]
    assert isinstance(digests, dict)
    assert (digests["sandbox"], digests["toolchain"]) == ("toy 1", "no tools")


def test_a_pack_is_checked_in_it(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    doctor_output("problems", "check", "starter", "--sandbox", "toy", "--report", str(report))
    assert json.loads(report.read_text())["sandbox"] == {"name": "toy", "digest": "toy 1"}


def test_doctor_shows_it() -> None:
    doctor_items = doctor_output("doctor")["items"]
    assert isinstance(doctor_items, list)
    assert {"name": "Toy", "status": "warning", "hint": "use another sandbox"}.items() <= next(
        item.items() for item in doctor_items if item["name"] == "Toy"
    )


def test_agents_work_in_it_since_it_shows_folders(tmp_path: Path) -> None:
    with AgentSandbox.temporary_with_files(ToySandbox(), NoTools(tmp_path), {"rtl/a.sv": b"module a;\n"}) as box:
        assert (box.code / "rtl" / "a.sv").is_file()
    with (
        pytest.raises(EvaluationError, match="work in the bwrap or toy sandbox only"),
        AgentSandbox.temporary_with_files(open_sandbox("native"), NoTools(tmp_path), {}),
    ):
        pass


async def test_tests_are_debugged_in_it_since_it_shows_folders(tmp_path: Path) -> None:
    with pytest.raises(DebuggerError, match="in the sandbox `bwrap` or `toy` only"):
        await run_own_tests(
            OwnSimulation({}, (), "top"),
            sandbox=open_sandbox("native"),
            toolchain=NoTools(tmp_path),
            debugging=Debugging(tmp_path, lambda _: None),
        )


def test_exams_are_read_in_it_since_it_confines_programs(tmp_path: Path) -> None:
    exam = tmp_path / "exam.pdf"
    exam.write_bytes(b"%PDF")
    reader_process = ReaderProcess("toy")
    reader_process.check()
    assert reader_process.run_reader(exam, ["page 1"]) == ReaderAnswer({"words": "page 1"}, b"")
    with pytest.raises(ExamError, match="in the sandbox bwrap or native or toy, not in docker"):
        ReaderProcess("docker").check()


def test_inline_servers_are_kept_from_folders_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server_workplace = Workplace(tmp_path, {})
    monkeypatch.setattr(sandboxes, "SANDBOXES", sandboxes.SANDBOXES[-1:])
    assert confined_command_if_possible(["server"], server_workplace, [], is_offline=True) == (
        "toy",
        str(server_workplace.workspace),
        "server",
    )
    assert (can_confine(), missing_protection_remark()) == (True, "")
    broken_hider = FolderHider("a toy", lambda: False, lambda command, _: tuple(command))
    monkeypatch.setattr(f"{__name__}.TOY", replace(TOY, folder_hider=broken_hider))
    assert confined_command_if_possible(["server"], server_workplace, [], is_offline=False) == ("server",)
    assert "a toy is missing" in missing_protection_remark()
    with pytest.raises(SubjectError, match="Without a toy no server can be kept off the network"):
        confined_command_if_possible(["server"], server_workplace, [], is_offline=True)


def test_a_name_that_nobody_registered_is_refused() -> None:
    with pytest.raises(SandboxUnavailableError, match="no sandbox 'moon'") as refused:
        open_sandbox("moon")
    assert refused.value.hint.endswith("native, which runs without protection, or toy, which runs nothing")


@pytest.mark.parametrize("name", sandbox_names())
def test_each_sandbox_has_the_name_that_it_is_registered_by(name: str) -> None:
    sandbox: Sandbox = sandbox_kind(name).open()
    assert sandbox.name == name


def test_the_setting_of_vs_code_offers_it() -> None:
    assert list(sandbox_descriptions().items())[-1] == ("toy", "A toy: it runs nothing.")
