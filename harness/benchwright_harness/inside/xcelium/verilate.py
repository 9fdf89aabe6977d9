"""Building a simulation with Verilator."""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import supervision

from xcelium.assertions import find_assertions
from xcelium.command_line import Options
from xcelium.triggers import MeasuredParts, StatementCovers, with_trigger_covers

_OURS = Path(__file__).parent
_COMPILE = (str(_OURS.parent / "guard" / "confine"), "compile")
# What Xcelium takes without a word, or with a warning.
_TAKEN = (
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    *(f"-Wno-{name}" for name in ("BLKANDNBLK", "COVERIGN", "INITIALDLY", "MODDUP", "MULTIDRIVEN", "MULTITOP")),
    *(f"-Wno-{name}" for name in ("STMTDLY", "TIMESCALEMOD", "UNOPTFLAT", "UNPACKED", "ZERODLY")),
)
# Not `--coverage`: it detects state machines too, which ends in an internal error for some designs (5.48).
_COVERAGE = ("--coverage-line", "--coverage-toggle", "--coverage-expr", "--coverage-user")
_BUG = re.compile(r"BUG(_?\d|_|=|$)")
_DEFAULT_TIMESCALE = "1ns/1ns"
SNAPSHOT = "snapshot.json"
PROGRAM = "simulation"
PREFIX = "Vtop"
_MAKEFILE = "simulation.mk"
# All of it in one piece: most of the compiler's time goes into headers, and each piece reads them again. Compiled
# ahead, as Verilator does it with several pieces, they would take more room than a run's folder may have.
_IN_ONE_PIECE = f"""\
include {PREFIX}.mk
{PREFIX}__ALL.cpp: {{mains}}
# What a design is compiled to is in nobody's cache.
{PREFIX}__ALL.o: OBJCACHE =
one-piece: $(VK_GLOBAL_OBJS) {PREFIX}__ALL.o
	$(LINK) $(LDFLAGS) $^ $(LOADLIBES) $(LDLIBS) $(LIBS) $(SC_LIBS) -o {PROGRAM}
"""

Say = Callable[[str], None]


