"""Task folders of Harbor as problems: what is read, what is refused, and that nothing is lost."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_problems.datasets import FORMATS
from benchwright_problems.datasets.dataset_format import recognised_format
from benchwright_problems.datasets.harbor import FORMAT, export_harbor, import_harbor
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Difficulty, Problem
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.storage.store import Store

ADDER = "module adder(input a, b, output y);\n  assign y = a | b;\nendmodule\n"
TASK = """\
schema_version = "1.0"

[task]
name = "lab/mend-adder"
description = "An adder that does not add"
authors = [{ name = "A. Person", email = "a@example.org" }]
keywords = ["rtl", "cid016"]

[metadata]
difficulty = "hard"
license = "MIT"
anything = { goes = ["here"] }

[environment]
build_timeout_sec = 600.0
cpus = 2
memory_mb = 2048
storage_mb = 10240
allow_internet = false

[environment.env]
TOP = "adder"

[agent]
timeout_sec = 900.0

[verifier]
timeout_sec = 120.0

[verifier.env]
MODE = "all"

[solution]
env = { DEBUG = "1" }
"""
DOCKERFILE = """\
# The tools
FROM somebody/tools:1
RUN apt-get update \\
 && apt-get install -y make
WORKDIR /work
COPY core/ /work/
COPY --chown=root:root note.txt Makefile docs/
COPY ["license.txt", "LICENSE"]
COPY outside.txt /etc/
"""
FILES = {
    "task.toml": TASK,
    "instruction.md": "# Mend the adder\n\nIt should add.\n",
    "environment/Dockerfile": DOCKERFILE,
    "environment/core/rtl/adder.sv": ADDER,
    "environment/core/docs/.keep": "dotted\n",
    "environment/note.txt": "note\n",
    "environment/Makefile": "all:\n",
    "environment/license.txt": "MIT\n",
    "environment/outside.txt": "no part of the workspace\n",
    "tests/test.sh": "#!/bin/bash\ncp /tests/answer.txt /logs/verifier/reward.txt\n",
    "tests/answer.txt": "1\n",
    "solution/solve.sh": "#!/bin/bash\ncp -R /solution/files/. /work/\n",
    "solution/files/rtl/adder.sv": ADDER.replace("|", "^"),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    return Home.from_environment()


def write_task(folder: Path, changes: dict[str, str | bytes | None] | None = None) -> Path:
    """Write a task; a file whose change is None is left out."""
    for path, content in {**FILES, **(changes or {})}.items():
        if content is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def imported(folder: Path) -> Problem:
    Store(Home.from_environment()).add(import_harbor([folder], "p"), replace=True)
    (problem,) = Store(Home.from_environment()).public_pack("p").problems
    return Store(Home.from_environment()).unseal(f"p/{problem.id}")


def test_a_task_is_a_repository_with_the_files_that_its_dockerfile_copies(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    assert recognised_format([folder], FORMATS) is FORMAT
    problem = imported(folder)
    assert (problem.id, problem.title, problem.public.statement) == (
        "mend-adder",
        "An adder that does not add",
        FILES["instruction.md"],
    )
    assert (problem.difficulty, problem.provenance.license) == (Difficulty.HARD, "MIT")
    assert problem.public.expected == (CHANGES,)
    assert problem.public.tree is not None
    assert {path: content.decode() for path, content in problem.public.tree.read_all().items()} == {
        "rtl/adder.sv": ADDER,
        "docs/.keep": "dotted\n",
        "docs/note.txt": "note\n",
        "docs/Makefile": "all:\n",
        "LICENSE": "MIT\n",
    }
    assert changed_content_by_path(problem.public.tree, problem.hidden.reference[CHANGES]) == {
        "rtl/adder.sv": ADDER.replace("|", "^").encode()
    }
    assert (problem.limits.wall_s, problem.limits.memory_mb, problem.limits.folder_mb) == (120, 2048, 10240)


def test_its_tests_run_in_its_image_and_write_the_file_that_decides(tmp_path: Path) -> None:
    harness = imported(write_task(tmp_path / "task")).hidden.harness
    (service,) = json.loads(harness["docker-compose.yml"])["services"].values()
    assert (service["image"], service["x-needs-image"]) == ("harbor/mend-adder", True)
    assert service["environment"] == {"TOP": "adder", "MODE": "all"}
    assert harness["tests/answer.txt"] == "1\n"
    assert "cd /work" in harness["task/run.sh"]
    with_image = TASK.replace("cpus", 'docker_image = "somebody/else:2"\nworkdir = "/work"\ncpus')
    problem = imported(write_task(tmp_path / "other", {"task.toml": with_image}))
    (service,) = json.loads(problem.hidden.harness["docker-compose.yml"])["services"].values()
    assert service["image"] == "somebody/else:2"


@pytest.mark.parametrize(
    ("reward", "passes"),
    [
        *(
            (text, True)
            for text in ("1", "1\n", " 1.0 ", "1.", "+1", '{"reward": 1}', '{"a": 0, "reward": 1.0, "b": 2}')
        ),
        *((text, False) for text in ("0", "0.99", "10", "1.5", "-1", "1e1", "", '{"reward": 0.5}', '{"other": 1}')),
        *((text, False) for text in ('{"reward": 10}', '{"my reward": 1}', "nan", "1 1")),
    ],
)
def test_only_the_whole_reward_passes(tmp_path: Path, reward: str, passes: bool) -> None:
    criterion = imported(write_task(tmp_path / "task")).hidden.criterion
    assert criterion is not None
    assert criterion.file == "reward"
    assert any(re.search(pattern, reward) for pattern in criterion.passes) is passes


def test_what_a_solver_reads_has_nothing_of_tests_and_solution(tmp_path: Path) -> None:
    marked: dict[str, str | bytes | None] = {
        path: f"{text}\n# CANARY-{number}\n"
        for number, (path, text) in enumerate(FILES.items())
        if path.startswith(("tests/", "solution/"))
    }
    problem = imported(write_task(tmp_path / "task", marked))
    tree = problem.public.tree
    assert tree is not None
    assert "CANARY" not in problem.model_dump_json(exclude={"hidden"})
    assert not any(b"CANARY" in content for content in tree.read_all().values())


def test_an_export_has_every_file_again(tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n\xff"
    folder = write_task(tmp_path / "task", {"environment/core/logo.png": picture, "README.md": "# Task\n"})
    problem = imported(folder)
    assert problem.public.tree is not None
    assert problem.public.tree.read("logo.png") == picture
    assert export_harbor(problem) == {
        **FILES,
        "README.md": "# Task\n",
        "environment/core/logo.png": {"base64": base64.b64encode(picture).decode()},
    }


def test_a_folder_of_tasks_is_one_pack_and_names_are_told_apart(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_task(tmp_path / "tasks" / name, {"task.toml": TASK.replace("mend-adder", name)})
    write_task(tmp_path / "tasks" / "second" / "environment" / "core" / "inner")
    assert [problem.id for problem in import_harbor([tmp_path / "tasks"], "p").problems] == ["first", "second"]
    write_task(tmp_path / "tasks" / "third", {"task.toml": TASK.replace("mend-adder", "First")})
    with pytest.raises(DatasetError, match=r"'First' is another problem, too.* 2 other records are fine"):
        import_harbor([tmp_path / "tasks"], "p")


def test_a_task_without_files_of_the_reference_is_not_proved(tmp_path: Path) -> None:
    assert not imported(write_task(tmp_path / "task", {"solution/files/rtl/adder.sv": None})).has_solution


@pytest.mark.parametrize("table", ["", "task", "environment", "agent", "verifier", "solution"])
@pytest.mark.parametrize("value", ['"text"', "1", "[]", "{ a = 1 }"])
def test_a_key_that_the_importer_does_not_know_is_refused_with_its_line_or_kept_by_choice(
    tmp_path: Path, table: str, value: str
) -> None:
    head = f"[{table}]\n" if table else TASK.split("\n")[0] + "\n"
    changed = TASK.replace(head, f"{head}surprise = {value}\n", 1)
    folder = write_task(tmp_path / "task", {"task.toml": changed})
    with pytest.raises(DatasetError, match="is not known to this importer") as refusal:
        import_harbor([folder], "p")
    assert (refusal.value.file.name, refusal.value.field) == ("task.toml", f"{table}.surprise".lstrip("."))
    assert refusal.value.line == changed.split("\n").index(f"surprise = {value}") + 1
    (kept,) = import_harbor([folder], "p", invalid=InvalidRecords(keeps_unknown_fields=True)).problems
    assert export_harbor(kept) == {**FILES, "task.toml": changed}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"task.toml": TASK.replace("120.0", '"120"')}, r"task\.toml:28: field verifier\.timeout_sec: "),
        ({"task.toml": TASK.replace("120.0", "inf")}, r"task\.toml:28: field verifier\.timeout_sec: "),
        ({"task.toml": TASK.replace("2048", "0")}, r"task\.toml:17: field environment\.memory_mb: "),
        ({"task.toml": TASK.replace("lab/mend-adder", "lab/ ")}, "field id: "),
        ({"task.toml": TASK.replace("cpus", "gpus")}, r"task\.toml:16: field environment\.gpus: asks for a GPU"),
        (
            {"task.toml": TASK.replace('"all"', '"${KEY}"')},
            r"field verifier\.env\.MODE: takes a variable",
        ),
        ({"task.toml": TASK.replace("120.0", '120.0\nuser = "agent"')}, r"field verifier\.user: must be root"),
        ({"task.toml": f"{TASK}[[steps]]\nname = 'a'\n"}, "field steps: is not known"),
        ({"task.toml": "a ="}, "is not TOML"),
        ({"task.toml": TASK.replace("[metadata]", "[metadata]\nbenchwright_expected = 1")}, "must be a list of paths"),
        ({"instruction.md": None}, r"instruction\.md: is missing"),
        ({"tests/test.sh": None}, r"tests/test\.sh: is missing"),
        ({"tests/data.bin": b"\xff"}, r"tests/data\.bin: byte 1 is not UTF-8"),
        ({"steps/a/instruction.md": "x"}, "is no part of a task"),
        ({"environment/.dockerignore": "x"}, "is not followed"),
        ({"environment/docker-compose.yaml": "services:\n  db:\n    image: x\n"}, "adds services"),
        ({"environment/Dockerfile": None}, r"Dockerfile: is missing, so the files .* write one"),
        ({"environment/Dockerfile": "FROM a\n"}, "field WORKDIR: must name the workspace"),
        ({"environment/Dockerfile": "WORKDIR /work\nCOPY core/ .\n"}, "field FROM: is missing"),
        ({"environment/Dockerfile": "FROM a\nWORKDIR /work\n"}, "field COPY: gives no workspace"),
        ({"environment/Dockerfile": "FROM a AS b\nFROM c\n"}, r"Dockerfile:2: field FROM: comes twice"),
        ({"environment/Dockerfile": "FROM a\nADD x /\n"}, r"Dockerfile:2: field ADD: is not read"),
        (
            {"environment/Dockerfile": "FROM a\nWORKDIR /work\nCOPY gone .\n"},
            r"Dockerfile:3: field COPY: copies 'gone'",
        ),
        ({"environment/Dockerfile": "FROM a\nCOPY *.v .\n"}, r"field COPY: has '\*\.v'; write plain paths"),
        ({"environment/Dockerfile": "FROM a\nCOPY --from=b x .\n"}, "has the option '--from=b'"),
        ({"environment/Dockerfile": "FROM a\nWORKDIR /work\nCOPY core/ ../etc/\n"}, "gives no workspace"),
        ({"environment/core/.vscode/tasks.json": "{}"}, "editors or their assistants may run"),
    ],
)
def test_a_form_that_the_importer_does_not_know_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, str | bytes | None], reason: str
) -> None:
    with pytest.raises(DatasetError, match=reason):
        import_harbor([write_task(tmp_path / "task", changes)], "p")


@pytest.mark.parametrize("value", ['"x"', '""', "-1", "1.5", "true", "[]", "{}", "[1]", "nan", "1979-05-27"])
def test_every_value_of_every_key_is_read_without_loss_or_refused(tmp_path: Path, value: str) -> None:
    folder = write_task(tmp_path / "task")
    lines = TASK.split("\n")
    keys = {number: line.partition(" = ")[0] for number, line in enumerate(lines) if " = " in line}
    assert len(keys) > 15
    for number, key in keys.items():
        changed = "\n".join([*lines[:number], f"{key} = {value}", *lines[number + 1 :]])
        (folder / "task.toml").write_text(changed)
        try:
            (problem,) = import_harbor([folder], "p").problems
        except DatasetError as error:
            assert error.reason
        else:
            assert export_harbor(problem) == {**FILES, "task.toml": changed}


def test_an_empty_compose_file_is_nothing_more(tmp_path: Path) -> None:
    imported(write_task(tmp_path / "task", {"environment/docker-compose.yaml": "# none\nservices: {}\n"}))


def test_a_link_in_a_task_is_not_followed(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "task")
    (folder / "tests/answer.txt").unlink()
    (folder / "tests/answer.txt").symlink_to("/etc/hostname")
    with pytest.raises(DatasetError, match="is a link"):
        import_harbor([folder], "p")
