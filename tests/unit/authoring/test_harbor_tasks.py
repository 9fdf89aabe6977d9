"""Design problems as task folders of Harbor: what is in which folder, what comes back, and what the tests decide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright_authoring.harbor.task_folder import NotExportableError, task_files, write_task_folder
from benchwright_authoring.harbor.verify import verify
from benchwright_foundation.home import Home
from benchwright_problems.datasets.harbor import import_harbor
from benchwright_problems.problem import Hidden, Problem, ProblemKind
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.storage.pack_folder import BUILT_IN
from benchwright_problems.storage.store import Store


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    return Home.from_environment()


def design_problems(home: Home, pack: str) -> list[Problem]:
    store = Store(home)
    problems = store.public_pack(pack).problems
    return [store.unseal(f"{pack}/{problem.id}") for problem in problems if problem.kind is ProblemKind.DESIGN]


@pytest.mark.parametrize("pack", BUILT_IN)
def test_a_problem_that_is_exported_and_imported_again_is_the_same(tmp_path: Path, home: Home, pack: str) -> None:
    originals = design_problems(home, pack)
    assert originals
    for problem in originals:
        write_task_folder(problem, pack, tmp_path / "tasks" / problem.id)
    returned = {problem.id: problem for problem in import_harbor([tmp_path / "tasks"], "p").problems}
    assert returned.keys() == {problem.id for problem in originals}
    for problem in originals:
        again = returned[problem.id]
        assert (again.title, again.category, again.difficulty) == (problem.title, problem.category, problem.difficulty)
        assert again.public.statement.rstrip() == problem.public.statement.rstrip()
        assert again.public.model_dump(include={"files", "expected", "editable"}) == problem.public.model_dump(
            include={"files", "expected", "editable"}
        )
        if problem.public.tree is None:
            assert again.hidden.reference == problem.hidden.reference
        else:
            assert again.public.tree is not None
            assert again.public.tree.id == problem.public.tree.id
            expected_changes = changed_content_by_path(problem.public.tree, problem.hidden.reference[CHANGES])
            assert changed_content_by_path(again.public.tree, again.hidden.reference[CHANGES]) == expected_changes


@pytest.mark.parametrize("pack", BUILT_IN)
def test_what_an_agent_finds_has_nothing_of_the_hidden_part(home: Home, pack: str) -> None:
    for problem in design_problems(home, pack):
        # A text that is public, too, is no secret.
        hidden = {**problem.hidden.harness, **problem.hidden.reference}
        public_texts = set(problem.public.files.values())
        secrets = [text for text in hidden.values() if text not in public_texts and len(text) > 80]
        assert secrets
        for path, content in task_files(problem, pack).items():
            if not path.startswith(("tests/", "solution/")):
                assert not any(secret in content.decode("utf-8", "replace") for secret in secrets), path


def test_a_folder_of_a_task_is_for_its_owner_alone(tmp_path: Path, home: Home) -> None:
    problem = design_problems(home, "starter")[0]
    write_task_folder(problem, "starter", tmp_path / "tasks" / "task", canary="0" * 8)
    assert (tmp_path / "tasks" / "task").stat().st_mode & 0o077 == 0
    assert 'canary = "00000000"' in (tmp_path / "tasks" / "task" / "task.toml").read_text()


def test_an_image_with_the_tools_stands_in_for_their_installation(home: Home) -> None:
    problem = design_problems(home, "starter")[0]
    given = task_files(problem, "starter", image="lab/tools:1")["environment/Dockerfile"].decode()
    assert given.splitlines()[0] == "FROM lab/tools:1"
    assert "apt-get" not in given
    assert "apt-get install" in task_files(problem, "starter")["environment/Dockerfile"].decode()


@pytest.mark.parametrize(
    ("hidden", "reason"),
    [
        ({"reference": {}}, "has no reference"),
        ({"harness": {"proof.json": '{"top": "inv"}'}}, "decided by a proof"),
        (
            {"harness": {"docker-compose.yml": "services: {a: {image: 'x/y', command: make}}"}},
            "an image of its own, x/y",
        ),
        (
            {"harness": {"docker-compose.yml": "services: {a: {image: __VERIF_EDA_IMAGE__, command: xrun}}"}},
            "asks for commercial tools",
        ),
        ({"harness": {}}, "can't be exported: docker-compose.yml"),
    ],
)
def test_a_problem_that_can_be_no_task_is_refused_with_the_reason(
    home: Home, hidden: dict[str, Any], reason: str
) -> None:
    problem = design_problems(home, "starter")[0]
    changed_hidden_part = problem.hidden.model_copy(update=hidden)
    assert isinstance(changed_hidden_part, Hidden)
    with pytest.raises(NotExportableError, match=reason):
        task_files(problem.model_copy(update={"hidden": changed_hidden_part}), "starter")


def test_a_question_is_no_task(home: Home) -> None:
    question = next(p for p in Store(home).public_pack("starter").problems if p.kind is ProblemKind.QUESTION)
    with pytest.raises(NotExportableError, match="is no design problem"):
        task_files(question, "starter")


class Trial:
    """A container's folders in miniature: `/tests`, `/code` and `/`."""

    def __init__(self, folder: Path) -> None:
        self.tests_folder, self.code, self.root = folder / "tests", folder / "code", folder / "root"
        for made in (self.tests_folder, self.code, self.root):
            made.mkdir()
        self.trial_plan: dict[str, Any] = {
            "expected": ["rtl/a.sv"],
            "editable": [],
            "folders": ["rtl", "rundir"],
            "steps": [],
            "simulates": False,
            "patterns": None,
            "tests": None,
        }

    def step(self, script: str) -> None:
        self.trial_plan["steps"].append({"argv": ["sh", "-c", script], "env": {"WORD": "given"}, "limit_s": 10})

    def result(self) -> bool:
        (self.tests_folder / "plan.json").write_text(json.dumps(self.trial_plan))
        return verify(self.tests_folder, self.code, self.root)[0]


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def write(folder: Path, **text_by_name: str) -> None:
    for name, text in text_by_name.items():
        file = folder / name.replace("__", "/").replace("_sv", ".sv")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_tests_meet_the_given_files_and_the_expected_ones_and_nothing_else(trial: Trial) -> None:
    write(trial.tests_folder / "given", rtl__a_sv="start", rtl__b_sv="given", top_sv="given")
    write(trial.tests_folder / "files", src__hidden_sv="hidden")
    write(trial.code, rtl__a_sv="solved", rtl__b_sv="changed", conftest_sv="added", rundir__old_sv="old")
    (trial.code / "link").symlink_to("/etc")
    trial.step(
        f"find .. -type f -exec cat {{}} + | sort; cat {trial.root}/src/hidden.sv; echo $WORD > ../seen; pwd >> ../seen"
    )
    assert trial.result()
    files = {p.relative_to(trial.code).as_posix(): p.read_text() for p in trial.code.rglob("*") if p.is_file()}
    assert files.pop("seen") == f"given\n{trial.code / 'rundir'}\n"
    assert files == {"rtl/a.sv": "solved", "rtl/b.sv": "given", "top.sv": "given"}
    assert not (trial.code / "link").exists()


