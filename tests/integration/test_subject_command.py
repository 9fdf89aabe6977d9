"""`benchwright subject`, and what `benchwright eval --subject` refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_attempts import log_file
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.agents import installation
from benchwright_subjects.agents.installation import programs_folder
from benchwright_subjects.agents.preset import preset_named, presets

from ..support.models.eval import COUNTER, Desk, desk, run, says

__all__ = ("desk",)

PROGRAM = """\
#!/bin/sh
[ "$1" = --version ] && echo "codex-cli {version}" && exit
cat > rtl/sat_counter.sv <<'END'
{counter}END
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the toolchain of this machine, and no subject."""
    real = Home.from_environment().cache
    new_cache = tmp_path / "cache"
    new_cache.mkdir()
    for name in ("toolchains", "tiktoken"):
        (new_cache / name).symlink_to(real / name)
    for folder in (new_cache, *tmp_path.parents[:3], tmp_path):
        if folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o111)
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(new_cache))
    return new_cache


def stand_in(cache: Path, version: str) -> None:
    """A program in the place of codex that writes the counter without asking anybody."""
    codex = preset_named("codex")
    program = programs_folder(codex, cache) / codex.path[0] / "codex"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM.format(version=version, counter=COUNTER))
    program.chmod(0o755)
    installation._make_readable_for_everybody(cache / "subjects")


def benchwright(*words: str) -> Result:
    return CliRunner().invoke(app_with_commands(), list(words))


def test_the_list_names_all_subjects_with_their_digests(cache: Path) -> None:
    *rows, editor = json.loads(benchwright("subject", "list", "--json").stdout)
    assert (editor["name"], editor["kind"], editor["package"]) == ("vscode-agent", "editor", "npm:code-server")
    assert len(editor["package_sha256"]) == (64 if editor["installed"] else 0)
    assert [row["name"] for row in rows] == [subject.name for subject in presets()]
    assert {row["installed"] for row in rows} == {False}
    assert all(len(row["package_sha256"]) == len(row["configuration_sha256"]) == 64 for row in rows)
    lines = benchwright("subject", "list").stdout.splitlines()[1:-1]
    assert [line.split("\t")[3] for line in lines] == [row["configuration_sha256"][:8] for row in rows]


def test_the_editor_is_not_added_but_set_up_and_its_options_need_it() -> None:
    adding = benchwright("subject", "add", "vscode-agent")
    assert adding.exit_code == 2
    assert "Run ./run once in a checkout" in adding.stderr
    options = ("--pack", "starter", "--model", "mockllm/model", "--subject", "codex", "--participant", "mine")
    misplaced = benchwright("eval", *options)
    assert misplaced.exit_code == 2
    assert "--extension and --participant need --subject vscode-agent." in misplaced.stderr


@pytest.mark.parametrize(
    ("version", "state", "status"), [("0.169.0", "works", 0), ("0.1.0", "does not start", 1), ("", "not installed", 1)]
)
def test_the_doctor_starts_what_is_installed_and_compares_its_version(
    cache: Path, version: str, state: str, status: int
) -> None:
    if version:
        stand_in(cache, version)
    invocation = benchwright("subject", "doctor", "codex", "--json")
    (row,) = json.loads(invocation.stdout)
    assert (row["state"], invocation.exit_code) == (state, status), row


def test_nothing_installed_is_no_fault_unless_it_is_named(cache: Path) -> None:
    assert benchwright("subject", "doctor").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("subject", "add", "nobody"), "There are aider, claude-code"),
        (("eval", "--subject", "codex", "--pack", "starter", "--model", "mockllm/model"), "subject add codex"),
        (("eval", "--subject", "codex", "--pack", "starter", "--model", "m/m", "--shots", "2"), "--subject"),
        (
            ("eval", "--subject", "codex", "--agent-command", "x", "--pack", "starter", "--model", "mockllm/model"),
            "leave one out",
        ),
    ],
)
def test_what_can_not_be_done_is_refused_with_what_to_do(
    desk: Desk, cache: Path, words: tuple[str, ...], message: str
) -> None:
    invocation = benchwright(*words)
    assert invocation.exit_code == 2
    assert message in invocation.stderr


def test_a_report_compares_a_subject_as_a_group_with_its_version_and_configuration(desk: Desk, cache: Path) -> None:
    stand_in(cache, "0.169.0")
    run(desk, says("done"), "agent", problems="saturating-counter", subject="codex")
    run(desk, says(f"```systemverilog\n{COUNTER}```"), "answer", problems="saturating-counter")
    with StudyLog(log_file(desk.home)) as log:
        write_report(log, Store(desk.home), ReportOptions(desk.out_folder / "report"))
    text = (desk.out_folder / "report" / "attempts.csv").read_text()
    launch = preset_named("codex").launch(cache, None)
    assert f"codex 0.169.0 [{launch.configuration_sha256[:8]}] with mockllm/model" in text
    report_page = (desk.out_folder / "report" / "report.html").read_text()
    assert f"agent: codex 0.169.0 [{launch.configuration_sha256[:8]}] with mockllm/model" in report_page
    assert "model: mockllm/model" in report_page
