"""Every rule that is explained: the tool itself reports it in the wrong example and not in the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_harness.toolchain import Toolchain
from benchwright_server.linters.verible import verible_lint
from benchwright_server.linters.verilator import verilator_lint
from benchwright_verilog.findings.explained_rules import (
    ExplainedRule,
    explained_rules,
    explanation_of_rule,
    tools_with_explained_rules,
)
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings as ProjectSettings
from benchwright_verilog.syntax.documents import Documents

NAME = "example.sv"


def rule_parameters(tool: str) -> list[object]:
    return [pytest.param(rule, id=name) for name, rule in explained_rules(tool).items()]


def found_by_slang(folder: Path, text: str, rule: str) -> set[str]:
    # Rules that are off by default are explained too, for those who turn them on.
    path = folder / NAME
    path.write_text(text)
    analysis = Project(folder, Documents(), ProjectSettings(warnings=(rule,))).analysis_of(path)
    assert analysis is not None
    return {diagnostic.rule for diagnostic in analysis.diagnostics}


@pytest.mark.parametrize("rule", rule_parameters("slang"))
def test_slang_reports_what_is_wrong_and_only_that(rule: ExplainedRule, tmp_path: Path) -> None:
    assert rule.rule in found_by_slang(tmp_path, rule.wrong, rule.rule)
    assert rule.rule not in found_by_slang(tmp_path, rule.right, rule.rule)


@pytest.mark.parametrize("rule", rule_parameters("verilator"))
async def test_verilator_reports_what_is_wrong_and_only_that(
    rule: ExplainedRule, tmp_path: Path, toolchain: Toolchain
) -> None:
    async def reported_rules(text: str) -> set[str]:
        (tmp_path / NAME).write_text(text)
        return {finding.rule for finding in await verilator_lint(tmp_path, NAME, toolchain)}

    assert rule.rule in await reported_rules(rule.wrong)
    assert rule.rule not in await reported_rules(rule.right)


@pytest.mark.parametrize("rule", rule_parameters("verible"))
async def test_verible_reports_what_is_wrong_and_only_that(rule: ExplainedRule) -> None:
    assert rule.rule in {finding.rule for finding in await verible_lint(NAME, rule.wrong)}
    assert rule.rule not in {finding.rule for finding in await verible_lint(NAME, rule.right)}


def test_a_rule_is_found_by_its_name_and_tool() -> None:
    rule = explanation_of_rule("LATCH")
    assert rule is not None
    assert rule.tool == "verilator"
    assert rule.markdown.count("```systemverilog\nmodule") == 2
    assert explanation_of_rule("LATCH", "slang") is None
    assert explanation_of_rule("LATCH", "../verilator") is None
    assert explanation_of_rule("no-such-rule") is None


def test_each_tool_has_explanations() -> None:
    assert tools_with_explained_rules() == ("slang", "verible", "verilator")
    assert all(len(explained_rules(tool)) > 40 for tool in tools_with_explained_rules())
