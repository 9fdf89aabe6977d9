"""Harnesses that are a testbench: `testbench.json` names the files, and this module makes their plan.

The design is compiled into one simulation with the testbench, but apart from it: what one says to the preprocessor or
leaves open does not reach the other. `testbench_text.py` describes how its results stay its own.
"""

from __future__ import annotations

import itertools
import posixpath
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from pydantic import Field, ValidationError

from benchwright_foundation.model import Model
from benchwright_harness.decision.criterion import (
    NOT_COMPILED,
    PATTERN_BUDGET_S,
    SIMULATES,
    STANDS_STILL,
    Criterion,
    first_match_of_each_line,
)
from benchwright_harness.errors import BadHarnessError, MissingCriterionError
from benchwright_harness.plan.testbench_text import (
    ICARUS,
    PACKAGE,
    RUN,
    SYMBOLS,
    VERILATOR,
    WATCH,
    WORKSPACE,
    data_files_to_expose,
    draws_from_shared_generator,
    draws_unseeded_numbers,
    renamable_names,
    rewritten_testbench_file,
    string_literals,
)
from benchwright_harness.toolchain.tree import CHANNEL
from benchwright_problems.criterion import TESTBENCH_FILE, CriterionTable, OutputScope, Simulator
from benchwright_problems.relative_path import RelativePath
from benchwright_problems.verilog import scope_names

READABLE = "The testbench opens data files by itself, so the design could read them, too."
"""The remark of verdicts whose run had such data."""

UNHEARD = "The testbench's results were read from the simulation's output or a file, where a design can forge them."
"""The remark of verdicts from a sandbox without a supervisor, or by a criterion that looks there."""

COMPUTED = "The testbench puts its result together from values, so a design's text could be taken for it."
"""The remark of verdicts where no string of the testbench can print what its criterion looks for."""

PREDICTABLE = "The hidden tests' random numbers are the same in each run, so a design can know them in advance."
"""The remark of verdicts for which they could not be others."""

_IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_$]*$"
_FOLDER = f"/src/{RUN}"
_BENCH, _DESIGN, _SCRIPT = f"{_FOLDER}/testbench.sv", f"{_FOLDER}/design.sv", f"{_FOLDER}/run.sh"
_SYMBOLS = f"{_FOLDER}/symbols"
_PROGRAM = "design.vvp"
_OBJECTS = "obj_dir"
# Most of the time is the C++ compiler's, so it does not optimise.
_VERILATOR = (
    "--binary --timing -Wno-fatal -Wno-lint -Wno-style -MAKEFLAGS OPT_FAST=-O0 -MAKEFLAGS OPT_SLOW=-O0"
    " -Wno-MULTITOP -Wno-TIMESCALEMOD"
)
_COMPILE = f'"$@" || exit {NOT_COMPILED}'
# A testbench names files of the workspace as from its root.
_LINK = 'for entry in /code/*; do [ "$entry" = /code/rundir ] || ln -s "$entry" .; done'
# SIGXCPU: see watch.c. A simulation's own status is none of those that are kept for other ends.
_RUN = (
    f"{{program}}; ended=$?; [ $ended = {128 + 24} ] && exit {STANDS_STILL};"
    f" case $ended in {NOT_COMPILED}|{STANDS_STILL}) exit 1;; esac; exit $ended"
)
# Its functions have names that code in the design, if there were any, could not know when it is compiled.
_RENAME = (
    f"folder={posixpath.dirname(CHANNEL)}; for name in channel channel_end; do"
    f" objcopy --redefine-syms={_SYMBOLS} $folder/$name.o $name.o || exit 1;"
    ' set -- "$@" "$PWD/$name.o"; done'
)
_SPECIFIER = re.compile(r"(%[-+0-9.]*[A-Za-z])")
_OF_TEXT = "sSpPmM"
_MOST_TRIED_VALUES = 6


class TestbenchFile(Model):
    """Contents of `testbench.json`."""

    __test__ = False

    criterion: Literal["verilogeval", "rtllm"] | None = None
    """Data set whose pass criterion applies; None if `[criterion]` of the problem says it."""
    top: str = Field(pattern=_IDENTIFIER)
    """The testbench's module."""
    design: tuple[RelativePath, ...] = Field(min_length=1)
    """The solver's files, below `/code`."""
    testbench: tuple[RelativePath, ...] = Field(min_length=1)
    """Files of the harness that are compiled after them, in this order."""
    data: tuple[RelativePath, ...] = ()
    """Files of the harness that the testbench reads when the simulation runs, by file name."""
    private: tuple[str, ...] = ()
    """More names that a design must not be able to refer to, besides those of the testbench's scopes."""
    timescale: str = Field(default="", pattern=r"^(?:1(?:0|00)?[munpf]?s/1(?:0|00)?[munpf]?s)?$")
    """Of files that say none, such as `1ns/1ns`."""


