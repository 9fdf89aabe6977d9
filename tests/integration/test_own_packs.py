"""An author's way: a new problem, its proof, a published file, and somebody else who installs it."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")


def benchwright(home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"BENCHWRIGHT_HOME": str(home), "COLUMNS": "200"}
    return subprocess.run(
        [BENCHWRIGHT, "problems", *arguments], env=environ, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pack with a problem of each kind of harness, and a question."""
    for name, form in (("holds", "cocotb"), ("holds-too", "testbench"), ("asks", "multiple-choice")):
        process = benchwright(tmp_path / "author", "new", tmp_path / "my-pack", name, "--form", form)
        assert process.returncode == 0, process.stderr
    return tmp_path / "my-pack"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Address from which the files of a folder can be fetched."""
    (tmp_path / "site").mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "site")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_new_problems_are_proved_and_a_weak_harness_is_told_by_a_wrong_solution(folder: Path, tmp_path: Path) -> None:
    proved = benchwright(tmp_path / "author", "check", folder)
    assert proved.returncode == 0, proved.stdout + proved.stderr
    assert "3 of 3 problems proved" in proved.stdout
    tests_file = folder / "holds" / "hidden" / "harness" / "src" / "test_holds.py"
    # The enable is never 0.
    tests_file.write_text(
        tests_file.read_text()
        .replace("choose.random() < 0.5", "True")
        .replace("(0, 0x3C, 0xA5), ", "")
        .replace(", (0, 0, 0xFF))", ")")
    )
    weak = benchwright(tmp_path / "author", "check", folder, "--json")
    assert weak.returncode == 1
    reports_by_id = {problem["id"]: problem for problem in json.loads(weak.stdout)["problems"]}
    assert (reports_by_id["holds"]["proof"], reports_by_id["holds-too"]["proof"]) == ("wrong", "proved")
    assert "hidden/wrong/ignores-enable passes" in reports_by_id["holds"]["reason"]


def test_a_folder_is_graded_compared_and_opened_as_it_is_now(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "author"

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BENCHWRIGHT, *arguments],
            env=os.environ | {"BENCHWRIGHT_HOME": str(home), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    problem, reference_folder = folder / "holds", folder / "holds" / "hidden" / "reference"
    assert run("grade", problem, reference_folder).returncode == 0
    assert run("grade", problem, problem / "public").returncode == 1
    (design_path,) = (file for file in reference_folder.rglob("*") if file.is_file())
    comparison_process = run("problems", "compare", problem, design_path)
    assert (comparison_process.returncode, comparison_process.stdout.splitlines()[0]) == (0, "equivalent"), (
        comparison_process.stderr
    )
    absent_grading = run("grade", folder / "absent", reference_folder)
    assert absent_grading.returncode == 2
    assert "has no problem 'absent'; its pack.toml orders: holds, holds-too, asks" in absent_grading.stderr
    answers = tmp_path / "answers.jsonl"
    solution_record = {
        "id": "holds",
        "files": {design_path.relative_to(reference_folder).as_posix(): design_path.read_text()},
    }
    answers.write_text(json.dumps(solution_record) + "\n")
    graded = run("grade", folder, "--responses", answers, "--json")
    assert graded.returncode == 0, graded.stderr
    assert json.loads(graded.stdout)["pack"] == "my-pack"

    for title in ("Holds now", "Holds later"):
        statement = problem / "statement.md"
        statement.write_text("# " + title + "\n" + statement.read_text().partition("\n")[2])
        open_run = run("open", problem, "--fresh", "--json")
        assert open_run.returncode == 0, open_run.stderr
        assert json.loads(open_run.stdout)["status"]["title"] == title
    (home / "data" / "pack-signers.json").unlink()
    refused = run("open", problem)
    assert refused.returncode == 2
    assert "not from a folder of yours" in refused.stderr


def test_a_published_pack_is_installed_from_a_file_or_an_address(folder: Path, tmp_path: Path, address: str) -> None:
    file = tmp_path / "site" / "my.pack"
    published = json.loads(benchwright(tmp_path / "author", "publish", folder, file, "--json").stdout)
    assert published["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    solver = tmp_path / "solver"
    plain_install = benchwright(solver, "install", f"{address}/my.pack")
    assert plain_install.returncode == 2
    assert "give the file's --sha256" in plain_install.stderr
    wrong_install = benchwright(solver, "install", f"{address}/my.pack", "--sha256", "0" * 64)
    assert wrong_install.returncode == 2
    assert published["sha256"] in wrong_install.stderr
    absent_install = benchwright(solver, "install", f"{address}/other.pack", "--sha256", "0" * 64)
    assert "answers 404" in absent_install.stderr
    assert "my-pack" not in benchwright(solver, "list").stdout
    fetched = benchwright(solver, "install", f"{address}/my.pack", "--sha256", published["sha256"])
    assert fetched.returncode == 0, fetched.stderr
    assert "my-pack/holds" in benchwright(solver, "list").stdout
    # What was installed proves itself where it is now.
    assert benchwright(solver, "check", "my-pack").returncode == 0
    second_install = benchwright(solver, "install", file)
    assert "--replace puts version 0.1.0 in its place" in second_install.stderr
    assert benchwright(solver, "install", file, "--replace").returncode == 0


def test_a_pack_of_somebody_else_does_not_take_the_place_of_an_installed_one(folder: Path, tmp_path: Path) -> None:
    our_pack, their_pack, solver = tmp_path / "ours.pack", tmp_path / "theirs.pack", tmp_path / "solver"
    assert benchwright(tmp_path / "author", "publish", folder, our_pack).returncode == 0
    other_key = json.loads(benchwright(tmp_path / "stranger", "publish", folder, their_pack, "--json").stdout)["key"]
    assert benchwright(solver, "install", our_pack).returncode == 0
    refused_install = benchwright(solver, "install", their_pack, "--replace")
    assert refused_install.returncode == 2
    assert "was signed with the key" in refused_install.stderr
    assert benchwright(solver, "install", their_pack, "--replace", "--key", other_key).returncode == 0
    assert benchwright(solver, "install", our_pack, "--replace", "--key", other_key).returncode == 2


def test_a_copy_of_an_installed_problem_is_found(folder: Path, tmp_path: Path) -> None:
    author = tmp_path / "author"
    later_problem = folder / "holds-too" / "problem.toml"
    later_problem.write_text(f'published = "2026-05"\n{later_problem.read_text()}')
    (pair,) = json.loads(benchwright(author, "duplicates", folder, "--json").stdout)
    assert pair["problems"] == ["my-pack/holds", "my-pack/holds-too"]
    assert pair["published"] == ["", "2026-05"]
    file = tmp_path / "p.pack"
    benchwright(author, "publish", folder, file)
    benchwright(author, "install", file)
    benchwright(author, "new", tmp_path / "other", "asks", "--form", "assertion")
    assert benchwright(author, "duplicates", "starter", tmp_path / "other").returncode == 0
    process = benchwright(author, "duplicates", "my-pack", "starter")
    assert process.returncode == 1
    assert "1 pair of problems at least 0.8 alike" in process.stdout


def test_faults_that_the_tests_of_a_folder_do_not_notice_are_counted(folder: Path, tmp_path: Path) -> None:
    report = folder / "mutants.json"
    process = benchwright(tmp_path / "author", "mutate", folder, "holds", "--limit", "6", "--report", report)
    assert process.returncode == 0, process.stdout + process.stderr
    (problem,) = json.loads(report.read_text())["problems"]
    assert problem["id"] == "holds"
    assert benchwright(tmp_path / "author", "publish", folder, tmp_path / "p").returncode == 0
    assert b"mutants.json" not in (tmp_path / "p").read_bytes()
