"""Requests of a submission to the simulator beyond simulating: files, programs, other people's results.

The source is read as slang's lexer does, in all branches of its conditions and with macros unexpanded, since
tools differ in which branch they take. What a macro could assemble, or is source to one tool and a comment to
another, is itself a finding. Sandbox and guard hold without the scan; it is the layer that can report, before
anything runs, what is wrong and where.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from benchwright_foundation.model import Model
from benchwright_harness.scan import characters, synthesis
from benchwright_harness.scan.rules import rule_by_system_task
from benchwright_harness.scan.rules import rules as _rules
from benchwright_harness.scan.source import RuleMatch, rule_matches
from benchwright_problems.category import Category
from benchwright_problems.problem import Problem, ScanAction

_VERILOG = (".v", ".sv", ".vh", ".svh", ".vp", ".svp", ".inc")
_TESTBENCH = frozenset({Category.STIMULUS, Category.CHECKER, Category.ASSERTION})
_SYNTHESISER = re.compile(r"\byosys\b")
_LINTER = re.compile(r"--lint-only\b")
_MONITOR = re.compile(r"\$monitor[bho]?\b")
# Which tool reads a file how does not depend on what else is in it.
_NEVER_USUAL = frozenset({"character", "ambiguous"})
_OTHERS = {"`line": "location", "`verilator_config": "native", "verilator": "tool-comment"}
_REFUSABLE = re.compile(r"[$`]\w+|verilator")
_MAX_FINDINGS = 50
_MAX_QUOTED = 60


class ScanFinding(Model):
    """Something in a submission that a policy has a rule for. It quotes only the solver's own source."""

    path: str
    line: int
    """From 1."""
    column: int
    """From 1, in bytes."""
    rule: str
    """A name in `scan.json`."""
    what: str
    """The words found."""
    action: ScanAction

    def __str__(self) -> str:
        says = _rules()[self.rule].says.format(what=self.what)
        return f"{self.path}, line {self.line}, column {self.column}: {says} (rule {self.rule})"


def rule_names() -> tuple[str, ...]:
    """The names that a problem may give other actions."""
    return tuple(_rules())


def without_byte_order_mark(path: str, content: bytes) -> bytes:
    """A Verilog file without the byte order mark that editors may put before it, and some tools can't read."""
    return content.removeprefix(characters.BYTE_ORDER_MARK) if _is_verilog(path) else content


def scan_solution(problem: Problem, solution: Mapping[str, bytes]) -> tuple[ScanFinding, ...]:
    """Findings about the files that a problem takes from a solution; those that are allowed are left out.

    What the problem's own files or its reference do is nobody's attack, and allowed.

    Args:
        problem: Problem with its hidden part, whose `scan` overrides the defaults.
        solution: Path → content.
    """
    actions = _action_by_rule(problem)
    is_synthesised = actions["simulation-only"] is not ScanAction.ALLOW
    given_files = {path: text.encode() for path, text in problem.public.files.items()}
    reference = {path: text.encode() for path, text in problem.hidden.reference.items()}
    verilog_files = {path: content for path, content in {**given_files, **solution}.items() if _is_verilog(path)}
    findings = []
    for path in _verilog_paths(problem, solution):
        content = without_byte_order_mark(path, solution[path])
        if content in (given_files.get(path), reference.get(path)):
            continue
        other_contents = (
            [content for other_path, content in verilog_files.items() if other_path != path] if is_synthesised else []
        )
        for hit in _rule_matches(path, content, is_synthesised, other_contents):
            if actions[hit.rule] is not ScanAction.ALLOW:
                findings.append(_finding(path, content, hit, actions[hit.rule]))
                if len(findings) >= _MAX_FINDINGS:
                    break
    if not findings:
        return ()
    usual_files = [*given_files.items(), *reference.items()]
    usual = {
        (hit.rule, hit.words[:_MAX_QUOTED])
        for path, content in usual_files
        if _is_verilog(path)
        for hit in _rule_matches(path, content, is_synthesised, ())
        if hit.rule not in _NEVER_USUAL
    }
    return tuple(sorted((finding for finding in findings if (finding.rule, finding.what) not in usual), key=_sort_key))


def hands_in_testbench(problem: Problem) -> bool:
    """True if solvers write a testbench or assertions, and so may reach into what they test."""
    return problem.category in _TESTBENCH


def rule_by_refused_word(problem: Problem) -> dict[str, str]:
    """System tasks that a problem refuses → the rule, for compilers that say what they have compiled.

    As with `scan`, what the problem's own files or its reference call is allowed. Besides, names of directives, and
    "verilator" for the comments that speak to it.
    """
    given_texts = (*problem.public.files.values(), *problem.hidden.reference.values())
    # A repository has megabytes, and each word would be looked for in all of them.
    given_words = " ".join(word for text in given_texts for word in _REFUSABLE.findall(text))
    actions = _action_by_rule(problem)
    rule_by_word = {f"${name}": rule for name, rule in rule_by_system_task().items()} | _OTHERS
    refused_rules = {task: rule for task, rule in rule_by_word.items() if actions.get(rule) is ScanAction.REFUSE}
    return {task: rule for task, rule in refused_rules.items() if task not in given_words}


def _action_by_rule(problem: Problem) -> dict[str, ScanAction]:
    harness = problem.hidden.harness.values()
    actions = {name: rule.testbench if hands_in_testbench(problem) else rule.action for name, rule in _rules().items()}
    if any(map(_SYNTHESISER.search, harness)):
        actions |= {name: rule.synthesis for name, rule in _rules().items() if rule.synthesis is not None}
    if any(map(_LINTER.search, harness)):
        actions |= {name: rule.lint for name, rule in _rules().items() if rule.lint is not None}
    if any(map(_MONITOR.search, harness)) and not hands_in_testbench(problem):
        actions |= {name: rule.monitored for name, rule in _rules().items() if rule.monitored is not None}
    return actions | problem.hidden.scan


def _verilog_paths(problem: Problem, solution: Mapping[str, bytes]) -> list[str]:
    """The paths of what is Verilog, also by being named in some that is."""
    solved_paths = [path for path in problem.public.expected if path in solution]
    verilog = [path for path in solved_paths if _is_verilog(path)]
    names = {path: posixpath.basename(path).encode() for path in solved_paths if path not in verilog}
    return verilog + [
        path for path, name in names.items() if any(name in solution[verilog_path] for verilog_path in verilog)
    ]


def _rule_matches(
    path: str, content: bytes, is_synthesised: bool, other_contents: Iterable[bytes]
) -> Iterator[RuleMatch]:
    yield from rule_matches(path, content)
    if is_synthesised:
        yield from map(RuleMatch._make, synthesis.synthesis_findings(content, other_contents))


def _finding(path: str, content: bytes, rule_match: RuleMatch, action: ScanAction) -> ScanFinding:
    line = content.count(b"\n", 0, rule_match.offset) + 1
    column = rule_match.offset - content.rfind(b"\n", 0, rule_match.offset)
    words = rule_match.words[:_MAX_QUOTED]
    return ScanFinding(path=path, line=line, column=column, rule=rule_match.rule, what=words, action=action)


def _sort_key(finding: ScanFinding) -> tuple[bool, str, int, int]:
    """Order of findings: those that are refused first, for the first is what people are told."""
    return finding.action is not ScanAction.REFUSE, finding.path, finding.line, finding.column


def _is_verilog(path: str) -> bool:
    return path.lower().endswith(_VERILOG)