class TestbenchRun(Model):
    """A testbench's run."""

    argv: tuple[str, ...]
    files: dict[str, str]
    """Absolute path inside the sandbox → text."""
    channel: str = ""
    """Text that the supervisor passes to the channel; see `toolchain/build/programs/channel.c`."""
    remarks: tuple[str, ...] = ()
    takes_seed: bool = False
    """True if the testbench draws random numbers, which can be others in each run."""


def read_testbench(harness: Mapping[str, str], table: CriterionTable | None = None) -> TestbenchFile:
    """Read a harness's description.

    Args:
        harness: Relative path → text.
        table: The problem's own criterion.

    Raises:
        BadHarnessError: Names the field that is wrong.
    """
    try:
        described = TestbenchFile.model_validate_json(harness[TESTBENCH_FILE])
    except ValidationError as error:
        first_error = error.errors(include_url=False)[0]
        field = ".".join(map(str, first_error["loc"]))
        raise BadHarnessError(f"{TESTBENCH_FILE}: {field}: {first_error['msg']}") from error
    if table is not None:
        described = described.model_copy(update={"data": tuple(dict.fromkeys((*described.data, *table.data)))})
    elif described.criterion is None:
        raise MissingCriterionError(f"{TESTBENCH_FILE}: criterion: is missing here and in problem.toml")
    for path in (*described.testbench, *described.data):
        if path not in harness:
            raise BadHarnessError(f"{TESTBENCH_FILE}: the harness has no file {path!r}")
    return described


def plan_testbench(
    harness: Mapping[str, str], simulator: Simulator, table: CriterionTable | None = None, *, has_channel: bool = True
) -> tuple[Criterion, TestbenchRun]:
    """The program that compiles and runs a testbench, and what decides.

    Its files hold `testbench_text.RUN` where a run has a token of its own.

    Args:
        harness: Relative path → text.
        simulator: Simulator that runs it.
        table: The problem's own criterion.
        has_channel: True if there is a supervisor, and with it the channel; if not, the testbench prints its results.
    """
    described = read_testbench(harness, table)
    table = table or CriterionTable(preset=described.criterion)
    is_heard = has_channel and table.scope in (None, OutputScope.CHANNEL)
    criterion = Criterion(table=table, is_testbench=True, speaks_to_supervisor=is_heard)
    texts = {_file_name(path): harness[path] for path in described.testbench}
    scopes = set[str]().union(*map(scope_names, texts.values()))
    names = renamable_names(texts.values(), scopes | {described.top, *described.private})
    data_files = {_file_name(path): harness[path] for path in described.data}
    readable = sorted(data_files_to_expose(texts.values(), data_files) if has_channel else data_files)
    calls = (ICARUS if simulator == "icarus" else VERILATOR) if has_channel else None
    served = data_files.keys() - set(readable)
    tells_result, is_computed = _result_string_test_and_is_computed(table, texts.values())
    sources = {
        name: rewritten_testbench_file(
            text, renamed_names=names, calls=calls, tells_result=tells_result, served_files=served
        )
        for name, text in texts.items()
    }
    top_module = f"{described.top}${RUN}" if described.top in names else described.top
    build = _icarus_build if simulator == "icarus" else _verilator_build
    compiler, program, files = build(described, table, top_module, sources, has_channel)
    may_speak = sorted(f"{name}${RUN}" if name in names else name for name in scopes)
    copies = [f"cp {' '.join(f'{_FOLDER}/data/{name}' for name in readable)} ."] if readable else []
    files |= {f"{_FOLDER}/data/{name}": text for name, text in data_files.items()}
    renames = [_RENAME] if _SYMBOLS in files else []
    script_lines = (_LINK, *renames, _COMPILE, *copies, f"echo '{SIMULATES}'", _RUN.format(program=program), "")
    files[_SCRIPT] = "\n".join(script_lines)
    draws = draws_unseeded_numbers(texts.values())
    is_seeded = has_channel and not draws_from_shared_generator(texts.values())
    is_true_by_remark = {
        UNHEARD: not is_heard or table.file is not None,
        READABLE: has_channel and readable,
        COMPUTED: is_computed and is_heard,
        PREDICTABLE: draws and not is_seeded,
    }
    simulation = TestbenchRun(
        argv=("/bin/sh", _SCRIPT, *compiler),
        files=files,
        channel=" ".join((PACKAGE, f"{_FOLDER}/data", *readable, WORKSPACE, "--", *may_speak)) if has_channel else "",
        remarks=tuple(remark for remark, is_true in is_true_by_remark.items() if is_true),
        takes_seed=draws and is_seeded,
    )
    return criterion, simulation


_Build = tuple[tuple[str, ...], str, dict[str, str]]
"""The compiler's words, the simulation's, and the files that both need."""


