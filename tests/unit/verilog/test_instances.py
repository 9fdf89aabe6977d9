"""The instances of designs of many files, and modules viewed as them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchwright_verilog.semantics.behaviour.view_store import InstanceChoiceStore
from benchwright_verilog.semantics.compilation.instance_paths import DEFAULTS, InstanceChoice
from benchwright_verilog.semantics.compilation.instances import DesignInstance, InstanceTree
from benchwright_verilog.semantics.project.index import inventory
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from ...support.designs.generated_project import generated_project


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "_stamps_valid_s", lambda took_s: 0.0)


def written_project(folder: Path, **texts: str) -> Project:
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.sv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Project(folder, Documents())


def all_instances(design: InstanceTree) -> list[DesignInstance]:
    return [instance for top in design.tops() for instance in (top, *design.instances_below(top.path))]


def viewed(project: Project, instance: DesignInstance) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Path and parameters of what a module is analysed as, once it is viewed as an instance."""
    project.choose_instances(InstanceChoice(None, {instance.module: instance.as_reference}))
    assert instance.declaration is not None
    analysis = project.analysis_of(instance.declaration.path)
    body = analysis.module_body(instance.module) if analysis is not None else None
    assert body is not None
    values = {parameter.name: str(getattr(parameter, "value", "")) for parameter in body.parameters}
    return body.hierarchicalPath, tuple((name, values[name]) for name, _ in instance.parameters)


@pytest.mark.parametrize("file_list", [True, False], ids=["list", "folder"])
def test_a_module_has_the_parameters_of_whatever_instance_it_is_viewed_as(tmp_path: Path, file_list: bool) -> None:
    project = Project(generated_project(60).write(tmp_path, file_list=file_list), Documents())
    instances = all_instances(project.instance_tree_of(tmp_path / "any.sv"))
    assert len(instances) > 150
    for instance in random.Random(1).sample(instances, 25):
        path, viewed_parameters = viewed(project, instance)
        assert path == instance.path
        numbers = {name: value for name, value in instance.parameters if value.isdecimal()}
        assert {name: value.rpartition("d")[2] for name, value in viewed_parameters if name in numbers} == numbers


def test_of_modules_of_one_name_those_on_the_path_count(tmp_path: Path) -> None:
    project = written_project(
        tmp_path,
        lib__cell="module cell_ #(N = 1) (); endmodule",
        lib__wrap="module wrap; cell_ #(2) near (); endmodule",
        far__away__wrap="module wrap; cell_ #(3) distant (); endmodule",
        far__away__top="module top; wrap w (); endmodule",
    )
    instances = all_instances(project.instance_tree_of(tmp_path / "lib/cell.sv"))
    (instance,) = [candidate for candidate in instances if candidate.module == "cell_"]
    assert viewed(project, instance)[0] == instance.path


def test_what_a_bind_adds_to_a_top_can_be_viewed(tmp_path: Path) -> None:
    project = written_project(
        tmp_path,
        checks="module checks #(N = 1) (); endmodule",
        binding="module binding; bind top checks #(5) bound (); endmodule",
        top="module top; endmodule",
    )
    (instance,) = [
        some_instance
        for some_instance in all_instances(project.instance_tree_of(tmp_path / "top.sv"))
        if some_instance.module == "checks"
    ]
    assert (instance.path, instance.parameters) == ("top.bound", (("N", "5"),))
    assert viewed(project, instance) == ("top.bound", (("N", "5"),))


