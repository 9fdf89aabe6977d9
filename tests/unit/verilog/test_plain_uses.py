"""Uses that are found by their surroundings mean what compiling the file would have told."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchwright_verilog.semantics.names import navigation
from benchwright_verilog.semantics.names.occurrence import NameRole, Occurrence, Target, TargetKind
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.index.plain_uses import PLAIN_KINDS, PlainName
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from ...support.designs.generated_project import generated_project

CORE = Path(__file__).parents[4] / "shared/data/projects/ibex.json"
WORD = PlainName("word_t", TargetKind.TYPE, "p")
LIMIT = PlainName("LIMIT", TargetKind.LOCALPARAM, "p")
TASK = PlainName("go", TargetKind.TASK, "p")
CLASS = PlainName("item", TargetKind.CLASS, "p")
CELL = PlainName("cell", TargetKind.MODULE)
PACKAGE = PlainName("p", TargetKind.PACKAGE)


@pytest.mark.parametrize(
    ("plain_name", "text", "roles"),
    [
        (WORD, "import p::*; word_t a; word_t [1:0][N-1:0] b; initial c = word_t'(a);", [NameRole.TYPE] * 3),
        (WORD, "p::word_t a; function p::word_t f(p::word_t x);", [NameRole.TYPE] * 3),
        (WORD, "import p::word_t;", [NameRole.IMPORT]),
        (WORD, "module m import q::*, p::word_t;", [NameRole.IMPORT]),
        (LIMIT, "assign a = p::LIMIT + 1; // LIMIT", [NameRole.READ]),
        (TASK, "initial p::go(1);", [NameRole.CALL]),
        (CLASS, "import p::*; item one = item::type_id::create();", [NameRole.TYPE, NameRole.NAME]),
        (CELL, "cell u_a (); if (x) cell #(.N(1)) u_b ();", [NameRole.INSTANTIATION] * 2),
        (PACKAGE, "import p::*; assign a = p::LIMIT;", [NameRole.IMPORT, NameRole.NAME]),
        (CELL, 'initial $display("cell x"); /* cell y (); */', []),
    ],
)
def test_a_use_is_plain(plain_name: PlainName, text: str, roles: list[NameRole]) -> None:
    uses = plain_name.uses_if_certain(Outline(text.encode()))
    assert uses is not None
    assert [use.role for use in uses] == roles
    assert {text[use.start : use.end] for use in uses} <= {plain_name.name}


@pytest.mark.parametrize(
    ("plain_name", "text"),
    [
        (WORD, "word_t a;"),
        (WORD, "import p::*; assign a = word_t;"),
        (WORD, "import p::*; assign a = word_t[1] & b;"),
        (WORD, "import p::*; typedef logic word_t;"),
        (WORD, "import p::*; q::word_t a;"),
        (WORD, "import p::*; `DECLARE(word_t a)"),
        (WORD, "import p::*;\n`ifdef X\nword_t a;\n`endif"),
        (WORD, "import p::*; `word_t a;"),
        (WORD, "export p::word_t;"),
        (LIMIT, "import p::*; assign a = LIMIT;"),
        (LIMIT, "assign a = q::p::LIMIT;"),
        (CELL, "module cell #(int N = 1) (); endmodule"),
        (CELL, "begin : cell x = 1; end"),
        (CELL, "bind cell probe u_probe ();"),
        (CELL, "assign a = cell;"),
        (CELL, "wire cell; assign b = x.cell;"),
        (PACKAGE, "package p; endpackage"),
        (PlainName("a+b", TargetKind.MODULE), "\\a+b u ();"),
    ],
)
def test_a_use_may_be_something_else(plain_name: PlainName, text: str) -> None:
    assert plain_name.uses_if_certain(Outline(text.encode())) is None


@pytest.fixture
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation, "_FEW", 0)


def found_occurrences(project: Project, target: Target) -> set[Occurrence]:
    return set(navigation.references(project, target))


def compiled(project: Project, target: Target, monkeypatch: pytest.MonkeyPatch) -> set[Occurrence]:
    """The references by compiling every file that has the name."""
    with monkeypatch.context() as patched:
        patched.setattr(navigation, "_plain_name_if_unit_or_package_item", lambda target: None)
        patched.setattr(
            navigation, "_names_of_files_that_may_see", lambda files, package: {path.name for path, _ in files}
        )
        return found_occurrences(project, target)


def require_the_same(project: Project, names: Sequence[str], place_count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At random places, both ways of searching have to find the same."""
    assert project.folder is not None
    dice, searched = random.Random(place_count), 0
    for _ in range(place_count):
        analysis = project.analysis_of(project.folder / dice.choice(names))
        assert analysis is not None
        offsets = [match.start() for match in re.finditer(rb"\b[a-zA-Z_]\w+", analysis.outline.code)]
        for offset in dice.sample(offsets, min(8, len(offsets))):
            for target in {
                occurrence.target
                for occurrence in analysis.occurrences_at(offset)
                if occurrence.target.target_kind in PLAIN_KINDS
            }:
                searched += 1
                assert found_occurrences(project, target) == compiled(project, target, monkeypatch), target
    assert searched > place_count


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("file_list", [True, False], ids=["list", "folder"])
def test_references_are_those_of_compiling_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file_list: bool
) -> None:
    generated = generated_project(60)
    project = Project(generated.write(tmp_path, file_list=file_list), Documents())
    require_the_same(project, generated.listed_files, 12, monkeypatch)


@pytest.mark.usefixtures("_always")
def test_references_in_a_real_core_are_those_of_compiling_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not CORE.is_file():
        pytest.skip(f"{CORE} is not there: the core is not shipped")
    texts: dict[str, str] = json.loads(CORE.read_text())
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    project = Project(tmp_path, Documents())
    names = [name for name in texts if name.endswith(".sv")]
    require_the_same(project, names, 12, monkeypatch)


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize(
    "other_texts",
    [
        "package q; localparam word_t = 3; endpackage\nmodule n; import q::*; wire w = word_t'(1); endmodule\n",
        "package q; class base #(type word_t = int); endclass endpackage\n"
        "package r; import q::*; import p::*; class d extends base #(byte); word_t x; endclass endpackage\n",
    ],
)
def test_where_something_else_has_the_name_every_file_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other_texts: str
) -> None:
    (tmp_path / "p.sv").write_text("package p; typedef logic [3:0] word_t; endpackage\n")
    (tmp_path / "m.sv").write_text("module m; import p::*; word_t a; endmodule\n")
    for number, text in enumerate(other_texts.splitlines()):
        (tmp_path / f"other_{number}.sv").write_text(text)
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "m.sv")
    assert analysis is not None
    target = analysis.occurrences_at(analysis.data.index(b"word_t"))[0].target
    assert target.path.name == "p.sv"
    assert found_occurrences(project, target) == compiled(project, target, monkeypatch)


def test_a_routine_of_another_language_is_found(tmp_path: Path) -> None:
    text = 'package p; import "DPI-C" function int foo(input int a); endpackage\n'
    (tmp_path / "p.sv").write_text(text)
    (tmp_path / "m.sv").write_text("module m; import p::*; initial $display(foo(1)); endmodule\n")
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "p.sv")
    assert analysis is not None
    (declared_occurrence,) = analysis.occurrences_at(text.index("foo"))
    assert {
        (occurrence.path.stem, occurrence.role) for occurrence in found_occurrences(project, declared_occurrence.target)
    } == {
        ("p", NameRole.DECLARATION),
        ("m", NameRole.CALL),
    }
