"""Random file lists, and what slang's own driver makes of them, to compare."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from pyslang import DiagnosticEngine
from pyslang.driver import Driver

from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents

VARIABLES = {"RTL_DIR": "rtl", "SIZE": "5"}
_MACROS = ("WIDTH", "DEPTH", "FAST")
_MODULES = 6


@dataclass(frozen=True)
class Meaning:
    """Meaning of a list. Paths are relative to the project."""

    sources: tuple[str, ...]
    defines: Mapping[str, str]
    tops: frozenset[str]
    parameters: Mapping[str, str]
    errors: frozenset[tuple[str, str]]
    """The files and messages of errors."""


def write_project(folder: Path, seed: int, *, single_unit: bool = False) -> None:
    """A small design of which some headers, macros and modules may be missing, and a list for it in `all.f`.

    Args:
        folder: Folder to write to.
        seed: Seed of all that is random.
        single_unit: True if the list says `--single-unit`; then files define macros and types for those after them.
    """
    dice = random.Random(seed)
    for folder_name in ("rtl", "inc", "more inc", "lib", "ip/rtl"):
        (folder / folder_name).mkdir(parents=True)
    for number in range(_MODULES):
        folder_name = dice.choice(("rtl", "ip/rtl"))
        shared = _shared(number, dice) if single_unit else ""
        (folder / folder_name / f"m{number}.sv").write_text(shared + _module(number, dice))
    for number in range(3):
        module_body = "wire [`WIDTH:0] w;" if single_unit else ""
        text = f"module cell{number} #(parameter W = 1) (); {module_body} endmodule\n"
        (folder / "lib" / f"cell{number}{dice.choice(('.v', '.sv'))}").write_text(text)
    (folder / "lib/spare.v").write_text("module cell3; endmodule\n")
    for number in range(3):
        for folder_name in dice.sample(("inc", "more inc", "rtl"), dice.randint(1, 2)):
            (folder / folder_name / f"h{number}.svh").write_text(f"`define H{number} {dice.randint(1, 9)}\n")
    modules = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("*/**/m*.sv"))]
    nested_files = [path.removeprefix("ip/") for path in modules if path.startswith("ip/")]
    (folder / "ip/ip.f").write_text(_joined([*nested_files, *_options(dice, nested=True)], dice))
    own_files = [_spelled(path, dice) for path in modules if path.startswith("rtl/")]
    list_parts = [*own_files, "-F ip/ip.f", *_options(dice, nested=False)]
    if single_unit:
        list_parts += ["--single-unit", *dice.choice((["--libraries-inherit-macros"], []))]
    (folder / "all.f").write_text(_joined(list_parts, dice))


def _shared(number: int, dice: random.Random) -> str:
    possible = (
        f"`define {dice.choice(_MACROS)} {dice.randint(1, 9)}",
        f"`undef {dice.choice(_MACROS)}",
        f"`define PLUS(a, b = {number}) (a + b)",
        f"typedef logic [{number}:0] t{number};",
        f"t{dice.randrange(_MODULES)} v{number};",
        f"localparam int P{number} = `PLUS(1);",
        "`undefineall",
    )
    return "".join(f"{line}\n" for line in dice.sample(possible, dice.randint(0, 3)))


def _module(number: int, dice: random.Random) -> str:
    lines = [f'`include "h{dice.randrange(3)}.svh"'] if dice.random() < 0.4 else []
    lines.append(f"module m{number} #(parameter P = 2, parameter Q = 3) ();")
    for macro in dice.sample(_MACROS, 2):
        lines.append(f"`ifdef {macro}\n  logic [`{macro}:0] w_{macro};\n`endif")
    if dice.random() < 0.3:
        lines.append("  if (P > 3) begin : g\n    missing_in_branch u_b ();\n  end")
    if number + 1 < _MODULES and dice.random() < 0.7:
        lines.append(f"  m{number + 1} #(.Q(P)) u_m ();")
    if dice.random() < 0.5:
        lines.append(f"  cell{dice.randrange(4)} u_cell ();")
    return "\n".join([*lines, "endmodule", ""])


def _options(dice: random.Random, *, nested: bool) -> list[str]:
    prefix = "../" if nested else ""
    possible = [
        f"+define+{dice.choice(_MACROS)}={dice.randint(1, 9)}",
        f"+define+{dice.choice(_MACROS)}={dice.randint(1, 9)}+FAST",
        f"-D {dice.choice(_MACROS)}={dice.randint(1, 9)}",
        f"-D{dice.choice(_MACROS)}=$SIZE",
        f"+incdir+{prefix}inc",
        f'-I "{prefix}more inc"',
        f"-I {prefix}inc",
        f"-y {prefix}lib",
        f"-y {prefix}lib\n+libext+.v+.sv",
        f"-v {prefix}lib/spare.v",
        f"--top m{dice.randrange(3)}",
        f"-G P={dice.randint(2, 5)}",
        f"-G P={dice.randint(2, 5)}",
        "// -D WIDTH=99 other.sv",
        "# +define+DEPTH=98",
        "/* -D FAST\n none.sv */",
    ]
    return dice.sample(possible, dice.randint(2, 7))


def _spelled(path: str, dice: random.Random) -> str:
    name = path.removeprefix("rtl/")
    return dice.choice(
        (path, f'"{path}"', f"./{path}", f"$RTL_DIR/{name}", f"${{RTL_DIR}}/{name}", f"$(RTL_DIR)/{name}")
    )


def _joined(list_parts: list[str], dice: random.Random) -> str:
    dice.shuffle(list_parts)
    return "".join(f"{part}\n" for part in list_parts)


def meaning_for_slang(folder: Path) -> Meaning:
    """Meaning of `all.f` for slang's driver."""
    driver = Driver()
    driver.addStandardArgs()
    with chdir(folder), mock.patch.dict("os.environ", VARIABLES):
        assert driver.parseCommandLine("slang -f all.f")
        assert driver.processOptions()
        driver.parseAllSources()
        bag = driver.createOptionBag()
        compilation = driver.createCompilation()
        engine = DiagnosticEngine(driver.sourceManager)
        errors = set()
        for diagnostic in compilation.getAllDiagnostics():
            location = driver.sourceManager.getFullyExpandedLoc(diagnostic.location)
            if engine.getSeverity(diagnostic.code, location).name in ("Error", "Fatal"):
                path = driver.sourceManager.getFullPath(location.buffer)
                errors.add((_relative(path, folder), engine.formatMessage(diagnostic)))
        paths = [driver.sourceManager.getFullPath(tree.root.sourceRange.start.buffer) for tree in driver.syntaxTrees]
    return Meaning(
        tuple(_relative(path, folder) for path in paths if path.parent.name != "lib"),
        _first(bag.preprocessorOptions.predefines),
        frozenset(bag.compilationOptions.topModules),
        _first(bag.compilationOptions.paramOverrides),
        frozenset(errors),
    )


