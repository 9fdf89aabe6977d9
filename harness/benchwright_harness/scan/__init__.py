"""What a submission asks the simulator to do beyond simulating: files, programs, other people's results.

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
from benchwright_harness.scan.rules import rule_of
from benchwright_harness.scan.rules import rules as _rules
from benchwright_harness.scan.source import Found, read
from benchwright_problems.category import Category
from benchwright_problems.problem import Problem, ScanAction

_VERILOG = (".v", ".sv", ".vh", ".svh", ".vp", ".svp", ".inc")
_TESTBENCH = frozenset({Category.STIMULUS, Category.CHECKER, Category.ASSERTION})
_SYNTHESISER = re.compile(r"\byosys\b")
_LINTER = re.compile(r"--lint-only\b")
# Which tool reads a file how does not depend on what else is in it.
_NEVER_USUAL = frozenset({"character", "ambiguous"})
_OTHERS = {"`line": "location", "`verilator_config": "native", "verilator": "tool-comment"}
_MAX_FINDINGS = 50
_MAX_QUOTED = 60


class Finding(Model):
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


def rules() -> tuple[str, ...]:
    """The names that a problem may give other actions."""
    return tuple(_rules())


def without_mark(path: str, content: bytes) -> bytes:
    """A Verilog file without the byte order mark that editors may put before it, and some tools can't read."""
    return content.removeprefix(characters.BYTE_ORDER_MARK) if _is_verilog(path) else content


def scan(problem: Problem, solution: Mapping[str, bytes]) -> tuple[Finding, ...]:
    """Findings about the files that a problem takes from a solution; those that are allowed are left out.

    What the problem's own files or its reference do is nobody's attack, and allowed.

    Args:
        problem: With its hidden part, whose `scan` overrides the defaults.
        solution: Path → content.
    """
    actions = _actions(problem)
    is_synthesised = actions["simulation-only"] is not ScanAction.ALLOW
    own = {path: text.encode() for path, text in problem.public.files.items()}
    reference = {path: text.encode() for path, text in problem.hidden.reference.items()}
    others = {path: content for path, content in {**own, **solution}.items() if _is_verilog(path)}
    found = []
    for path in _sources(problem, solution):
        content = without_mark(path, solution[path])
        if content in (own.get(path), reference.get(path)):
            continue
        beside = [content for other, content in others.items() if other != path] if is_synthesised else []
        for one in _read(path, content, is_synthesised, beside):
            if actions[one.rule] is not ScanAction.ALLOW:
                found.append(_finding(path, content, one, actions[one.rule]))
                if len(found) >= _MAX_FINDINGS:
                    break
    if not found:
        return ()
    given = [*own.items(), *reference.items()]
    usual = {
        (one.rule, one.what[:_MAX_QUOTED])
        for path, content in given
        if _is_verilog(path)
        for one in _read(path, content, is_synthesised, ())
        if one.rule not in _NEVER_USUAL
    }
    return tuple(sorted((one for one in found if (one.rule, one.what) not in usual), key=_place))


def refused_tasks(problem: Problem) -> dict[str, str]:
    """System tasks that a problem refuses → the rule, for compilers that say what they have compiled.

    As with `scan`, what the problem's own files or its reference call is allowed. Besides, names of directives, and
    "verilator" for the comments that speak to it.
    """
    given = "".join((*problem.public.files.values(), *problem.hidden.reference.values()))
    actions = _actions(problem)
    rules_of = {f"${name}": rule for name, rule in rule_of().items()} | _OTHERS
    refused = {task: rule for task, rule in rules_of.items() if actions.get(rule) is ScanAction.REFUSE}
    return {task: rule for task, rule in refused.items() if task not in given}


def _actions(problem: Problem) -> dict[str, ScanAction]:
    is_testbench = problem.category in _TESTBENCH
    harness = problem.hidden.harness.values()
    actions = {name: rule.testbench if is_testbench else rule.action for name, rule in _rules().items()}
    if any(map(_SYNTHESISER.search, harness)):
        actions |= {name: rule.synthesis for name, rule in _rules().items() if rule.synthesis is not None}
    if any(map(_LINTER.search, harness)):
        actions |= {name: rule.lint for name, rule in _rules().items() if rule.lint is not None}
    return actions | problem.hidden.scan


def _sources(problem: Problem, solution: Mapping[str, bytes]) -> list[str]:
    """The paths of what is Verilog, also by being named in some that is."""
    taken = [path for path in problem.public.expected if path in solution]
    verilog = [path for path in taken if _is_verilog(path)]
    names = {path: posixpath.basename(path).encode() for path in taken if path not in verilog}
    return verilog + [path for path, name in names.items() if any(name in solution[one] for one in verilog)]


def _read(path: str, content: bytes, is_synthesised: bool, beside: Iterable[bytes]) -> Iterator[Found]:
    yield from read(path, content)
    if is_synthesised:
        yield from map(Found._make, synthesis.find(content, beside))


def _finding(path: str, content: bytes, found: Found, action: ScanAction) -> Finding:
    line = content.count(b"\n", 0, found.at) + 1
    column = found.at - content.rfind(b"\n", 0, found.at)
    what = found.what[:_MAX_QUOTED]
    return Finding(path=path, line=line, column=column, rule=found.rule, what=what, action=action)


def _place(finding: Finding) -> tuple[bool, str, int, int]:
    """What is refused first, for the first is what people are told."""
    return finding.action is not ScanAction.REFUSE, finding.path, finding.line, finding.column


def _is_verilog(path: str) -> bool:
    return path.lower().endswith(_VERILOG)
