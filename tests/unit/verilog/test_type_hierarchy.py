"""The type hierarchy of generated class libraries, of which it is known what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity
from benchwright_verilog.semantics.names.type_hierarchy import ClassNode, class_at, subtypes, supertypes
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from ...support.designs.generated_classes import GeneratedClasses, generated_classes


@pytest.fixture(scope="module")
def library() -> GeneratedClasses:
    return generated_classes(60)


@pytest.fixture(scope="module")
def project(library: GeneratedClasses, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(library.write(tmp_path_factory.mktemp("library")), Documents())


def node(project: Project, library: GeneratedClasses, name: str) -> ClassNode:
    assert project.folder is not None
    path = project.folder / library.homes[name]
    analysis = project.analysis_of(path)
    assert analysis is not None
    class_node = class_at(project, analysis, analysis.data.index(f"class {name}".encode()) + len("class "))
    assert class_node is not None
    assert (class_node.name, class_node.path) == (name, path)
    return class_node


def test_slang_accepts_the_library(project: Project, library: GeneratedClasses) -> None:
    assert project.folder is not None
    for name in library.texts:
        analysis = project.analysis_of(project.folder / name)
        assert analysis is not None
        assert [
            diagnostic.message for diagnostic in analysis.diagnostics if diagnostic.severity is DiagnosticSeverity.ERROR
        ] == [], name


def test_every_class_has_the_supertypes_that_it_was_given(project: Project, library: GeneratedClasses) -> None:
    parents = {
        name: tuple(class_node.name for class_node in supertypes(project, node(project, library, name)))
        for name in library.parents
    }
    assert parents == library.parents


def test_every_class_has_the_subtypes_that_it_was_given(project: Project, library: GeneratedClasses) -> None:
    names = list(library.parents)
    children = {
        name: [class_node.name for class_node in subtypes(project, node(project, library, name))] for name in names
    }
    assert children == {name: library.children(name) for name in names}


def test_a_header_that_is_read_alone_has_at_least_its_own_classes(tmp_path: Path) -> None:
    (tmp_path / "a.svh").write_text("class a; endclass\nclass b extends a; endclass\n")
    project = Project(tmp_path, Documents())
    analysis = project.analysis_of(tmp_path / "a.svh")
    assert analysis is not None
    class_node = class_at(project, analysis, len("class "))
    assert class_node is not None
    assert [subtype.name for subtype in subtypes(project, class_node)] == ["b"]
