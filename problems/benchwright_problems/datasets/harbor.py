"""Task folders of Harbor, as problems: https://github.com/laude-institute/harbor.

    task.toml                     limits, the name of an image
    instruction.md                the statement
    environment/Dockerfile        WORKDIR names the workspace, COPY its files
    tests/test.sh                 writes a reward to /logs/verifier; hidden, like all beside it
    solution/solve.sh             hidden; the files below solution/files are the reference

The tests run as root in the image that `docker_image` names, or that was built of the Dockerfile as `harbor/ID`.
"""

from __future__ import annotations

import base64
import posixpath
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue, ValidationError

from benchwright_foundation.home import Home
from benchwright_problems.category import Category
from benchwright_problems.criterion import CriterionTable
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.dockerfile import DockerfileCopy, copies_and_workspace
from benchwright_problems.datasets.folder import files_below, read_bytes
from benchwright_problems.datasets.image_harness import image_harness
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import (
    Record,
    RecordLocation,
    RecordModel,
    restored_record,
    with_record_patch,
)
from benchwright_problems.errors import DatasetError, PatchError
from benchwright_problems.problem import (
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    RunLimits,
)
from benchwright_problems.repository.changes import CHANGES, diff_of_files
from benchwright_problems.repository.tree import Tree, TreeError, TreeStore

