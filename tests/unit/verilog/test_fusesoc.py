"""FuseSoC's `.core` files: the files of a target and of the cores that it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchwright_verilog.semantics.project.lists.fusesoc import read_core


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def names(folder: Path, paths: tuple[Path, ...]) -> list[str]:
    return [str(path.relative_to(folder)) for path in paths]


HEAD = "CAPI=2:\nname: a:b:c\n"
TARGET = "targets: {default: {filesets: [r]}}\n"
TOP = """\
CAPI=2:
name: "acme:ip:top:1.2"
filesets:
  rtl:
    depend:
      - ">=acme:prim:ff:1.0"
      - "tool_vivado ? (acme:prim:xilinx)"
      - "!tool_vivado ? (acme:prim:generic)"
      - acme:prim:absent
    files:
      - rtl/top_pkg.sv
      - rtl/defs.svh: {is_include_file: true, include_path: rtl}
      - rtl/top.sv
      - "target_sim ? (rtl/only_sim.sv)"
    file_type: systemVerilogSource
  tb:
    files:
      - tb/tb.sv: {file_type: systemVerilogSource}
      - tb/main.cpp: {file_type: cppSource}
      - "tool_icarus ? (tb/icarus.v)"
  waivers:
    files: [lint/waive.vlt]
    file_type: vlt
parameters:
  WIDTH: {datatype: int, default: 8, paramtype: vlogparam}
  SYNTHESIS: {datatype: bool, default: true, paramtype: vlogdefine}
  LEVEL: {datatype: str, paramtype: vlogdefine}
targets:
  default: &default
    filesets: [rtl, "tool_verilator ? (waivers)"]
    toplevel: top
    parameters: [WIDTH, SYNTHESIS]
  sim:
    <<: *default
    filesets_append: [tb]
    toplevel: [tb]
    parameters: [WIDTH=16, LEVEL=2]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    source_names = (
        "rtl/top_pkg.sv",
        "rtl/defs.svh",
        "rtl/top.sv",
        "rtl/only_sim.sv",
        "tb/tb.sv",
        "tb/main.cpp",
        "tb/icarus.v",
    )
    write(tmp_path, dict.fromkeys(source_names, "") | {"top.core": TOP})
    for name in ("ff", "xilinx", "generic"):
        core = (
            f"CAPI=2:\nname: acme:prim:{name}:1.1\nfilesets:\n  rtl:\n    files: [{name}.sv]\n"
            "    file_type: systemVerilogSource\ntargets:\n  default: {filesets: [rtl]}\n"
        )
        write(tmp_path / "prim", {f"{name}.core": core, f"{name}.sv": ""})
    return tmp_path


def test_the_default_target_with_the_cores_that_it_depends_on(project: Path) -> None:
    file_list = read_core(project / "top.core", project)
    assert names(project, file_list.sources) == ["prim/ff.sv", "prim/generic.sv", "rtl/top_pkg.sv", "rtl/top.sv"]
    assert names(project, file_list.include_dirs) == ["rtl"]
    assert (file_list.tops, file_list.parameters, file_list.defines) == (("top",), ("WIDTH=8",), ("SYNTHESIS",))
    assert file_list.targets == ("default", "sim")
    (complaint,) = file_list.complaints
    assert "There is no core acme:prim:absent" in complaint.message
    assert TOP[complaint.start : complaint.end] == "acme:prim:absent"


def test_another_target_merges_the_default_one(project: Path) -> None:
    file_list = read_core(project / "top.core", project, target="sim")
    assert names(project, file_list.sources)[-3:] == ["rtl/top.sv", "rtl/only_sim.sv", "tb/tb.sv"]
    assert (file_list.tops, file_list.parameters, file_list.defines) == (("tb",), ("WIDTH=16",), ("LEVEL=2",))


def test_an_unknown_target_is_told_with_those_that_there_are(project: Path) -> None:
    file_list = read_core(project / "top.core", project, target="synth")
    assert "top.core has no target synth; there are: default, sim." in file_list.complaints[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + "filesets: {r: {files: [x.sv], file_type: verilogSource}}\n" + TARGET,
            "There is no file",
        ),
        (HEAD + TARGET, "There is no fileset r"),
        ("CAPI=2:\nname: [\n", "This is not YAML"),
        ("CAPI=2:\n", ""),
        ("", ""),
        ("3\n", ""),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, {"a.core": text})
    messages = [complaint.message for complaint in read_core(tmp_path / "a.core", tmp_path).complaints]
    assert (message in messages[0]) if message else messages == []


def test_conditions_inside_each_other_end(tmp_path: Path) -> None:
    deep = "!tool_a ? (" * 50 + "x.sv" + ")" * 50
    text = HEAD + f'filesets: {{r: {{files: ["{deep}"]}}}}\n' + TARGET
    write(tmp_path, {"a.core": text, "x.sv": ""})
    assert read_core(tmp_path / "a.core", tmp_path).sources == ()
