"""HWE-Bench's JSON Lines: bug fixes of published cores, each a repository at a commit.

Format: https://github.com/pku-liang/hwe-bench. A record's `tb_script` runs in an image of its own, which has the
repository below `/home`; or a script that the user has written runs its tests with our toolchain,
`ORG_m_REPO-NUMBER.sh` in the folder of `--verifiers`. Both print lines `TEST: NAME ... PASS|FAIL|SKIP` between
HWE_BENCH_RESULTS_START and HWE_BENCH_RESULTS_END.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import ConfigDict, JsonValue, ValidationError

from benchwright_problems.category import Category
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat, FileOption
from benchwright_problems.datasets.folder import read_text
from benchwright_problems.datasets.image_harness import FOLDER, image_harness
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_records
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import (
    Record,
    RecordLocation,
    RecordModel,
    restored_record,
    with_record_patch,
)
from benchwright_problems.datasets.repositories import REPOSITORIES, RepositoryFolder
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
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.repository.named_tests import VERIFIER, NamedTests
from benchwright_problems.repository.tree import TreeError

SOURCE = "https://github.com/pku-liang/hwe-bench"
LICENSE = "Apache-2.0"
HWE_BENCH = "hwe-bench"
_LIMITS = RunLimits(wall_s=3600, folder_mb=2048, file_mb=512)
_HOMES = {"OpenXiangShan/XiangShan": "xiangshan"}
"""Repositories whose folder in the image is called otherwise."""
_RUN = f"bash /{FOLDER}/tb_script.sh\n"


class _StrictRecord(RecordModel):
    model_config = ConfigDict(strict=True)


class _BaseCommit(_StrictRecord):
    label: str = ""
    ref: str = ""
    sha: str


class _HweRecord(_StrictRecord):
    org: str
    repo: str
    number: int
    state: str = ""
    title: str = ""
    body: str | None = None
    base: _BaseCommit
    resolved_issues: list[dict[str, JsonValue]] = []
    fix_patch: str
    test_patch: str = ""
    prepare_script: str = ""
    tb_script: str = ""
    problem_statement: str
    lang: str = ""
    tag: str = ""
    number_interval: str = ""

    @property
    def name(self) -> str:
        return f"{self.org}_m_{self.repo}-{self.number}"

    @property
    def image_name(self) -> str:
        return f"hwebench/{self.org}_m_{self.repo}:pr-{self.number}".lower()

    @property
    def home(self) -> str:
        """The repository's folder in the image."""
        return f"/home/{_HOMES.get(f'{self.org}/{self.repo}', self.repo)}"


def import_hwebench(
    dataset_files: Sequence[Path],
    pack_name: str,
    invalid: InvalidRecords | None = None,
    repositories: Path | None = None,
    verifiers: Path | None = None,
) -> Pack:
    """Import data files as one pack.

    Args:
        dataset_files: JSON Lines.
        pack_name: Name of the new pack.
        invalid: Collects records that can't be read; without it, the data set is refused.
        repositories: The folder of the repositories that the records name.
        verifiers: The folder of the scripts that run their tests with our toolchain.

    Raises:
        DatasetError: Names file, line and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    folder = RepositoryFolder(repositories)
    problems: dict[str, Problem] = {}
    for file in dataset_files:
        for line, record in read_records(file, invalid):
            with invalid.collecting_record_error():
                location = RecordLocation(file, "", line)
                problem = _problem_of_record(location, record, folder, verifiers, invalid)
                if problem.id.lower() in problems:
                    raise location.error("number", f"{problem.id!r} is another problem, too")
                problems[problem.id.lower()] = problem
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_files[0], "", "holds no problem")
    return Pack(
        name=pack_name,
        title="HWE-Bench",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Bug fixes of published cores",
        problems=tuple(problems.values()),
    )


def export_hwebench(problem: Problem) -> dict[str, JsonValue]:
    """The record a problem was imported from, as an equal JSON value.

    Raises:
        ValueError: The problem does not come from HWE-Bench.
    """
    if problem.hidden.dataset_format != HWE_BENCH:
        raise ValueError(f"{problem.id} does not come from HWE-Bench and has no record of it")
    return restored_record(problem, _record_without_patch(problem))


def _problem_of_record(
    location: RecordLocation,
    record_json: Record,
    repository_folder: RepositoryFolder,
    verifiers_folder: Path | None,
    invalid: InvalidRecords,
) -> Problem:
    try:
        parsed = _HweRecord.model_validate(record_json)
    except ValidationError as error:
        raise DatasetError.from_validation(location.file, error, location.line) from error
    invalid.require_known_fields(location, parsed)
    if not re.fullmatch(r"[\w.-]+", parsed.name):
        raise location.error("repo", f"can't name a repository: {parsed.name!r}")
    try:
        tree = repository_folder.trees.add(repository_folder.files(parsed.repo, parsed.base.sha))
        changed_content_by_path(tree, parsed.fix_patch)
    except TreeError as error:
        raise location.error("repo", str(error)) from error
    except PatchError as error:
        raise location.error("fix_patch", str(error)) from error
    if verifiers_folder is not None and (verifiers_folder / f"{parsed.name}.sh").is_file():
        harness = {VERIFIER: read_text(verifiers_folder, f"{parsed.name}.sh")}
    elif parsed.tb_script.strip():
        files = {f"{FOLDER}/tb_script.sh": parsed.tb_script}
        harness = image_harness(parsed.image_name, parsed.home, tree.digest_by_path, _RUN, files)
    else:
        raise location.error(
            "tb_script", f"is empty; write {parsed.name}.sh into the folder of --verifiers, which runs the tests"
        )
    problem = Problem(
        id=re.sub(r"[^A-Za-z0-9._-]", "-", parsed.name.replace("_m_", "-")),
        kind=ProblemKind.DESIGN,
        # That of the change may tell the fix.
        title=f"{parsed.repo} {parsed.number}",
        category=Category.BUG_FIX,
        difficulty=Difficulty.HARD,
        limits=_LIMITS,
        provenance=Provenance(source=SOURCE, license=LICENSE, version="unknown"),
        public=Public(statement=parsed.problem_statement, expected=(CHANGES,), tree=tree),
        hidden=Hidden(
            harness=harness,
            reference={CHANGES: parsed.fix_patch},
            tests=NamedTests(printed=True),
            dataset_format=HWE_BENCH,
        ),
    )
    return with_record_patch(problem, _record_without_patch(problem), record_json, location)


def _record_without_patch(problem: Problem) -> Record:
    return {
        "fix_patch": problem.hidden.reference.get(CHANGES, ""),
        "problem_statement": problem.public.statement,
    }


def _is_hwebench(excerpt: DatasetExcerpt) -> bool:
    return {"fix_patch", "tb_script", "problem_statement"} <= excerpt.fields


FORMAT = DatasetFormat(
    name=HWE_BENCH,
    source=SOURCE,
    reads="JSON Lines; with --repositories, and images in Docker or --verifiers of your own",
    importer=import_hwebench,
    export=export_hwebench,
    recognise=_is_hwebench,
    file_options=(
        REPOSITORIES,
        FileOption("verifiers", "Folder of scripts that run a record's tests: ORG_m_REPO-NUMBER.sh."),
    ),
    runs_images=True,
)