def test_in_a_repository_only_what_is_editable_counts_and_a_deletion_does(trial: Trial) -> None:
    trial.trial_plan |= {"expected": [], "editable": ["rtl"]}
    write(trial.tests_folder / "given", rtl__a_sv="start", rtl__b_sv="start", bench_sv="given")
    write(trial.code, rtl__a_sv="solved", rtl__new_sv="new", bench_sv="changed")
    trial.step("true")
    assert trial.result()
    files = {p.relative_to(trial.code).as_posix(): p.read_text() for p in trial.code.rglob("*") if p.is_file()}
    assert files == {"rtl/a.sv": "solved", "rtl/new.sv": "new", "bench.sv": "given"}


JUNIT = "<testsuites><testsuite>{}</testsuite></testsuites>"
PASS, FAIL = '<testcase name="adds"/>', '<testcase name="adds"><failure message="no"/></testcase>'
SKIP = '<testcase name="masks"><skipped/></testcase>'


@pytest.mark.parametrize(
    ("script", "simulates", "is_passed"),
    [
        ("true", False, True),
        ("exit 3", False, False),
        ("true", True, False),
        (f"echo '{JUNIT.format(PASS)}' > results.xml", True, True),
        (f"echo '{JUNIT.format(PASS)}' > .pytest-results.xml", True, False),
        (f"echo '{JUNIT.format(FAIL)}' > results.xml", True, False),
        (f"echo '{JUNIT.format(FAIL)}' > .pytest-results.xml", False, False),
        ("echo '<broken' > results.xml", False, True),
        ("sleep 60", False, False),
        ("/no/such/program", False, False),
    ],
)
def test_without_a_criterion_the_status_and_every_result_decide(
    trial: Trial, script: str, simulates: bool, is_passed: bool
) -> None:
    trial.trial_plan["simulates"] = simulates
    trial.step(script)
    trial.trial_plan["steps"][0]["limit_s"] = 0.2 if script.startswith("sleep") else 30
    assert trial.result() is is_passed