def meaning_for_us(folder: Path) -> Meaning:
    """Meaning of it for the language server."""
    project = Project(folder, Documents(), ProjectSettings(variables=VARIABLES))
    project.refresh_if_stale()
    (file_list,) = project.lists
    first_analysis = project.analysis_of(file_list.sources[0])
    assert first_analysis is not None
    compiled = {tree.path for tree in first_analysis.trees}
    libraries = [path for path in file_list.libraries if path in compiled]
    errors = set()
    for path in (*file_list.sources, *libraries, *sorted(folder.glob("*inc/*.svh"))):
        analysis = project.analysis_of(path)
        assert analysis is not None
        error_diagnostics = (
            diagnostic for diagnostic in analysis.diagnostics if diagnostic.severity is DiagnosticSeverity.ERROR
        )
        errors |= {(_relative(path, folder), diagnostic.message) for diagnostic in error_diagnostics}
    return Meaning(
        tuple(_relative(path, folder) for path in file_list.sources),
        _first(file_list.defines),
        frozenset(file_list.tops),
        _first(file_list.parameters),
        frozenset(errors),
    )


def _relative(path: Path, folder: Path) -> str:
    return path.resolve().relative_to(folder.resolve()).as_posix()


def _first(texts: list[str] | tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        values.setdefault(name, value)
    return values
