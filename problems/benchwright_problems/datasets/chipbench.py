"""ChipBench: modules of CPUs and chips to write, and modules with a bug to fix, in VerilogEval's files.

Format: https://github.com/zhongkaiyu/ChipBench. Folders `Verilog Gen/dataset_*` and `Verilog Debugging/dataset_*` have
the files of VerilogEval's version 2. Three things are only in ChipBench: code of a prompt that the solver starts with
(the module with the bug), modules of a prompt that the reference needs and does not declare, and macros of the
testbench that the reference uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from benchwright_problems.category import Category
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.verilogeval import (
    LICENSE,
    ProblemSource,
    export_verilogeval,
    problem_of_source,
    problem_sources_in_folder,
)
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.verilog import VerilogModule, modules

SOURCE = "https://github.com/zhongkaiyu/ChipBench"
# The month of arXiv:2601.21448.
_PUBLISHED = "2026-01"

_FOLDER = re.compile(r"(?:^|/)Verilog (?:Gen|Debugging)/dataset_([\w-]+)/")
_CODE_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MACRO_DEFINITION = re.compile(r"^[ \t]*`define[ \t]+(\w+)(?:\\\n|[^\n])*", re.MULTILINE)
_MACRO_USE = re.compile(r"`(\w+)")


def import_chipbench(dataset_folders: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import folders as one pack. A problem that several data sets have is called `DATASET.PROBLEM`.

    Args:
        dataset_folders: The folders.
        pack_name: Name of the new pack.
        invalid: Collects problems that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names the file and what is wrong with it.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    problem_sources: list[ProblemSource] = []
    for path in dataset_folders:
        for problem_source in problem_sources_in_folder(path, invalid):
            with invalid.collecting_record_error():
                problem_sources.append(
                    _with_prompt_modules_and_testbench_macros(
                        replace(problem_source, task=_dataset_name(problem_source.location))
                    )
                )
    counts = Counter(problem_source.name.lower() for problem_source in problem_sources)
    problems: dict[str, Problem] = {}
    for problem_source in problem_sources:
        is_ambiguous = counts[problem_source.name.lower()] > 1
        name = f"{problem_source.task}.{problem_source.name}" if is_ambiguous else problem_source.name
        with invalid.collecting_record_error():
            if name.lower() in problems:
                raise DatasetError(problem_source.location, "", f"a problem called {name!r} was already there")
            problems[name.lower()] = problem_of_source(problem_source, name, SOURCE)
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_folders[0], "", "holds no problem of ChipBench")
    return Pack(
        name=pack_name,
        title="ChipBench",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Modules of chips to write, and modules with a bug to fix",
        published=_PUBLISHED,
        problems=tuple(problems.values()),
    )


def export_chipbench(problem: Problem) -> dict[str, JsonValue]:
    """Return the contents of the files that a problem was imported from, by name.

    Raises:
        ValueError: The problem does not come from ChipBench.
    """
    if problem.provenance.source != SOURCE:
        raise ValueError(f"{problem.id} does not come from ChipBench")
    return export_verilogeval(problem)


def _dataset_name(dataset_file: Path) -> str:
    """`debug_zero_shot_timing` for a file in `dataset_debug_zero_shot_timing/`."""
    return dataset_file.parent.name.removeprefix("dataset_")


def _with_prompt_modules_and_testbench_macros(problem_source: ProblemSource) -> ProblemSource:
    """The source with what it needs of its prompt's code and its testbench's macros."""
    prompt_code_blocks = [*_CODE_BLOCK.findall(problem_source.statement)]
    declared_modules = {declared_module.name: text for text in prompt_code_blocks for declared_module in modules(text)}
    starting_text = declared_modules.get(problem_source.top_module, "")
    needed_texts = list(
        dict.fromkeys(declared_modules[name] for name in _missing_module_names(problem_source, declared_modules))
    )
    macros = "".join(f"{definition}\n" for definition in _needed_macro_definitions(problem_source))
    harness = dict(problem_source.harness)
    if needed_texts:
        harness["prompt_modules.sv"] = "\n".join(needed_texts)
    return replace(
        problem_source,
        category=Category.BUG_FIX if starting_text else problem_source.category,
        starting_text=starting_text or "\n".join(needed_texts),
        reference="\n".join([*([macros] if macros else []), problem_source.reference, *needed_texts]),
        harness=harness,
    )


def _missing_module_names(problem_source: ProblemSource, text_by_module: dict[str, str]) -> Iterator[str]:
    """The modules of the prompt that the reference instantiates and does not declare."""
    reference_modules: tuple[VerilogModule, ...] = modules(problem_source.reference)
    names = {declared_module.name for declared_module in reference_modules}
    for declared_module in reference_modules:
        yield from (kind for kind, _ in declared_module.instances if kind not in names and kind in text_by_module)


def _needed_macro_definitions(problem_source: ProblemSource) -> Iterator[str]:
    """The definitions of the testbench's macros that the reference uses and does not define."""
    own_macros = {match[1] for match in _MACRO_DEFINITION.finditer(problem_source.reference)}
    used_macros = set(_MACRO_USE.findall(problem_source.reference)) - own_macros
    for match in _MACRO_DEFINITION.finditer(problem_source.harness["test.sv"]):
        if match[1] in used_macros:
            yield match[0].strip()


def _is_chipbench(excerpt: DatasetExcerpt) -> bool:
    return any(_FOLDER.search(path) for path in excerpt.files)


FORMAT = DatasetFormat(
    name="chipbench",
    source=SOURCE,
    reads="folders of the data sets for writing and for debugging Verilog",
    importer=import_chipbench,
    export=export_chipbench,
    recognise=_is_chipbench,
)
