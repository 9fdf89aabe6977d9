"""What compilers said of the solver's own files, without what only the hidden ones have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from benchwright_harness.decision.report import Report
from benchwright_problems.problem import Problem
from benchwright_problems.verdict import CompilerMessage, Reason, Verdict

_MOST, _LONGEST = 20, 300
# Icarus and Yosys: `/code/rtl/a.sv:6: error: …`, or without a kind for syntax errors.
_PLAIN = re.compile(
    r"(?P<path>[^\s:][^:]*):(?P<line>\d+): (?:(?P<kind>error|Error|ERROR|sorry|warning|Warning): )?(?P<text>.+)"
)
_VERILATOR = re.compile(
    r"%(?P<kind>Error|Warning)(?:-(?P<rule>\w+))?: "
    r"(?P<path>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<text>.+)"
)
_WARNINGS = frozenset({"warning", "Warning"})
_SAID_BY_DESIGN = frozenset({"USERERROR", "USERFATAL", "USERWARN", "USERINFO"})
"""Verilator's rules for what the design itself has printed: it could print a hidden parameter."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTES = "`'\"."
_WORKDIR = "/code/"
_CUT = "…"


def add_compiler_messages(
    verdict: Verdict, problem: Problem, solution: Mapping[str, bytes], reports: Iterable[Report]
) -> Verdict:
    """A verdict that a design does not build, with what compilers say of it; any other verdict is returned as it is.

    Args:
        verdict: Of the run.
        problem: With its hidden part.
        solution: The solver's files.
        reports: Of all steps.
    """
    if verdict.reason is not Reason.BUILD_FAILED:
        return verdict
    foreign = _hidden_words(problem, solution)
    said = (line for report in reports for tool in report.tools if tool.status for line in tool.said.splitlines())
    found = list(dict.fromkeys(_messages(said, problem.public.expected, foreign)))
    if not found:
        return verdict
    more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
    detail = f"The design does not compile: {found[0]}{more}."
    return verdict.model_copy(update={"detail": detail, "compiler": tuple(found[:_MOST])})


def _messages(said: Iterable[str], own: Iterable[str], foreign: frozenset[str]) -> Iterator[CompilerMessage]:
    paths = frozenset(own)
    for line in said:
        found = _VERILATOR.fullmatch(line) or _PLAIN.fullmatch(line)
        if found is None or found["kind"] in _WARNINGS:
            continue
        facts = found.groupdict()
        path = re.sub(r"^(?:\.{1,2}/)+", "", facts["path"].removeprefix(_WORKDIR))
        if path in paths and facts.get("rule") not in _SAID_BY_DESIGN:
            column = facts.get("column")
            yield CompilerMessage(
                path=path,
                line=int(facts["line"]),
                column=int(column) if column else None,
                text=_without(foreign, facts["text"])[:_LONGEST].rstrip(" ."),
            )


def _hidden_words(problem: Problem, solution: Mapping[str, bytes]) -> frozenset[str]:
    """The words that only the hidden part has."""
    shown = "\n".join((problem.public.statement, *problem.public.files.values()))
    known = {*_WORD.findall(shown)}.union(
        *(_WORD.findall(file.decode("utf-8", "replace")) for file in solution.values())
    )
    hidden = (*problem.hidden.harness.values(), *problem.hidden.reference.values())
    return frozenset(word for text in hidden for word in _WORD.findall(text) if word not in known)


def _without(foreign: frozenset[str], text: str) -> str:
    """A message without names of hidden things, such as the scope `tb.dut`; ordinary words of hidden comments stay."""

    def shown(found: re.Match[str]) -> str:
        word = found[0]
        around = text[max(found.start() - 1, 0) : found.start()] + text[found.end() : found.end() + 1]
        is_name = not word.isalpha() or not word[1:].islower() or any(mark in _QUOTES for mark in around)
        return _CUT if is_name and word in foreign else word

    return _WORD.sub(shown, text)