def build_simulation(options: Options, folder: Path, run_showing_output: Callable[[list[str]], int]) -> int:
    """Compile sources into `folder`.

    Args:
        options: Options of the build.
        folder: Destination of the build; emptied first.
        run_showing_output: Runs a program, shows its output and returns its exit status.

    Returns:
        0, or the exit status of what failed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    verilator = _verilator_command()
    sources = _source_arguments(options, folder)
    mains, linked = _cocotb_mains_and_options(options.vpi) if options.vpi else ([_OURS / "main.cpp"], [])
    command = [*verilator, "--cc", "--exe", "--timing", "--assert", "--prefix", PREFIX, *_TAKEN]
    command += ["--sched-zero-delay", "--output-split", "0", "--Mdir", str(folder), "-o", PROGRAM, "--quiet-stats"]
    command += ["--pipe-filter", f"{sys.executable} -I {_OURS / 'source_filter.py'}"]
    command += ["--timescale-override" if options.override_timescale else "--timescale"]
    command += [options.timescale or _DEFAULT_TIMESCALE]
    command += _COVERAGE if options.coverage else []
    for top in options.tops[:1]:
        command += ["--top-module", top]
    # With the flag of Verilator's own main the runtime is the one that the toolchain has compiled ahead.
    command += linked or ["-CFLAGS", "-DVL_TIME_CONTEXT"]
    command += [f"-G{parameter}" for parameter in options.parameters]
    status = run_showing_output([*command, *sources, *map(str, mains)])
    if status:
        return status
    assertions: list[dict[str, object]] = []
    if options.coverage:
        text = subprocess.run([*verilator, "-E", *sources], stdout=subprocess.PIPE, check=False).stdout.decode(
            "utf-8", "replace"
        )
        again = [_verilator_path(), *command[len(verilator) :], *options.library, *map(str, mains)]
        assertions = _assertion_facts(text, _build_with_triggers(text, folder, again))
    status = run_showing_output(_write_makefile_and_command(folder, mains))
    if status == 0:
        snapshot = {
            "coverage": options.coverage,
            "cocotb": options.vpi is not None,
            "test": [options.work_folder, options.scope, options.test],
            "assertions": assertions,
            "seed": options.seed,
        }
        (folder / SNAPSHOT).write_text(json.dumps(snapshot), encoding="utf-8")
    return status


def _source_arguments(options: Options, folder: Path) -> list[str]:
    """Everything that says what to compile."""
    folders = dict.fromkeys([*options.include_folders, *(str(Path(source).parent) for source in options.sources)])
    return [
        *(f"-D{define}" for define in options.defines if not _BUG.match(define)),
        *(f"+incdir+{folder}" for folder in folders),
        *options.library,
        *_sources_with_bug_macros(options, folder),
    ]


def _sources_with_bug_macros(options: Options, folder: Path) -> Iterator[str]:
    """The sources; macros that choose a bug of the harness's design are defined for its own files alone.

    A checker that sees which bug it is to find would not need to look for it.
    """
    bugs = [define.partition("=") for define in options.defines if _BUG.match(define)]
    roots = tuple(f"{root}/" for root in os.environ.get(supervision.HIDDEN, "").split(":") if root)
    are_hidden = [source.startswith(roots) for source in options.sources]
    if not any(are_hidden):
        yield from (f"-D{name}{equals}{value}" for name, equals, value in bugs)
        bugs = []
    texts = {True: "".join(f"`define {name} {value}\n" for name, _, value in bugs)}
    texts[False] = "".join(f"`undef {name}\n" for name, _, _ in bugs)
    before = False
    for number, (source, is_hidden) in enumerate(zip(options.sources, are_hidden, strict=True)):
        if bugs and is_hidden != before:
            before = is_hidden
            # Under a name that no other file can ask for.
            switch = folder / f"macros_{number}_{secrets.token_hex(8)}.sv"
            switch.write_text(texts[is_hidden], encoding="utf-8")
            yield str(switch)
        yield source


def _verilator_path() -> str:
    """Verilator itself; the guard before it has seen the same text already."""
    root = os.environ.get("VERILATOR_ROOT")
    return f"{root}/bin/verilator" if root else "verilator"


def _verilator_command() -> list[str]:
    root = os.environ.get("VERILATOR_ROOT")
    if root and (Path(root) / "bin" / "verilator").is_file():
        return [*_COMPILE, str(_OURS.parent / "guard" / "verilator")]
    found = shutil.which("verilator")
    if not found:
        raise FileNotFoundError("verilator is not on PATH")
    return [*_COMPILE, found]


def _write_makefile_and_command(folder: Path, main_files: list[Path]) -> list[str]:
    """The command that checks and compiles what Verilator has written."""
    # The design's own code is compiled once and run for moments: most of the time is the compiler's.
    command = [
        *_COMPILE,
        str(_OURS.parent / "guard" / "generated"),
        "-C",
        str(folder),
        "-j",
        str(min(4, os.cpu_count() or 1)),
        "OPT_FAST=-O0",
        "OPT_SLOW=-O0",
    ]
    rules = _IN_ONE_PIECE.format(mains=" ".join(map(str, main_files)))
    (folder / _MAKEFILE).write_text(rules, encoding="utf-8")
    return [*command, "-f", _MAKEFILE, "one-piece"]


def _cocotb_mains_and_options(vpi_library: str) -> tuple[list[Path], list[str]]:
    """The mains and the options of cocotb, whose library is beside the one that its runner named for Xcelium."""
    libraries = Path(vpi_library).parent
    main = libraries.parent / "share" / "lib" / "verilator" / "verilator.cpp"
    linked = f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"
    return [main, _OURS / "cocotb.cpp"], ["--vpi", "--public-flat-rw", "-LDFLAGS", linked]


def _build_with_triggers(preprocessed_text: str, folder: Path, command: list[str]) -> list[StatementCovers | None]:
    """Build from preprocessed text once more, with covers that tell whether assertions are triggered, hold and fail.

    Returns:
        For each assertion its covers; none where it could not be built with them.
    """
    file = folder / "with_triggers.sv"
    # What it complains of is not the design's own text.
    environment = {name: value for name, value in os.environ.items() if name != supervision.VARIABLE}
    marks: list[StatementCovers | None] = []
    # Verilator builds some things only where they are not looked at.
    for measures in (MeasuredParts(), MeasuredParts(sequences=False), MeasuredParts(sequences=False, conditions=False)):
        read, marks = with_trigger_covers(preprocessed_text, measures)
        if not marks:
            return []
        file.write_text(read, encoding="utf-8")
        built = subprocess.run([*_COMPILE, *command, str(file)], env=environment, capture_output=True, check=False)
        if built.returncode == 0:
            return marks
    return [None] * len(marks)


def _assertion_facts(
    preprocessed_text: str, covers_by_assertion: list[StatementCovers | None]
) -> list[dict[str, object]]:
    found = find_assertions(preprocessed_text)
    if len(found) != len(covers_by_assertion):
        covers_by_assertion = [None] * len(found)
    return [
        one.as_dict() | {"marks": own and {"hits": own.hits, "failures": own.failures}}
        for one, own in zip(found, covers_by_assertion, strict=True)
    ]
