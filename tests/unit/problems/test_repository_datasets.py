"""Data sets whose records name repositories: NVIDIA's context-heavy ones, and HWE-Bench."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_foundation.home import Home
from benchwright_problems.datasets import FORMATS
from benchwright_problems.datasets.cvdp import export_cvdp, import_cvdp
from benchwright_problems.datasets.dataset_format import recognised_format
from benchwright_problems.datasets.hwebench import FORMAT, export_hwebench, import_hwebench
from benchwright_problems.datasets.record import Record
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES, diff_of_files
from benchwright_problems.repository.named_tests import NamedTests
from benchwright_problems.storage.conversion import RecordForm, convert_record
from benchwright_problems.storage.store import Store

ADDER = "module adder;\n  // a - b\nendmodule\n"
FILES = {"rtl/adder.sv": ADDER, "external/core/top.sv": "module top;\nendmodule\n", "README.md": "# Core\n"}
FIX = diff_of_files({"rtl/adder.sv": ADDER.encode()}, {"rtl/adder.sv": ADDER.replace("-", "+").encode()})


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    return Home.from_environment()


def git_output(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repositories(tmp_path: Path) -> Path:
    """`plain/`, and the same as bundles of three names; the commit is no branch's first."""
    folder = tmp_path / "repositories"
    folder.mkdir()
    git_output(folder, "init", "-q", "plain")
    for path, text in FILES.items():
        (folder / "plain" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "plain" / path).write_text(text)
    git_output(folder / "plain", "add", "-A")
    git_output(folder / "plain", "commit", "-qm", "Start")
    git_output(folder / "plain", "checkout", "-q", "--orphan", "other")
    git_output(folder / "plain", "commit", "-qm", "An orphan of the same files")
    for name in ("bundled", "cvdp_core", "cvdp_ext_core"):
        git_output(folder / "plain", "bundle", "create", "-q", str(folder / f"{name}.bundle"), "--all")
    return folder


def repository_record(repositories: Path, repo: str = "plain", **fields: JsonValue) -> Record:
    commit = git_output(repositories / "plain", "rev-parse", "HEAD")
    record: Record = {
        "id": "cvdp_agentic_heavy_core_0001",
        "categories": ["cid016", "hard"],
        "prompt": "Mend the adder.",
        "context": {"repo": repo, "commit": commit},
        "patch": {},
        "harness": {"docker-compose.yml": "services: {}\n"},
    }
    return record | fields


def imported(tmp_path: Path, record: Record, repositories: Path | None) -> Problem:
    file = tmp_path / "records.jsonl"
    file.write_text(json.dumps(record) + "\n")
    pack = import_cvdp([file], "p", repositories=repositories)
    Store(Home.from_environment()).add(pack, replace=True)
    return Store(Home.from_environment()).unseal(f"p/{pack.problems[0].id}")


def files_of(problem: Problem) -> dict[str, str]:
    assert problem.public.tree is not None
    return {path: content.decode() for path, content in problem.public.tree.read_all().items()}


@pytest.mark.parametrize("repo", ["plain", "bundled", "https://example.org/cores/plain.git", "cvdp_ext_core"])
def test_a_heavy_record_starts_with_its_repository_at_the_commit(repo: str, tmp_path: Path, repositories: Path) -> None:
    record = repository_record(repositories, repo)
    problem = imported(tmp_path, record, repositories)
    assert files_of(problem) == FILES
    assert (problem.public.expected, problem.limits.folder_mb) == ((CHANGES,), 200)
    assert export_cvdp(problem) == record
    with pytest.raises(ValueError, match="no other form"):
        convert_record(record, RecordForm.NONAGENTIC)


def test_of_a_repository_of_nvidias_own_only_external_is_the_workspace(tmp_path: Path, repositories: Path) -> None:
    problem = imported(tmp_path, repository_record(repositories, "cvdp_core"), repositories)
    assert files_of(problem) == {"core/top.sv": FILES["external/core/top.sv"]}