def test_the_first_step_that_fails_is_the_last(trial: Trial) -> None:
    trial.step("exit 1")
    trial.step("touch reached")
    assert not trial.result()
    assert not (trial.code / "rundir" / "reached").exists()


@pytest.mark.parametrize(
    ("junit_cases", "is_passed"),
    [
        (PASS + '<testcase name="other"><error/></testcase>', True),
        (PASS + FAIL, False),
        (SKIP, False),
        (PASS.replace("adds", "masks"), False),
        ("", False),
    ],
)
def test_named_tests_decide_whatever_else_fails(trial: Trial, junit_cases: str, is_passed: bool) -> None:
    trial.trial_plan["tests"] = {"names": ["adds"], "printed": False, "marks": ["BEGIN", "END"]}
    trial.step(f"echo '{JUNIT.format(junit_cases)}' > results.xml; exit 1")
    assert trial.result() is is_passed


@pytest.mark.parametrize(
    ("lines", "names", "is_passed"),
    [
        ("BEGIN|TEST: adds ... PASS|END", ["adds"], True),
        ("BEGIN|TEST: adds ... PASS|TEST: adds ... FAIL|END", ["adds"], False),
        ("BEGIN|TEST: adds ... SKIP|END", ["adds"], False),
        ("BEGIN|TEST: adds ... PASS|TEST: masks ... FAIL|END", [], False),
        ("BEGIN|TEST: adds ... PASS|TEST: masks ... PASS|END", [], True),
        ("TEST: adds ... PASS", ["adds"], False),
        ("BEGIN|TEST: adds ... PASS|END|BEGIN|END", ["adds"], False),
    ],
)
def test_printed_results_count_between_their_lines_and_once(
    trial: Trial, lines: str, names: list[str], is_passed: bool
) -> None:
    trial.trial_plan["tests"] = {"names": names, "printed": True, "marks": ["BEGIN", "END"]}
    trial.step(f"echo '{lines}' | tr '|' '\\n'")
    assert trial.result() is is_passed


@pytest.mark.parametrize(
    ("script", "changes", "is_passed"),
    [
        ("echo all good", {}, True),
        ("echo all good; exit 2", {}, False),
        ("echo all good; exit 2", {"exit": "any"}, True),
        ("echo all good; echo bad", {}, False),
        ("echo fine", {}, False),
        ("echo good; echo good", {"count": 1}, False),
        ("echo good > out.txt", {"file": "out.txt"}, True),
        ("echo good", {"file": "out.txt"}, False),
        ("echo good; echo START", {"begin": "START"}, False),
        ("echo START; echo good", {"begin": "START"}, True),
        ("echo good", {"begin": "START"}, False),
    ],
)
def test_an_authors_patterns_decide(trial: Trial, script: str, changes: dict[str, Any], is_passed: bool) -> None:
    patterns = {
        "pass": ["good"],
        "fail": ["bad"],
        "count": None,
        "exit": 0,
        "file": None,
        "begin": "",
        "reads_all": False,
    }
    trial.trial_plan["patterns"] = patterns | {"reads_all": False} | changes
    trial.step(script)
    assert trial.result() is is_passed