def _icarus_build(
    description: TestbenchFile,
    table: CriterionTable,
    top_module: str,
    text_by_file_name: Mapping[str, str],
    has_channel: bool,
) -> _Build:
    timescale = f"`timescale {description.timescale}\n" if description.timescale else ""
    design = [f"/code/{path}" for path in description.design]
    files = {_BENCH: timescale + (ICARUS.package if has_channel else "") + _testbench_as_one_file(text_by_file_name)}
    if len(design) > 1 or timescale:
        # Each file is read alone: what one defines the next would not know.
        files[_DESIGN] = timescale + "".join(f'`include "{path}"\n' for path in design)
        design = [_DESIGN]
    folders = (f"-I{folder}" for folder in _header_folders(description, table))
    flags = ("-u", "-g2012", "-Wall", "-Winfloop", "-Wno-timescale", *table.flags, *folders)
    flags += ("-s", top_module, "-o", _PROGRAM)
    module = f"-M {posixpath.dirname(CHANNEL)} -m {posixpath.basename(CHANNEL)} " if has_channel else ""
    return ("iverilog", *flags, *design, _BENCH), f"vvp -n {module}{_PROGRAM}", files


def _verilator_build(
    description: TestbenchFile,
    table: CriterionTable,
    top_module: str,
    text_by_file_name: Mapping[str, str],
    has_channel: bool,
) -> _Build:
    scale = ("--timescale", description.timescale) if description.timescale else ()
    folders = (f"+incdir+{folder}" for folder in _header_folders(description, table))
    flags = (
        *_VERILATOR.split(),
        *scale,
        *table.flags,
        *folders,
        "--top-module",
        top_module,
        "--Mdir",
        _OBJECTS,
        "-o",
        "simulation",
    )
    wrapper = (VERILATOR.package, WATCH.replace("TOP", top_module)) if has_channel else ("", "")
    # What a file leaves open is an error; what it defines would go on.
    text = f"`undefineall\n{wrapper[0]}{_testbench_as_one_file(text_by_file_name)}{wrapper[1]}"
    design = [f"/code/{path}" for path in description.design]
    files = {_BENCH: text, **({_SYMBOLS: SYMBOLS} if has_channel else {})}
    return ("verilator", *flags, *design, _BENCH), f"./{_OBJECTS}/simulation", files


def _header_folders(description: TestbenchFile, table: CriterionTable) -> Sequence[str]:
    """Folders in which headers of the workspace are looked for."""
    paths = ("", *(posixpath.dirname(path) for path in description.design), *table.includes)
    return list(dict.fromkeys(posixpath.join("/code", path).rstrip("/") for path in paths))


def _result_string_test_and_is_computed(
    table: CriterionTable, source_texts: Iterable[str]
) -> tuple[Callable[[str], bool], bool]:
    """A test of a testbench's strings, true for those that may hold its result; and true if none of them does.

    A pattern is of the text that is printed, and the string is its format: so each is tried with some values. Where
    none fits an author's, the testbench puts its result together, and then any text of it may be one.
    """
    patterns = table.effective_patterns.passes
    deadline = time.monotonic() + PATTERN_BUDGET_S

    @cache
    def tells_result(literal: str) -> bool:
        lines = (line for sample in _printed_samples(literal[1:-1]) for line in sample.split("\\n"))
        try:
            return any(first_match_of_each_line(patterns, lines, deadline))
        except TimeoutError as error:
            raise BadHarnessError(f"criterion: pass: takes longer than {PATTERN_BUDGET_S:g} s") from error

    if table.preset or any(tells_result(literal) for text in source_texts for literal in string_literals(text)):
        return tells_result, False
    return lambda literal: True, bool(patterns)


def _printed_samples(format_text: str) -> Iterator[str]:
    """Lines that a format may print, with digits for its numbers and nothing for a design's text."""
    # Odd parts are specifiers.
    parts = _SPECIFIER.split(format_text.replace("%%", "%\0"))
    numbers = [index for index in range(1, len(parts), 2) if parts[index][-1] not in _OF_TEXT][:_MOST_TRIED_VALUES]
    for digits in itertools.product("01", repeat=len(numbers)):
        value_by_index = dict(zip(numbers, digits, strict=True))
        printed = (value_by_index.get(index, "") if index % 2 else part for index, part in enumerate(parts))
        yield "".join(printed).replace("%\0", "%")


def _testbench_as_one_file(text_by_file_name: Mapping[str, str]) -> str:
    """The testbench as one file, so that its parts share what they define."""
    return "".join(f'`line 1 "{_FOLDER}/{name}" 0\n{text}\n' for name, text in text_by_file_name.items())


def _file_name(harness_path: str) -> str:
    return harness_path.rpartition("/")[2]
