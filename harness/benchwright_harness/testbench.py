"""Harnesses that are a testbench: `testbench.json` names the files, and this module makes their plan.

The design is compiled into one simulation with the testbench, so the design could print what the testbench
prints, and could use the names of its parts: `TopModule` could instantiate the reference, or print the result. Each run
therefore gets a token that the design cannot know. It signs the result lines and the end of the simulation, and it
becomes part of the names that the harness hides and of the folder of its files.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, ValidationError

from benchwright_harness.criterion import COMPILE, FINISH, PASS_WORD, SIMULATE, Criterion, Rule
from benchwright_harness.errors import BadHarnessError
from benchwright_problems.problem import RelativePath
from benchwright_problems.verdict import Model

DESCRIPTION = "testbench.json"

Simulator = Literal["icarus", "verilator"]

_IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_$]*$"
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_FINISH = re.compile(r"(?<![\w$])\$finish\b(\s*\([^()]*\))?\s*;")
_DESIGN = "design.vvp"
_FOLDER = "obj_dir"
_CONFINE = "/opt/benchwright/inside/guard/confine"
_LOCKED = f'[ -x {_CONFINE} ] && exec {_CONFINE} simulate "$0"; exec "$0"'
# Most of the time is the C++ compiler's, so it does not optimise.
_VERILATOR = (
    "--binary --timing -Wno-fatal -Wno-lint -Wno-style -MAKEFLAGS OPT_FAST=-O0 -MAKEFLAGS OPT_SLOW=-O0"
    " -Wno-MULTITOP -Wno-TIMESCALEMOD"
)


class Testbench(Model):
    """What `testbench.json` holds."""

    __test__ = False

    criterion: Literal["verilogeval", "rtllm"]
    """Whose pass criterion."""
    top: str = Field(pattern=_IDENTIFIER)
    """The testbench's module."""
    design: tuple[RelativePath, ...] = Field(min_length=1)
    """The solver's files, below `/code`."""
    testbench: tuple[RelativePath, ...] = Field(min_length=1)
    """Files of the harness that are compiled after them, in this order."""
    data: tuple[RelativePath, ...] = ()
    """Files of the harness that are in the working directory when the simulation starts, by file name."""
    private: tuple[str, ...] = ()
    """Names of modules and instances in the testbench that a design must not be able to refer to."""
    timescale: str = Field(default="", pattern=r"^(?:1(?:0|00)?[munpf]?s/1(?:0|00)?[munpf]?s)?$")
    """Of files that say none, such as `1ns/1ns`."""


class Simulation(Model):
    """One step of a testbench's run."""

    name: str
    argv: tuple[str, ...]
    files: dict[str, str]
    """Absolute path inside the sandbox → text."""


def read_testbench(harness: Mapping[str, str]) -> Testbench:
    """Read a harness's description.

    Raises:
        BadHarnessError: Names the field that is wrong.
    """
    try:
        described = Testbench.model_validate_json(harness[DESCRIPTION])
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise BadHarnessError(f"{DESCRIPTION}: {field}: {first['msg']}") from error
    for path in (*described.testbench, *described.data):
        if path not in harness:
            raise BadHarnessError(f"{DESCRIPTION}: the harness has no file {path!r}")
    return described


def simulate(
    harness: Mapping[str, str], simulator: Simulator, token: str = ""
) -> tuple[Criterion, tuple[Simulation, ...]]:
    """The steps that compile and run a testbench, and what decides.

    Args:
        harness: Relative path → text.
        simulator: Which one.
        token: Of this run; a new one if empty.
    """
    described = read_testbench(harness)
    token = token or secrets.token_hex(8)
    criterion = Criterion(rule=Rule(described.criterion), token=token, simulator=simulator)
    folder = f"/src/{token}"
    kept = _private_names(described, harness)
    sources = {
        f"{folder}/{number}-{_name(path)}": _signed(_renamed(harness[path], kept, token), criterion)
        for number, path in enumerate(described.testbench)
    }
    design = tuple(f"/code/{path}" for path in described.design)
    top = f"{described.top}${token}" if described.top in kept else described.top
    data = {f"{folder}/data/{_name(path)}": harness[path] for path in described.data}
    if simulator == "icarus":
        # A directive applies from its line on, also in the next files.
        before = {f"{folder}/timescale.v": f"`timescale {described.timescale}\n"} if described.timescale else {}
        flags = ("-g2012", "-Wall", "-Winfloop", "-Wno-timescale", "-s", top, "-o", _DESIGN)
        compiled = Simulation(
            name=COMPILE, argv=("iverilog", *flags, *before, *design, *sources), files={**before, **sources}
        )
        program: tuple[str, ...] = ("vvp", "-n", _DESIGN)
    else:
        scale = ("--timescale", described.timescale) if described.timescale else ()
        flags = (*_VERILATOR.split(), *scale, "--top-module", top, "--Mdir", _FOLDER, "-o", "simulation")
        compiled = Simulation(name=COMPILE, argv=("verilator", *flags, *design, *sources), files=sources)
        # Icarus's own simulator is locked away from the harness wherever it is started.
        program = ("/bin/sh", "-c", _LOCKED, f"./{_FOLDER}/simulation")
    if data:
        program = ("/bin/sh", "-c", 'cp "$0"/data/* . && exec "$@"', folder, *program)
    return criterion, (compiled, Simulation(name=SIMULATE, argv=program, files=data))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _private_names(described: Testbench, harness: Mapping[str, str]) -> set[str]:
    """The names to change: not those that also name a port, which belong to the design."""
    text = "\n".join(harness[path] for path in described.testbench)
    names = {described.top, *described.private}
    return {name for name in names if not re.search(rf"\.\s*{re.escape(name)}\s*[(,)]", text)}


def _renamed(text: str, names: set[str], token: str) -> str:
    if not names:
        return text
    # `$` sorts before every letter and digit: simulators that go by name keep their order.
    pattern = re.compile(rf"(?<![\w$\\`.])({'|'.join(map(re.escape, sorted(names)))})(?![\w$])")
    return pattern.sub(rf"\1${token}", text)


def _signed(text: str, criterion: Criterion) -> str:
    def sign(found: re.Match[str]) -> str:
        literal = found[0]
        said = "Mismatches:" in literal if criterion.rule is Rule.VERILOGEVAL else PASS_WORD.search(literal)
        return f'"{criterion.token} {literal[1:]}' if said else literal

    ending = rf'begin $display("{criterion.token} {FINISH}"); $finish\1; end'
    return _FINISH.sub(ending, _LITERAL.sub(sign, text))
