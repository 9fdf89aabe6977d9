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

from benchwright_verilog.semantics.compilation.diagnostics import Severity
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import Project as ProjectSettings
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
    chosen = random.Random(seed)
    for folder_name in ("rtl", "inc", "more inc", "lib", "ip/rtl"):
        (folder / folder_name).mkdir(parents=True)
    for number in range(_MODULES):
        folder_name = chosen.choice(("rtl", "ip/rtl"))
        shared = _shared(number, chosen) if single_unit else ""
        (folder / folder_name / f"m{number}.sv").write_text(shared + _module(number, chosen))
    for number in range(3):
        inside = "wire [`WIDTH:0] w;" if single_unit else ""
        text = f"module cell{number} #(parameter W = 1) (); {inside} endmodule\n"
        (folder / "lib" / f"cell{number}{chosen.choice(('.v', '.sv'))}").write_text(text)
    (folder / "lib/spare.v").write_text("module cell3; endmodule\n")
    for number in range(3):
        for folder_name in chosen.sample(("inc", "more inc", "rtl"), chosen.randint(1, 2)):
            (folder / folder_name / f"h{number}.svh").write_text(f"`define H{number} {chosen.randint(1, 9)}\n")
    modules = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("*/**/m*.sv"))]
    inner = [path.removeprefix("ip/") for path in modules if path.startswith("ip/")]
    (folder / "ip/ip.f").write_text(_joined([*inner, *_options(chosen, nested=True)], chosen))
    own_files = [_spelled(path, chosen) for path in modules if path.startswith("rtl/")]
    parts = [*own_files, "-F ip/ip.f", *_options(chosen, nested=False)]
    if single_unit:
        parts += ["--single-unit", *chosen.choice((["--libraries-inherit-macros"], []))]
    (folder / "all.f").write_text(_joined(parts, chosen))


def _shared(number: int, chosen: random.Random) -> str:
    possible = (
        f"`define {chosen.choice(_MACROS)} {chosen.randint(1, 9)}",
        f"`undef {chosen.choice(_MACROS)}",
        f"`define PLUS(a, b = {number}) (a + b)",
        f"typedef logic [{number}:0] t{number};",
        f"t{chosen.randrange(_MODULES)} v{number};",
        f"localparam int P{number} = `PLUS(1);",
        "`undefineall",
    )
    return "".join(f"{line}\n" for line in chosen.sample(possible, chosen.randint(0, 3)))


def _module(number: int, chosen: random.Random) -> str:
    lines = [f'`include "h{chosen.randrange(3)}.svh"'] if chosen.random() < 0.4 else []
    lines.append(f"module m{number} #(parameter P = 2, parameter Q = 3) ();")
    for macro in chosen.sample(_MACROS, 2):
        lines.append(f"`ifdef {macro}\n  logic [`{macro}:0] w_{macro};\n`endif")
    if chosen.random() < 0.3:
        lines.append("  if (P > 3) begin : g\n    missing_in_branch u_b ();\n  end")
    if number + 1 < _MODULES and chosen.random() < 0.7:
        lines.append(f"  m{number + 1} #(.Q(P)) u_m ();")
    if chosen.random() < 0.5:
        lines.append(f"  cell{chosen.randrange(4)} u_cell ();")
    return "\n".join([*lines, "endmodule", ""])


def _options(chosen: random.Random, *, nested: bool) -> list[str]:
    prefix = "../" if nested else ""
    possible = [
        f"+define+{chosen.choice(_MACROS)}={chosen.randint(1, 9)}",
        f"+define+{chosen.choice(_MACROS)}={chosen.randint(1, 9)}+FAST",
        f"-D {chosen.choice(_MACROS)}={chosen.randint(1, 9)}",
        f"-D{chosen.choice(_MACROS)}=$SIZE",
        f"+incdir+{prefix}inc",
        f'-I "{prefix}more inc"',
        f"-I {prefix}inc",
        f"-y {prefix}lib",
        f"-y {prefix}lib\n+libext+.v+.sv",
        f"-v {prefix}lib/spare.v",
        f"--top m{chosen.randrange(3)}",
        f"-G P={chosen.randint(2, 5)}",
        f"-G P={chosen.randint(2, 5)}",
        "// -D WIDTH=99 other.sv",
        "# +define+DEPTH=98",
        "/* -D FAST\n none.sv */",
    ]
    return chosen.sample(possible, chosen.randint(2, 7))


def _spelled(path: str, chosen: random.Random) -> str:
    name = path.removeprefix("rtl/")
    return chosen.choice(
        (path, f'"{path}"', f"./{path}", f"$RTL_DIR/{name}", f"${{RTL_DIR}}/{name}", f"$(RTL_DIR)/{name}")
    )


def _joined(parts: list[str], chosen: random.Random) -> str:
    chosen.shuffle(parts)
    return "".join(f"{part}\n" for part in parts)


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
    project.refresh()
    (file_list,) = project.lists
    first = project.analysis_of(file_list.sources[0])
    assert first is not None
    compiled = {tree.path for tree in first.trees}
    libraries = [path for path in file_list.libraries if path in compiled]
    errors = set()
    for path in (*file_list.sources, *libraries, *sorted(folder.glob("*inc/*.svh"))):
        analysis = project.analysis_of(path)
        assert analysis is not None
        error_diagnostics = (diagnostic for diagnostic in analysis.diagnostics if diagnostic.severity is Severity.ERROR)
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
