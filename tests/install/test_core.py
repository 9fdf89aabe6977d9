"""Result of `pip install benchwright`, without extras."""

from __future__ import annotations

import asyncio
import filecmp
import shutil
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from benchwright_foundation.distribution import NAME, install_command
from benchwright_harness.toolchain.manifest import recipe

from .installed import ROOT, Installed

_PATIENCE_S = 60
_PROBLEM = "starter/sync-fifo"
_BROKEN = "module top(output logic q);\n  assign q = missing;\nendmodule\n"


@pytest.mark.parametrize("suffix", [".whl", ".tar.gz"])
def test_the_wheel_and_the_source_distribution_give_the_same_files(
    artefacts: Path, install: Callable[[str, str], Installed], suffix: str
) -> None:
    installed = install(suffix, "")
    (wheel,) = artefacts.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith(("/RECORD", "/WHEEL"))]
        differing = [name for name in names if (installed.packages() / name).read_bytes() != archive.read(name)]
    assert names
    assert not differing


def test_nothing_of_the_packages_is_left_out(core: Installed) -> None:
    rooms = (
        "server",
        "service",
        "baselines",
        "authoring",
        "harness",
        "judges",
        "problems",
        "verilog",
        "snippets",
        "foundation",
    )
    for package in (folder for room in rooms for folder in (ROOT / room).glob("benchwright_*")):
        files = {file.relative_to(package) for file in package.rglob("*") if file.is_file()}
        source_files = {file for file in files if "__pycache__" not in file.parts}
        missing = [str(file) for file in source_files if not (core.packages() / package.name / file).is_file()]
        assert not missing
        assert filecmp.cmp(package / "py.typed", core.packages() / package.name / "py.typed")


def test_the_licence_is_in_the_package(core: Installed) -> None:
    (licence,) = core.packages().glob(f"{NAME}-*.dist-info/licenses/LICENSE")
    assert filecmp.cmp(licence, ROOT / "LICENSE", shallow=False)


def test_nothing_of_the_checkout_is_used(core: Installed) -> None:
    code = "import sys, benchwright_server; print(benchwright_server.__file__, *sys.path, sep='\\n')"
    printed_lines = core.run("-c", code, program="python").stdout.splitlines()
    assert printed_lines
    assert not [path for path in printed_lines if Path(path).is_relative_to(ROOT)]


def test_it_says_its_version(core: Installed) -> None:
    process = core.run("--version")
    assert (process.returncode, process.stdout.strip()) == (0, version(NAME))


def test_every_command_has_help(core: Installed) -> None:
    process = core.run(Path(__file__).with_name("commands.py"), program="python")
    assert process.returncode == 0, process.stderr
    assert {"doctor", "report", "judge serve", "study run"} <= set(process.stdout.splitlines())


def test_the_machine_is_found_ready(core: Installed) -> None:
    report = core.ask("doctor")
    items_by_name = {item["name"]: item for item in report["items"]}
    ready = ("Python", NAME, "Toolchain", "Sandbox", "Packs", "Attempt log", "Workspaces")
    assert {name: items_by_name[name]["status"] for name in ready} == dict.fromkeys(ready, "ok")
    assert items_by_name["Docker"]["status"] == "warning"
    assert f"{NAME}[harness]" in items_by_name["Docker"]["hint"]
    assert f"{NAME}[harness]" in core.run("doctor").stdout.replace("\n", "")


def test_it_builds_toolchains_as_the_checkout_does(core: Installed) -> None:
    code = "from benchwright_harness.toolchain.manifest import recipe; print(recipe())"
    assert core.run("-c", code, program="python").stdout.strip() == recipe()
    assert core.run("-m", "pip", "--version", program="python").returncode == 0, "`toolchain build` installs with pip"


async def test_an_editor_gets_diagnostics(core: Installed) -> None:
    file = core.working_folder / "top.sv"
    file.write_text(_BROKEN, encoding="utf-8")
    client = LanguageClient("install", "1")
    published_diagnostics: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
    # pygls marks what it registers, which a bound method does not allow.
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
        lambda published: published_diagnostics.put_nowait(published)
    )
    async with asyncio.timeout(_PATIENCE_S):
        await client.start_io(str(core.bin / "benchwright"), "lsp", cwd=str(core.working_folder), env=core.environment)
        await client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), root_uri=core.working_folder.as_uri(), process_id=None)
        )
        client.initialized(types.InitializedParams())
        text_document = types.TextDocumentItem(file.as_uri(), "systemverilog", 1, _BROKEN)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document))
        while not (diagnostics := (await published_diagnostics.get()).diagnostics):
            pass
        await client.shutdown_async(None)
        client.exit(None)
    assert [(item.range.start.line, item.severity) for item in diagnostics] == [(1, types.DiagnosticSeverity.Error)]
    assert "missing" in diagnostics[0].message


@pytest.mark.parametrize(
    ("problem_part", "outcome", "status"), [("hidden/reference", "passed", 0), ("public", "failed", 1)]
)
def test_a_starter_problem_is_graded(core: Installed, problem_part: str, outcome: str, status: int) -> None:
    source = core.packages() / "benchwright_problems" / "packs" / _PROBLEM / problem_part
    target = core.working_folder / problem_part
    shutil.copytree(source, target)
    assert core.ask("grade", _PROBLEM, target, status=status)["verdict"] == outcome


@pytest.mark.parametrize(("answer", "status"), [("B", 0), ("C", 1)])
def test_a_question_is_scored_by_rule(core: Installed, answer: str, status: int) -> None:
    file = core.working_folder / "answer.md"
    file.write_text(answer, encoding="utf-8")
    assert core.run("answer", "starter/amdahl", file).returncode == status


def test_an_answer_that_needs_a_judge_is_kept(core: Installed) -> None:
    file = core.working_folder / "open.md"
    file.write_text("Renaming removes false dependences.\n", encoding="utf-8")
    process = core.run("answer", "starter/reorder-buffer", file)
    assert process.returncode == 2
    assert "kept until a judge decides it" in process.stdout
    assert "starter/reorder-buffer" in core.run("judge", "pending").stdout


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("report --demo --out report", "baselines"),
        ("eval --pack starter --model mockllm/model --out log", "baselines"),
        ("judge serve --port 0", "judges"),
        ("questions from-exam exam.pdf --out exam", "exams"),
        ("grade starter/sync-fifo solution --sandbox docker", "harness"),
    ],
)
def test_a_command_that_needs_an_extra_names_it(core: Installed, command: str, extra: str) -> None:
    solution = core.working_folder / "solution" / "rtl" / "sync_fifo.sv"
    solution.parent.mkdir(parents=True, exist_ok=True)
    solution.write_text("module sync_fifo;\nendmodule\n", encoding="utf-8")
    process = core.run(*command.split())
    output = process.stdout + process.stderr
    assert process.returncode == 2, output
    assert install_command(extra) in output
    assert "Traceback" not in output
    assert len(output.strip().splitlines()) == 1
