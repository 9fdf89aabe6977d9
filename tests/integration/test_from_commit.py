"""`benchwright problems from-commit`: a problem of a repository of one's own, proved from both sides."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_foundation.home import Home
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_server.cli.app import app_with_commands

from ..support.repository_pack import ADDER, BENCH, TREE, VERIFIER

PYTEST = """
import subprocess

def simulate(a, b):
    bench = f"module bench; wire [4:0] y; adder u(4'd{a}, 4'd{b}, y); initial #1 $display(y); endmodule"
    open("bench.sv", "w").write(bench)
    subprocess.run("iverilog -g2012 -o bench.vvp rtl/adder.sv bench.sv", shell=True, check=True)
    return int(subprocess.run("vvp -n bench.vvp", shell=True, check=True, capture_output=True, text=True).stdout)

def test_adds(): assert simulate(9, 8) == 17
def test_adds_nothing(): assert simulate(5, 0) == 5
def test_is_broken(): assert simulate(1, 1) == 3
"""
CANARY = "SECRET-OF-THE-FIX"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    cache = Home.from_environment().cache
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(cache))
    return Home.from_environment()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose second commit mends the adder and brings a test."""
    folder = tmp_path / "core"
    wrong: dict[str, str | bytes] = {
        **TREE,
        "rtl/adder.sv": ADDER.replace("+", "-"),
        ".github/ci.yml": "on: push\n",
        "logo.png": b"\x89PNG\xff",
    }
    right: dict[str, str | bytes] = {"rtl/adder.sv": f"{ADDER}// {CANARY}\n", "test/test_adder.py": PYTEST}
    right |= {"bench/run.sh": VERIFIER.replace("/src/bench.sv", "/code/bench/bench.sv"), "bench/bench.sv": BENCH}
    git(tmp_path, "init", "-q", str(folder))
    for files in (wrong, right):
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", f"A commit of {len(files)} files")
    return folder


def run(*arguments: object) -> tuple[int, str]:
    outcome = CliRunner().invoke(
        app_with_commands(), ["problems", "from-commit", *map(str, arguments)], catch_exceptions=False
    )
    return outcome.exit_code, outcome.output


def test_a_fix_with_tests_of_pytest_becomes_a_proved_problem(repository: Path, tmp_path: Path) -> None:
    pack = tmp_path / "own-core"
    code, output = run(repository, "HEAD", pack, "adder", "--tests", "test", "--tests", "bench", "--json")
    assert code == 0, output
    made = json.loads(output)
    assert (made["fail_to_pass"], made["pass_to_pass"], made["failing"], made["left_out"]) == (
        ["test_adds"],
        ["test_adds_nothing"],
        ["test_is_broken"],
        [".github/ci.yml"],
    )
    (problem,) = read_pack_folder(pack).problems
    assert problem.public.tree is not None
    files = problem.public.tree.read_all()
    assert files.keys() == {*TREE, "logo.png"}
    # Neither the fix nor the tests are where a solver looks.
    public_text = problem.model_dump_json(exclude={"hidden"}) + "".join(map(repr, files.values()))
    assert CANARY not in public_text
    assert "simulate" not in public_text
    assert CANARY in problem.hidden.reference[CHANGES]


def test_a_second_problem_upon_the_same_commit_shares_its_tree_and_may_print_its_results(
    repository: Path, tmp_path: Path
) -> None:
    pack = tmp_path / "own-core"
    assert run(repository, "HEAD", pack, "adder", "--tests", "test", "--tests", "bench")[0] == 0
    code, output = run(
        *(repository, "HEAD", pack, "printed", "--tests", "test", "--tests", "bench", "--run", "bash bench/run.sh"),
    )
    assert code == 0, output
    assert "fail to pass 1, pass to pass 1." in output.replace("\n", " ")
    assert len(list((pack / "trees").iterdir())) == 1
    assert [problem.id for problem in read_pack_folder(pack).problems] == ["adder", "printed"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("HEAD", "--tests", "tests"), "has no file 'tests'"),
        (("v9", "--tests", "test"), "has no commit 'v9'"),
        (("HEAD~1", "--tests", "rtl"), "is the first of"),
        (
            ("HEAD", "--tests", "test", "--tests", "rtl", "--tests", "bench", "--run", "pytest test"),
            "nothing but its tests",
        ),
        (("HEAD", "--tests", "bench/run.sh"), "--run has to say"),
        (("HEAD", "--tests", "test", "--run", "true"), "no test has a result with the commit itself"),
        (("HEAD", "--tests", "test", "--run", "pytest test -k nothing"), "no test fails before"),
    ],
)
def test_a_commit_that_makes_no_problem_is_refused_and_leaves_nothing(
    arguments: tuple[str, ...], reason: str, repository: Path, tmp_path: Path
) -> None:
    fix, *others = arguments
    code, output = run(repository, fix, tmp_path / "own-core", "adder", *others)
    assert code == 2 or code == 1
    assert reason in output.replace("\n", " "), output
    assert not (tmp_path / "own-core").exists()


def test_a_submodule_and_a_link_to_elsewhere_are_refused_by_name(repository: Path, tmp_path: Path) -> None:
    (repository / "rtl/link.sv").symlink_to("adder.sv")
    (repository / "outside.sv").symlink_to("/etc/passwd")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "Links")
    (repository / "outside.sv").unlink()
    git(repository, "update-index", "--force-remove", "outside.sv")
    git(repository, "commit", "-qm", "No link")
    code, output = run(repository, "HEAD", tmp_path / "own-core", "adder", "--tests", "test")
    assert (code != 0, "outside.sv is a link to '/etc/passwd'" in output.replace("\n", " ")) == (True, True)
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{git(repository, 'rev-parse', 'HEAD')},vendor")
    git(repository, "commit", "-qm", "A submodule")
    code, output = run(repository, "HEAD", tmp_path / "own-core", "adder", "--tests", "test")
    assert (code != 0, "vendor is a submodule" in output.replace("\n", " ")) == (True, True)