def test_the_patch_of_a_heavy_record_is_how_it_starts_and_not_its_solution(tmp_path: Path, repositories: Path) -> None:
    hunk = FIX[FIX.index("@@") :]
    record = repository_record(repositories, patch={"rtl/adder.sv": hunk, "new.sv": "@@ -0,0 +1 @@\n+// new\n"})
    problem = imported(tmp_path, record, repositories)
    assert files_of(problem) == {**FILES, "rtl/adder.sv": ADDER.replace("-", "+"), "new.sv": "// new\n"}
    assert (problem.hidden.reference, problem.has_solution) == ({}, False)
    assert export_cvdp(problem) == record


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"context": {"repo": "plain"}}, "field context: needs repo and commit"),
        ({"context": {"repo": "plain", "commit": "0" * 40}}, "has no commit '0000"),
        ({"context": {"repo": "gone", "commit": "HEAD"}}, r"has neither gone/ nor gone\.bundle"),
        ({"context": {"repo": "../plain", "commit": "HEAD"}}, "--repositories has to name"),
        ({"context": {"repo": "https://example.org/other.git", "commit": "HEAD"}}, "clone it as other into the folder"),
        ({"patch": {"rtl/adder.sv": "@@ -1 +1 @@\n-other\n+x\n"}}, r"field patch\.rtl/adder\.sv: line 2"),
        ({"categories": ["cid009", "hard"]}, "asks no design of a whole repository"),
    ],
)
def test_a_heavy_record_that_names_nothing_readable_is_refused(
    fields: Record, reason: str, tmp_path: Path, repositories: Path
) -> None:
    with pytest.raises(DatasetError, match=reason):
        imported(tmp_path, repository_record(repositories) | fields, repositories)


def hwebench_record(repositories: Path, **fields: JsonValue) -> Record:
    record: Record = {
        "org": "lab",
        "repo": "plain",
        "number": 7,
        "state": "closed",
        "title": "Add instead of subtracting",
        "body": None,
        "base": {"label": "lab:main", "ref": "main", "sha": git_output(repositories / "plain", "rev-parse", "HEAD")},
        "resolved_issues": [{"number": 6, "title": "Wrong sum", "body": ""}],
        "fix_patch": FIX,
        "test_patch": "",
        "prepare_script": "",
        "tb_script": "echo",
        "problem_statement": "The sum is wrong.",
        "lang": "verilog",
        "tag": "",
        "number_interval": "",
    }
    return record | fields


def import_lines(tmp_path: Path, repositories: Path, *records: Record) -> Problem:
    verifiers = tmp_path / "verifiers"
    verifiers.mkdir(exist_ok=True)
    (verifiers / "lab_m_plain-7.sh").write_text("echo verified\n")
    file = tmp_path / "hwe.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert recognised_format([file], FORMATS) is FORMAT
    pack = import_hwebench([file], "p", repositories=repositories, verifiers=verifiers)
    return pack.problems[0]


def test_a_record_of_hwe_bench_has_its_fix_hidden_and_its_verifier_from_the_user(
    tmp_path: Path, repositories: Path
) -> None:
    record = hwebench_record(repositories)
    problem = import_lines(tmp_path, repositories, record)
    assert (problem.id, problem.public.statement) == ("lab-plain-7", "The sum is wrong.")
    assert files_of(problem) == FILES
    assert problem.hidden.harness == {"verifier.sh": "echo verified\n"}
    assert problem.hidden.tests == NamedTests(printed=True)
    assert export_hwebench(problem) == record
    public_text = problem.model_dump_json(exclude={"hidden"})
    assert not re.search("a \\+ b|subtracting|Wrong sum", public_text)


def test_without_a_verifier_a_record_of_hwe_bench_runs_in_its_image(tmp_path: Path, repositories: Path) -> None:
    record = hwebench_record(repositories, number=8, tb_script="make test\n")
    problem = import_lines(tmp_path, repositories, record)
    (service,) = json.loads(problem.hidden.harness["docker-compose.yml"])["services"].values()
    assert (service["image"], service["x-needs-image"]) == ("hwebench/lab_m_plain:pr-8", True)
    assert "cd /home/plain" in problem.hidden.harness["task/run.sh"]
    assert problem.hidden.harness["task/tb_script.sh"] == "make test\n"
    assert problem.hidden.harness["task/paths"].splitlines() == sorted(FILES)
    assert problem.hidden.tests == NamedTests(printed=True)
    assert export_hwebench(problem) == record


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"number": 8, "tb_script": " "}, r"field tb_script: is empty; write lab_m_plain-8\.sh"),
        ({"fix_patch": FIX.replace("a - b", "other")}, "field fix_patch: rtl/adder.sv: line"),
        ({"base": {"sha": "HEAD~9"}}, "field repo: .* has no commit"),
        ({"org": "../x"}, "field repo: can't name"),
        ({"image": "x"}, "field image: is not known"),
        ({"number": "7"}, "field number"),
    ],
)
def test_a_record_of_hwe_bench_that_can_not_run_is_refused_by_field(
    fields: Record, reason: str, tmp_path: Path, repositories: Path
) -> None:
    with pytest.raises(DatasetError, match=reason):
        import_lines(tmp_path, repositories, hwebench_record(repositories, **fields))
