"""Checks that `./test --changed` runs for a change."""

from __future__ import annotations

import pytest
from changed import select_stages
from stages import all_stages


def selected(*paths: str) -> tuple[set[str], set[str]]:
    """The names of stages, and the files of Python tests."""
    stages, files = select_stages(all_stages(), list(paths))
    assert files is not None
    return {stage.name for stage in stages}, set(files)


def test_a_page_is_checked_with_the_documentation_alone() -> None:
    assert selected("docs/index.md") == ({"lint", "docs"}, set())


def test_the_extension_is_checked_in_the_browser() -> None:
    assert selected("client-vscode/src/problems/tree.ts") == ({"lint", "client", "e2e"}, set())


def test_what_a_feature_loads_by_name_is_tested_by_an_editor() -> None:
    stages, files = selected("verilog/benchwright_verilog/language/hints.py")
    assert {"types", "imports", "unit", "lsp"} <= stages
    assert "tests/lsp/test_inlay_hints.py" in files
    assert not any(file.startswith("tests/unit/judges/") for file in files)


def test_what_tests_share_touches_those_that_use_it_through_fixtures() -> None:
    _, files = selected("tests/support/service/postgres.py")
    assert "tests/integration/test_bench_service_roster.py" in files
    assert "tests/integration/test_cvdp_examples.py" not in files


@pytest.mark.parametrize("path", ["pyproject.toml", "setup/stages.py", "tests/conftest.py"])
def test_what_everything_depends_on_runs_everything(path: str) -> None:
    stages, files = select_stages(all_stages(), [path])
    assert (len(stages), files) == (len(all_stages()), None)
