"""RTLLM: a folder per design, with a description, a testbench and a verified design.

Format: https://github.com/hkust-zhiyao/RTLLM. `Area/Kind/name/` holds `design_description.txt`, `testbench.v`,
`verified_*.v` and, where the testbench reads them, data files. The module to write is the one that the testbench
instantiates; the verified design's has a prefix, and in places another name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue, ValidationError

from benchwright_problems.category import Category
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.folder import files_below, read_text
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import RecordLocation, restored_record, with_record_patch
from benchwright_problems.errors import DatasetError
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
from benchwright_problems.verilog import VerilogModule, modules, rename_identifier

SOURCE = "https://github.com/hkust-zhiyao/RTLLM"
LICENSE = "MIT"
# The month of arXiv:2308.05345, which version 1 came with; version 2 (11 October 2024) keeps its designs.
_PUBLISHED = "2023-08"
FOLDER = "rtllm-folder"

_DESCRIPTION = "design_description.txt"
_TESTBENCH = "testbench.v"
_VERIFIED = re.compile(r"^verified_.*\.s?v$")
_PREFIX = "verified_"
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_SAYS_PASSED = re.compile(r'"[^"\n]*\bpass(?:ed)?\b[^"\n]*"', re.IGNORECASE)
_NO_DATA = re.compile(r"^(?:makefile|.*\.(?:s?v|md))$", re.IGNORECASE)
# Many of the testbenches wait forever for a design that never answers.
_LIMITS = RunLimits(wall_s=120)


def import_rtllm(dataset_folders: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import folders, of one design or of many, as one pack.

    Args:
        dataset_folders: The folders.
        pack_name: Name of the new pack.
        invalid: Collects designs that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names the file and what is wrong with it.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    problems: dict[str, Problem] = {}
    invalid = invalid or InvalidRecords()
    for path in dataset_folders:
        for parent, names in _design_folders_with_files(path):
            with invalid.collecting_record_error():
                problem = _problem_of_design_folder(path, parent, names)
                if problem.id.lower() in problems:
                    raise DatasetError(path / parent, "", f"a design called {problem.id!r} was already there")
                problems[problem.id.lower()] = problem
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_folders[0], "", f"holds no folder with {_DESCRIPTION} and {_TESTBENCH}")
    return Pack(
        name=pack_name,
        title="RTLLM",
        version="2",
        license=LICENSE,
        source=SOURCE,
        description="Designs described in words, each with a testbench",
        published=_PUBLISHED,
        problems=tuple(problems.values()),
    )


def export_rtllm(problem: Problem) -> dict[str, JsonValue]:
    """The contents of the files that a problem was imported from, by path.

    Raises:
        ValueError: The problem does not come from RTLLM.
    """
    if problem.hidden.dataset_format != FOLDER:
        raise ValueError(f"{problem.id} does not come from RTLLM")
    return restored_record(problem, _source_without_patch(problem))


def _design_folders_with_files(dataset_folder: Path) -> list[tuple[str, list[str]]]:
    """Folders with a testbench or a description, and the names of the files in each."""
    folders: dict[str, list[str]] = {}
    for path in files_below(dataset_folder):
        parent, _, name = path.rpartition("/")
        folders.setdefault(parent, []).append(name)
    return [(parent, names) for parent, names in sorted(folders.items()) if {_DESCRIPTION, _TESTBENCH} & set(names)]


def _problem_of_design_folder(dataset_root: Path, relative_design_folder: str, file_names: Sequence[str]) -> Problem:
    folder = dataset_root / relative_design_folder
    verified = [name for name in file_names if _VERIFIED.match(name)]
    if own_verified := {f"{_PREFIX}{folder.absolute().name}.v"} & set(verified):
        verified = [*own_verified]
    for required_file in (_DESCRIPTION, _TESTBENCH):
        if required_file not in file_names:
            raise DatasetError(folder / required_file, "", "is missing")
    if len(verified) != 1:
        count_text = f"has {len(verified)}: {', '.join(verified)}" if verified else "has none"
        raise DatasetError(folder, "", f"must have one verified_*.v, and {count_text}")
    texts = {name: read_text(folder, name) for name in file_names}
    testbench = modules(texts[_TESTBENCH])
    if not _SAYS_PASSED.search(texts[_TESTBENCH]):
        raise DatasetError(folder / _TESTBENCH, "", "prints nothing that says passed")
    module, top_module = _instantiated_and_instantiating_module(folder, testbench)
    reference = _renamed_reference(folder / verified[0], texts[verified[0]], module)
    data_files = [name for name in file_names if name != _DESCRIPTION and not _NO_DATA.match(name)]
    file = f"rtl/{module}.v"
    described = {
        "criterion": "rtllm",
        "top": top_module,
        "design": [file],
        "testbench": [_TESTBENCH],
        "data": data_files,
        "private": sorted(
            {verilog_module.name for verilog_module in testbench}
            | {name for verilog_module in testbench for _, name in verilog_module.instances}
        ),
        "timescale": "1ns/1ns",
    }
    harness = {"testbench.json": json.dumps(described, indent=2) + "\n"}
    harness |= {name: texts[name] for name in (_TESTBENCH, *data_files)}
    name = folder.absolute().name
    record: dict[str, JsonValue] = {
        f"{relative_design_folder}/{file_name}" if relative_design_folder else file_name: text
        for file_name, text in texts.items()
    }
    try:
        problem = Problem(
            id=name,
            kind=ProblemKind.DESIGN,
            title=name.replace("_", " "),
            category=Category.SPEC_TO_RTL,
            difficulty=Difficulty.MEDIUM,
            limits=_LIMITS,
            provenance=Provenance(source=SOURCE, license=LICENSE, version="2"),
            public=Public(statement=texts[_DESCRIPTION], expected=(file,)),
            hidden=Hidden(harness=harness, reference={file: reference}, dataset_format=FOLDER),
        )
    except ValidationError as error:
        raise DatasetError.from_validation(folder, error) from error
    return with_record_patch(problem, _source_without_patch(problem), record, RecordLocation(folder, "", None))


def _instantiated_and_instantiating_module(
    design_folder: Path, testbench_modules: Sequence[VerilogModule]
) -> tuple[str, str]:
    """The module that a testbench instantiates and does not declare, and the module that does so."""
    own_modules = {module.name for module in testbench_modules}
    instances = {
        (kind, module.name) for module in testbench_modules for kind, _ in module.instances if kind not in own_modules
    }
    if len(instances) > 1 and (
        matching_instances := {pair for pair in instances if pair[0] == design_folder.absolute().name}
    ):
        instances = matching_instances
    if len(instances) != 1:
        module_list = ", ".join(sorted(kind for kind, _ in instances)) or "none"
        raise DatasetError(
            design_folder / _TESTBENCH, "", f"must have an instance of one module to write, and has {module_list}"
        )
    ((kind, top_module),) = instances
    if not _NAME.match(kind):
        raise DatasetError(design_folder / _TESTBENCH, "", f"instantiates {kind!r}, which can't name a file")
    return kind, top_module


def _renamed_reference(reference_file: Path, reference_text: str, wanted_module: str) -> str:
    """The verified design, its module called as the testbench wants it."""
    declared_modules = modules(reference_text)
    names = {declaration.name for declaration in declared_modules}
    if wanted_module in names:
        return reference_text
    used_names = {kind for declaration in declared_modules for kind, _ in declaration.instances}
    tops = [name for name in names - used_names if name.startswith(_PREFIX)] or sorted(names - used_names)
    verified = (
        f"{_PREFIX}{wanted_module}" if f"{_PREFIX}{wanted_module}" in names else tops[0] if len(tops) == 1 else None
    )
    if verified is None:
        raise DatasetError(
            reference_file, "", f"declares no module that could be {wanted_module!r}: {', '.join(sorted(names))}"
        )
    return rename_identifier(reference_text, verified, wanted_module)


def _source_without_patch(problem: Problem) -> dict[str, JsonValue]:
    """The source as far as the model holds it in the same words."""
    return {_DESCRIPTION: problem.public.statement, **_harness_without_testbench_json(problem.hidden.harness)}


def _harness_without_testbench_json(harness: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in harness.items() if name != "testbench.json"}


def _is_rtllm(excerpt: DatasetExcerpt) -> bool:
    return any(path.rpartition("/")[2] == _DESCRIPTION for path in excerpt.files)


FORMAT = DatasetFormat(
    name="rtllm",
    source=SOURCE,
    reads="folders, of one design or of many",
    importer=import_rtllm,
    export=export_rtllm,
    recognise=_is_rtllm,
)
