"""`Bender.yml`: sources of a package and of those that it depends on, as targets say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchwright_verilog.semantics.project.lists.bender import read_bender


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "Bender.yml"


def names(folder: Path, paths: tuple[Path, ...]) -> list[str]:
    return [str(path.relative_to(folder)) for path in paths]


PACKAGE = """\
package:
  name: top
dependencies:
  cells: { path: ../cells }
  axi: { git: "https://example.org/axi.git", version: 0.39.0 }
  far: { git: "https://example.org/far.git", version: 1.0.0 }
export_include_dirs:
  - include
sources:
  - src/a_pkg.sv
  - target: not(all(fpga, xilinx))
    files:
      - src/a.sv
  - target: any(test, simulation)
    include_dirs: [test/include]
    defines: { SIM: ~, DEPTH: 4 }
    files:
      - test/tb.sv
      - target: fpga
        files: [test/fpga.sv]
  - target: fpga
    files: [src/fpga.sv]
  - sv: src/typed.sv
  - src/readme.md
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "cells", {"Bender.yml": "package: {name: cells}\nsources: [src/ff.sv]\n", "src/ff.sv": ""})
    folder = tmp_path / "top"
    axi = ".bender/git/checkouts/axi-0123456789abcdef"
    files = dict.fromkeys(
        ("src/a_pkg.sv", "src/a.sv", "test/tb.sv", "test/fpga.sv", "src/fpga.sv", "src/typed.sv", "src/readme.md"), ""
    )
    files |= {
        f"{axi}/Bender.yml": "dependencies: {cells: {path: x}}\nexport_include_dirs: [include]\nsources: [axi.sv]\n",
        f"{axi}/axi.sv": "",
        f"{axi}/include/axi.svh": "",
        "include/a.svh": "",
        "test/include/t.svh": "",
        "Bender.yml": PACKAGE,
    }
    write(folder, files)
    return folder


def test_dependencies_come_first_and_targets_choose(project: Path) -> None:
    file_list = read_bender(project / "Bender.yml")
    assert names(project.parent, file_list.sources) == [
        "cells/src/ff.sv",
        "top/.bender/git/checkouts/axi-0123456789abcdef/axi.sv",
        "top/src/a_pkg.sv",
        "top/src/a.sv",
        "top/test/tb.sv",
        "top/src/typed.sv",
    ]
    assert file_list.defines == ("SIM", "DEPTH=4")
    assert names(project, file_list.include_dirs) == [
        ".bender/git/checkouts/axi-0123456789abcdef/include",
        "include",
        "test/include",
    ]
    assert file_list.targets == ("fpga", "simulation", "test", "xilinx")


def test_what_is_not_checked_out_is_told_at_its_line_with_the_next_step(project: Path) -> None:
    (complaint,) = read_bender(project / "Bender.yml").complaints
    assert "far is not here. Run `bender checkout`" in complaint.message
    assert not complaint.is_error
    assert "far.git" in PACKAGE[complaint.start : complaint.end]


def test_other_targets_choose_other_files(project: Path) -> None:
    file_list = read_bender(project / "Bender.yml", targets=("fpga", "xilinx"))
    assert names(project, file_list.sources[2:]) == ["src/a_pkg.sv", "src/fpga.sv", "src/typed.sv"]
    assert file_list.defines == ()


def test_a_local_override_counts(project: Path) -> None:
    write(project / "mine", {"Bender.yml": "sources: [m.sv]\n", "m.sv": ""})
    (project / "Bender.local").write_text("overrides:\n  far: { path: mine }\n")
    file_list = read_bender(project / "Bender.yml")
    assert (project / "mine" / "m.sv") in file_list.sources
    assert file_list.complaints == ()
    assert project / "Bender.local" in file_list.read_lists


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sources: [nowhere.sv]\n", "There is no file"),
        ("sources:\n  - target: all(a\n    files: [a.sv]\n", "This target can't be read: it ends too early"),
        ("sources:\n  - target: none(a)\n    files: [a.sv]\n", "none is none of all, any and not"),
        ("sources:\n  - target: a & b\n    files: [a.sv]\n", "& is not part of it"),
        ("sources: [a.sv\n", "This is not YAML"),
        ("export_include_dirs: [inc]\n", "There is no folder"),
        ("sources: !!python/object:os.system [a.sv]\n", ""),
        ("- a\n- b\n", ""),
        ("", ""),
        ("sources: 3\n", ""),
        ("[" * 5_000, "is not YAML that can be read"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, {"Bender.yml": text, "a.sv": ""})
    messages = [complaint.message for complaint in read_bender(path).complaints]
    assert (message in messages[0]) if message else messages == [] or "no file" in messages[0]


def test_a_file_that_grows_by_aliases_is_refused(tmp_path: Path) -> None:
    alias_levels = "".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 9)}]\n" for n in range(9))
    text = f"l0: &l0 [a.sv]\n{alias_levels}sources:\n  - files: [{{files: *l9}}]\n"
    path = write(tmp_path, {"Bender.yml": text, "a.sv": ""})
    read_bender(path)
    nested = "x: &x\n  files: [a.sv]\n"
    for depth in range(30):
        nested += f"y{depth}: &y{depth}\n  files: [{', '.join(['*x' if depth == 0 else f'*y{depth - 1}'] * 9)}]\n"
    path.write_text(nested + "sources: [*y29]\n")
    (complaint,) = read_bender(path).complaints
    assert "more entries than can be read" in complaint.message


def test_packages_that_depend_on_each_other_are_read_once(tmp_path: Path) -> None:
    for package, dependency in ("ab", "ba"):
        dependencies = f"dependencies: {{{dependency}: {{path: ../{dependency}}}}}"
        text = f"package: {{name: {package}}}\n{dependencies}\nsources: [{package}.sv]\n"
        write(tmp_path / package, {"Bender.yml": text, f"{package}.sv": ""})
    file_list = read_bender(tmp_path / "a" / "Bender.yml")
    assert names(tmp_path, file_list.sources) == ["b/b.sv", "a/a.sv"]