SOURCE = "https://github.com/laude-institute/harbor"
HARBOR = "harbor"
WORKSPACE, WORKSPACE_FOLDER = "/code", "workspace"
"""The workspace of tasks that were exported, and its files below `environment/`."""
SOLUTION_FILES = "files"
"""The folder of `solution/` with the files of the reference, each with its path in the workspace."""
EXPECTED, EDITABLE = "benchwright_expected", "benchwright_editable"
"""Keys of `[metadata]`: the files that a solver writes, or those of a repository that may be changed."""
_TASK, _INSTRUCTION, _DOCKERFILE, _TEST = "task.toml", "instruction.md", "environment/Dockerfile", "tests/test.sh"
_COMPOSE = re.compile(r"^environment/(?:docker-)?compose\.ya?ml$")
_NO_SERVICES = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:services:\s*(?:\{\s*\})?\s*)?")
_BESIDE = re.compile(r"^(?:README|LICENSE|NOTICE|CHANGELOG)[^/]*$|^\.git(?:ignore|attributes)$|^\.harborignore$")
_FOLDERS = ("environment/", "tests/", "solution/")
_HEADER = re.compile(r"^\s*\[+\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"""^\s*["']?([^\s"'=]+)["']?\s*=""")
_REWARD = "reward"
_PASSES = (r"^\s*\+?1(?:\.0*)?\s*$", r'"reward"\s*:\s*1(?:\.0*)?\s*[,}]')
_RUN = """\
mkdir -p /logs/verifier /logs/agent /logs/artifacts
chmod +x /tests/test.sh
/tests/test.sh
cd /code/rundir || exit 1
rm -rf reward
if [ -f /logs/verifier/reward.json ]; then tr -d '\\n' < /logs/verifier/reward.json > reward
elif [ -f /logs/verifier/reward.txt ]; then cat /logs/verifier/reward.txt > reward; fi
"""
_FOLDER_MB, _FILE_MB = 2048, 512


# As `RunLimits` has them.
_Megabytes = Annotated[int, Field(gt=0, le=1 << 20)]


class _StrictTable(RecordModel):
    model_config = ConfigDict(strict=True)


class _Package(_StrictTable):
    name: str
    version: str = ""
    description: str = ""
    authors: list[dict[str, JsonValue]] = []
    keywords: list[str] = []


class _Environment(_StrictTable):
    docker_image: str | None = None
    build_timeout_sec: float = 600
    cpus: float | None = None
    memory_mb: _Megabytes | None = None
    storage_mb: _Megabytes | None = None
    gpus: int = 0
    allow_internet: bool = True
    workdir: str | None = None
    env: dict[str, str] = {}


class _Agent(_StrictTable):
    timeout_sec: float | None = None


class _Verifier(_StrictTable):
    timeout_sec: Annotated[float, Field(gt=0, le=86_400)] = 600
    env: dict[str, str] = {}
    user: str | int | None = None


class _Solution(_StrictTable):
    env: dict[str, str] = {}


class _TaskTable(_StrictTable):
    schema_version: str = ""
    version: str = ""
    task: _Package | None = None
    metadata: dict[str, JsonValue] = {}
    environment: _Environment = _Environment()
    agent: _Agent = _Agent()
    verifier: _Verifier = _Verifier()
    solution: _Solution = _Solution()
    source: str | None = None


def workspace_note(expected_paths: Sequence[str], editable_folders: Sequence[str]) -> str:
    """The end of an exported instruction: where an agent works, and what counts."""
    if expected_paths:
        return f"The files are in {WORKSPACE}. Write or change {', '.join(expected_paths)}; nothing else counts.\n"
    limit = f" What may be changed is {', '.join(editable_folders)}; nothing else counts." if editable_folders else ""
    return f"The repository is in {WORKSPACE}.{limit}\n"


def import_harbor(dataset_folders: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import task folders, or folders of them, as one pack.

    Args:
        dataset_folders: Each has a `task.toml`, or folders that have one.
        pack_name: Name of the new pack.
        invalid: Collects tasks that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names file, line and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    trees = TreeStore.from_home(Home.from_environment())
    problems: dict[str, Problem] = {}
    for dataset_folder in dataset_folders:
        for task_folder, paths in _task_folders_with_files(dataset_folder):
            with invalid.collecting_record_error():
                problem = _TaskFolder.read(task_folder, paths, invalid).problem(trees)
                if problem.id.lower() in problems:
                    raise DatasetError(task_folder / _TASK, "task.name", f"{problem.id!r} is another problem, too")
                problems[problem.id.lower()] = problem
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_folders[0], "", f"holds no folder with a {_TASK}")
    return Pack(
        name=pack_name,
        title="Tasks of Harbor",
        version="unknown",
        license=", ".join(sorted({problem.provenance.license for problem in problems.values()})),
        source=SOURCE,
        description="Tasks whose tests write a reward",
        problems=tuple(problems.values()),
    )


def export_harbor(problem: Problem) -> Record:
    """The contents of the files that a problem was imported from, by path.

    Raises:
        ValueError: The problem was no task folder.
    """
    if problem.hidden.dataset_format != HARBOR:
        raise ValueError(f"{problem.id} was not imported as a task folder of Harbor")
    return restored_record(problem, _plain_record(problem))


def _task_folders_with_files(dataset_folder: Path) -> list[tuple[Path, list[str]]]:
    paths = files_below(dataset_folder, dotted=True)
    roots = sorted(path.removesuffix(_TASK) for path in paths if path == _TASK or path.endswith(f"/{_TASK}"))
    # A task may have another one among its files.
    tops = [
        root for root in roots if not any(root != outer_root and root.startswith(outer_root) for outer_root in roots)
    ]
    return [
        (dataset_folder / root, [path.removeprefix(root) for path in paths if path.startswith(root)]) for root in tops
    ]


@dataclass(frozen=True)
class _TaskFolder:
    """One task, read and checked as far as its files go."""

    folder: Path
    task_table: _TaskTable
    contents: Mapping[str, bytes]

    @classmethod
    def read(cls, folder: Path, paths: Sequence[str], invalid: InvalidRecords) -> _TaskFolder:
        for required in (_INSTRUCTION, _TEST):
            if required not in paths:
                raise DatasetError(folder / required, "", "is missing")
        for path in paths:
            if not (path in (_TASK, _INSTRUCTION) or path.startswith(_FOLDERS) or _BESIDE.match(path)):
                raise DatasetError(
                    folder / path, "", "is no part of a task that the importer knows: tasks of one step can be imported"
                )
        contents = {path: read_bytes(folder, path) for path in paths}
        task_table = _task_table(folder / _TASK, contents[_TASK], invalid)
        if "environment/.dockerignore" in contents:
            raise DatasetError(folder / "environment/.dockerignore", "", "is not followed; remove what it leaves out")
        for path in filter(_COMPOSE.match, paths):
            if not _NO_SERVICES.fullmatch(contents[path].decode("utf-8", "replace")):
                raise DatasetError(folder / path, "", "adds services, and tests run in one image alone")
        return cls(folder, task_table, contents)

    def problem(self, tree_store: TreeStore) -> Problem:
        task_table, metadata = self.task_table, self.task_table.metadata
        task_package = task_table.task
        problem_id = re.sub(
            r"[^A-Za-z0-9._-]", "-", (task_package.name if task_package else self.folder.name).rpartition("/")[2]
        )
        workspace, files = self._workspace_and_files()
        expected, editable = (self._metadata_paths(name) for name in (EXPECTED, EDITABLE))
        solution = self._files_below(f"solution/{SOLUTION_FILES}/")
        note = workspace_note(expected, editable)
        statement = self._text(_INSTRUCTION)
        if EXPECTED in metadata or EDITABLE in metadata:
            statement = statement.removesuffix(note).rstrip() + "\n"
        test_texts = {path: self._text(path) for path in self.contents if path.startswith("tests/")}
        image = task_table.environment.docker_image or f"harbor/{problem_id.lower()}"
        environment = task_table.environment.env | task_table.verifier.env
        limits = RunLimits(
            wall_s=task_table.verifier.timeout_sec,
            memory_mb=task_table.environment.memory_mb or RunLimits().memory_mb,
            folder_mb=task_table.environment.storage_mb or _FOLDER_MB,
            file_mb=_FILE_MB,
        )
        keywords = set(task_package.keywords if task_package else ())
        difficulty, license_name = metadata.get("difficulty"), metadata.get("license")
        try:
            public, reference = self._public_part_and_reference(
                tree_store, statement, files, expected, editable, solution
            )
            problem = Problem(
                id=problem_id,
                kind=ProblemKind.DESIGN,
                title=(task_package.description if task_package else "") or problem_id,
                category=next((category for category in Category if category.value in keywords), None),
                difficulty=next((level for level in Difficulty if level.value == difficulty), Difficulty.MEDIUM),
                limits=limits,
                provenance=Provenance(
                    source=SOURCE,
                    license=license_name if isinstance(license_name, str) else "unknown",
                    version=(task_package.version if task_package else "") or "unknown",
                ),
                public=public,
                hidden=Hidden(
                    harness=image_harness(image, workspace, sorted(files), _RUN, test_texts, environment),
                    reference=reference,
                    criterion=CriterionTable.model_validate({"file": _REWARD, "pass": _PASSES, "exit": "any"}),
                    dataset_format=HARBOR,
                ),
            )
        except ValidationError as error:
            raise DatasetError.from_validation(self.folder, error) from error
        return with_record_patch(
            problem, _plain_record(problem), self._record(), RecordLocation(self.folder / _TASK, "", None)
        )

    def _public_part_and_reference(
        self,
        tree_store: TreeStore,
        statement: str,
        files: Mapping[str, bytes],
        expected: Sequence[str],
        editable: Sequence[str],
        solution: Mapping[str, bytes],
    ) -> tuple[Public, dict[str, str]]:
        """A design with files to write, if the task says which; any other task is a repository."""
        if expected:
            texts = {path: self._decoded(path, content) for path, content in files.items()}
            reference = {path: self._decoded(path, content) for path, content in solution.items()}
            return Public(statement=statement, files=texts, expected=tuple(expected)), reference
        tree: Tree
        try:
            tree = tree_store.add(files)
            patch = diff_of_files({path: files.get(path) for path in solution}, solution)
        except TreeError as error:
            raise DatasetError(self.folder / _DOCKERFILE, "COPY", f"gives no workspace: {error}") from error
        except PatchError as error:
            raise DatasetError(self.folder / "solution", "", str(error)) from error
        public = Public(statement=statement, expected=(CHANGES,), tree=tree, editable=tuple(editable))
        return public, {CHANGES: patch} if patch else {}

    def _workspace_and_files(self) -> tuple[str, dict[str, bytes]]:
        """The workspace's folder in the image, and the files that COPY puts there."""
        if _DOCKERFILE not in self.contents:
            raise DatasetError(
                self.folder / _DOCKERFILE,
                "",
                "is missing, so the files that a solver begins with are in the image alone; write one that begins with "
                "FROM the image, and with WORKDIR and COPY",
            )
        copies, workspace = copies_and_workspace(self.folder / _DOCKERFILE, self._text(_DOCKERFILE))
        workspace = self.task_table.environment.workdir or workspace
        if not workspace.startswith("/") or workspace == "/":
            raise DatasetError(self.folder / _DOCKERFILE, "WORKDIR", "must name the workspace, such as /code")
        files: dict[str, bytes] = {}
        for copy in copies:
            for target, content in self._copied_files(copy):
                if target.startswith(f"{workspace}/"):
                    files[target.removeprefix(f"{workspace}/")] = content
        return workspace, files

    def _copied_files(self, copy: DockerfileCopy) -> list[tuple[str, bytes]]:
        copied: list[tuple[str, bytes]] = []
        for source in copy.sources:
            path = posixpath.normpath(source.lstrip("/") or ".")
            prefix = "environment/" if path == "." else f"environment/{path}/"
            below = self._files_below(prefix)
            if below:
                copied += [(posixpath.join(copy.target, inside), content) for inside, content in below.items()]
            elif f"environment/{path}" in self.contents:
                is_folder = copy.names_folder or len(copy.sources) > 1
                target = posixpath.join(copy.target, PurePosixPath(path).name) if is_folder else copy.target
                copied.append((target, self.contents[f"environment/{path}"]))
            else:
                raise DatasetError(
                    self.folder / _DOCKERFILE, "COPY", f"copies {source!r}, which environment/ has not", copy.line
                )
        return copied

    def _files_below(self, prefix: str) -> dict[str, bytes]:
        return {
            path.removeprefix(prefix): content for path, content in self.contents.items() if path.startswith(prefix)
        }

    def _metadata_paths(self, name: str) -> list[str]:
        value = self.task_table.metadata.get(name, [])
        if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
            raise DatasetError(self.folder / _TASK, f"metadata.{name}", "must be a list of paths")
        return [str(path) for path in value]

    def _text(self, path: str) -> str:
        return self._decoded(path, self.contents[path])

    def _decoded(self, path: str, content: bytes) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise DatasetError(self.folder / path, "", f"byte {error.start + 1} is not UTF-8") from error

    def _record(self) -> Record:
        record: Record = {}
        for path, content in self.contents.items():
            try:
                record[path] = content.decode()
            except UnicodeDecodeError:
                record[path] = {"base64": base64.b64encode(content).decode()}
        return record


def _task_table(file: Path, content: bytes, invalid: InvalidRecords) -> _TaskTable:
    try:
        text = content.decode()
        task_table = _TaskTable.model_validate(tomllib.loads(text))
    except UnicodeDecodeError as error:
        raise DatasetError(file, "", f"byte {error.start + 1} is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise DatasetError(file, "", f"is not TOML: {error}") from error
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        raise DatasetError.from_validation(file, error, _line_of_field(text, field)) from error
    unknown_field = next(task_table.unknown_fields(), "")
    invalid.require_known_fields(RecordLocation(file, "", _line_of_field(text, unknown_field)), task_table)
    if task_table.environment.gpus:
        raise _field_error(file, text, "environment.gpus", "asks for a GPU, which no sandbox has")
    if task_table.verifier.user not in (None, "root", 0):
        raise _field_error(file, text, "verifier.user", "must be root: tests run as the image's root")
    for name, variables in (("environment.env", task_table.environment.env), ("verifier.env", task_table.verifier.env)):
        for variable, value in variables.items():
            if "${" in value:
                raise _field_error(
                    file, text, f"{name}.{variable}", "takes a variable of the machine; write its value, or remove it"
                )
    return task_table


def _field_error(file: Path, toml_text: str, field: str, reason: str) -> DatasetError:
    return DatasetError(file, field, reason, _line_of_field(toml_text, field))


def _line_of_field(toml_text: str, field: str) -> int | None:
    """The line of a field, or of what it is in; None if the text names neither."""
    best_name, best_line, header_name = "", None, ""
    for number, line in enumerate(toml_text.split("\n"), 1):
        if header := _HEADER.match(line):
            name = header_name = header[1]
        elif key := _KEY.match(line):
            name = f"{header_name}.{key[1]}".lstrip(".")
        else:
            continue
        if f"{field}.".startswith(f"{name}.") and len(name) > len(best_name):
            best_name, best_line = name, number
    return best_line


def _plain_record(problem: Problem) -> Record:
    test_texts = {path: text for path, text in problem.hidden.harness.items() if path.startswith("tests/")}
    return {_INSTRUCTION: problem.public.statement, **test_texts}


def _is_harbor(excerpt: DatasetExcerpt) -> bool:
    return any(path == _TASK or path.endswith(f"/{_TASK}") for path in excerpt.files)


FORMAT = DatasetFormat(
    name=HARBOR,
    source=SOURCE,
    reads="folders of one task or of many",
    importer=import_harbor,
    export=export_harbor,
    recognise=_is_harbor,
    runs_images=True,
)