@pytest.mark.parametrize("is_in_module", [True, False], ids=["in a module", "in a file"])
def test_what_a_bind_adds_below_a_top_can_be_viewed(tmp_path: Path, is_in_module: bool) -> None:
    bind = "bind dut checks #(W + 1) bound ();"
    project = written_project(
        tmp_path,
        checks="module checks #(N = 1) (); endmodule",
        binding=f"module binding; {bind} endmodule" if is_in_module else bind,
        dut="module dut #(W = 1) (); endmodule",
        top="module top; dut #(6) first (); dut #(8) second (); endmodule",
    )
    bound_instances = [
        some_instance
        for some_instance in all_instances(project.instance_tree_of(tmp_path / "top.sv"))
        if some_instance.module == "checks"
    ]
    assert [instance.path for instance in bound_instances] == ["top.first.bound", "top.second.bound"]
    for instance, value in zip(bound_instances, ("7", "9"), strict=True):
        assert viewed(project, instance) == (instance.path, (("N", value),))
    # The chosen path leads nowhere any more: every module is there with its default parameters.
    (tmp_path / "top.sv").write_text("module top; endmodule")
    for name in ("checks", "dut"):
        analysis = project.analysis_of(tmp_path / f"{name}.sv")
        body = analysis.module_body(name) if analysis is not None else None
        assert body is not None
        assert body.hierarchicalPath == name


def test_a_path_that_leads_nowhere_any_more_gives_the_default_parameters(tmp_path: Path) -> None:
    project = written_project(tmp_path, a="module a #(N = 1) (); endmodule", b="module b; a #(7) u (); endmodule")
    (instance,) = project.instance_tree_of(tmp_path / "a.sv").instances_of_module("a")
    assert viewed(project, instance)[0] == "b.u"
    (tmp_path / "b.sv").write_text("module b; a #(7) other (); endmodule")
    analysis = project.analysis_of(tmp_path / "a.sv")
    assert analysis is not None
    body = analysis.module_body("a")
    assert body is not None
    assert body.hierarchicalPath == "a"


def test_escaped_names_and_arrays_are_found_again_by_their_paths(tmp_path: Path) -> None:
    project = written_project(
        tmp_path,
        a="module a #(N = 1) (); endmodule",
        b="module b; a #(2) \\x.y (); a #(3) many [1:0][1:0] (); if (1) begin : g a #(4) \\g[0] (); end endmodule",
    )
    design = project.instance_tree_of(tmp_path / "a.sv")
    instances = design.instances_of_module("a")
    assert len(instances) == 6
    for instance in instances:
        assert [last.path for last in design.instances_along(instance.path)][-1] == instance.path
        assert instance.instantiation_span is not None
        text = (tmp_path / "b.sv").read_bytes()[instance.instantiation_span.start : instance.instantiation_span.end]
        assert text in (b"\\x.y", b"many", b"\\g[0]")


def test_a_module_that_instantiates_itself_ends_somewhere(tmp_path: Path) -> None:
    project = written_project(tmp_path, a="module top; a u (); endmodule module a; a u (); endmodule")
    design = project.instance_tree_of(tmp_path / "a.sv")
    assert [top.path for top in design.tops()] == ["top"]
    assert len(design.instances_of_module("a")) < 20_000


def test_a_folder_without_designs_has_no_hierarchy(tmp_path: Path) -> None:
    design = Project(tmp_path, Documents()).instance_tree_of(tmp_path / "any.sv")
    assert (design.tops(), design.children("top"), list(design.instances_of_module("top"))) == ([], None, [])


def test_a_view_is_kept_until_it_is_the_default_again(tmp_path: Path) -> None:
    store = InstanceChoiceStore(tmp_path / "views")
    project = written_project(
        tmp_path / "design", a="module a #(N = 1) (); endmodule", b="module b; a #(7) u (); endmodule"
    )
    (instance,) = project.instance_tree_of(tmp_path / "design" / "a.sv").instances_of_module("a")
    view = InstanceChoice("b", {"a": instance.as_reference})
    store.save(tmp_path / "design", view)
    assert InstanceChoiceStore(tmp_path / "views").load_or_defaults(tmp_path / "design") == view
    assert store.load_or_defaults(tmp_path / "other") == DEFAULTS
    (view_file,) = (tmp_path / "views").iterdir()
    view_file.write_text('{"top": 3, "instances": [1]}')
    assert store.load_or_defaults(tmp_path / "design") == DEFAULTS
    store.save(tmp_path / "design", DEFAULTS)
    assert list((tmp_path / "views").iterdir()) == []
