"""Files that the scan calls plain are plain: thousands of odd ones, read by the scan, Icarus, Verilator and Yosys."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.scan import synthesis
from benchwright_harness.scan.rules import rule_of_system_task, rules
from benchwright_harness.scan.source import rule_matches
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import ScanAction

from ..support.machine.toolchain_tree import command_in_tree
from .mutants import mutants

COUNT = 2300
SEED = 20261122
HERE = Path(__file__).parent
Readings = Mapping[str, Mapping[str, list[str] | None]]


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return Toolchain.find(Home.from_environment().cache)


def plain(content: bytes) -> set[str]:
    """The flows in which a file has nothing that is refused or noted: `default`, `lint`, `synthesis`."""
    rule_names = {construct.rule for construct in rule_matches("rtl/t.v", content)}
    flows = set()
    for flow in ("default", "lint", "synthesis"):
        synthesis_rules = (
            {rule for rule, _, _ in synthesis.synthesis_findings(content)} if flow == "synthesis" else set()
        )
        actions = {name: getattr(rule, flow, None) or rule.action for name, rule in rules().items()}
        if all(actions[rule] is ScanAction.ALLOW for rule in rule_names | synthesis_rules):
            flows.add(flow)
    return flows


def readings(files: Mapping[str, bytes], folder: Path, toolchain: Toolchain) -> Readings:
    """Words that tools read in files, in the toolchain's own tree."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    tools = {
        name: value.replace("/opt/benchwright/inside/bin:", "")
        for name, value in toolchain.environment(ToolSelection()).items()
    }
    options = ["--ro-bind", str(folder), "/files", "--ro-bind", str(HERE / "readings.py"), "/tmp/readings.py"]
    command = [*command_in_tree(toolchain, options, tools), "python3", "/tmp/readings.py", "/files"]
    process = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    tool_readings: Readings = json.loads(process.stdout)
    return tool_readings


@pytest.mark.alone
def test_nothing_that_a_tool_takes_for_more_or_for_another_design_is_plain(
    tmp_path: Path, toolchain: Toolchain, nightly: bool
) -> None:
    plain_flows = {content: plain(content) for content in mutants(SEED, COUNT * (10 if nightly else 1))}
    cases = {content: flows for content, flows in plain_flows.items() if flows}
    # Yosys is slow to start; it reads one of eight that are plain for it.
    named_contents = {
        f"{number:05}{'s' if 'synthesis' in flows and number % 8 == 0 else ''}.v": content
        for number, (content, flows) in enumerate(cases.items())
    }
    complaints, accepted_counts = [], Counter[str]()
    for name, tools in readings(named_contents, tmp_path, toolchain).items():
        content = named_contents[name]
        accepted_counts.update(tool for tool, words in tools.items() if words is not None)
        if complaint := _complaint(plain_flows[content], tools):
            complaints.append(f"{complaint}: {content!r}")
    print(len(plain_flows), len(cases), accepted_counts)
    assert not complaints, "\n".join([f"{len(complaints)} files", *sorted(complaints, key=len)[:20]])
    # A test of files that nobody takes proves nothing.
    assert min(accepted_counts["icarus"], accepted_counts["verilator"]) > len(plain_flows) // 10, accepted_counts
    assert accepted_counts["yosys"] > 0


def _complaint(flows: set[str], tools: Mapping[str, list[str] | None]) -> str:
    for tool, words in tools.items():
        for word in words or ():
            if word[0] == "$" and rule_of_system_task(word[1:]) not in {"plain", "print", "load", "wave", "unknown"}:
                return f"{tool} takes {word}"
    marks = {tool: {word for word in words if word[0] != "$"} for tool, words in tools.items() if words is not None}
    tool_pairs = [("icarus", "verilator")] if "lint" in flows else []
    tool_pairs += [("icarus", "yosys"), ("verilator", "yosys")]
    if any(left in marks and right in marks and marks[left] != marks[right] for left, right in tool_pairs):
        return f"two designs, {marks}"
    return ""
