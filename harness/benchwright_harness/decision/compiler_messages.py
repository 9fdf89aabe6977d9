"""Messages of compilers on the solver's own files, without what only the hidden ones have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchwright_harness.decision.fault import TOOL_HINT
from benchwright_harness.decision.report import StepReport
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
# What Icarus Verilog is sorry for, but reads.
_IS_READ = re.compile(r"\bignored\b|\bwill be included\b")
_SAID_BY_DESIGN = frozenset({"USERERROR", "USERFATAL", "USERWARN", "USERINFO"})
"""Verilator's rules for what the design itself has printed: it could print a hidden parameter."""
_ICARUS = "iverilog"
_ICARUS_LIMITS = {
    "`break`": r"\bbreak\b",
    "`continue`": r"\bcontinue\b",
    "`inside`": r"\binside\b",
    "an assignment pattern": r"'\{",
    "`unique if` or `priority if`": r"\b(?:unique0?|priority)\s+if\b",
    "a primitive that drives a variable": r"\b(?:n?and|n?or|xn?or|not|buf)\b\s*(?:\w+\s*)?\(",
    "a streaming concatenation": r"\{\s*(?:<<|>>)",
    "a concurrent assertion": r"\b(?:assert|assume|cover|restrict)\s+property\b|\b(?:property|sequence)\s+\w",
    "`bind`": r"\bbind\s",
    "a clocking block": r"\bclocking\b",
    "a covergroup": r"\bcovergroup\b",
    "a constraint": r"\bconstraint\b",
    "`let`": r"\blet\s",
    "`checker`": r"\bchecker\b",
    "an associative array": r"\[\s*(?:string|int|integer|byte|\*)\s*\]",
    "a variable that is an input port": r"\binput\s+var\b",
    "`iff`": r"\biff\b",
    "a loop with several variables": r"\bfor\s*\(\s*\w[^;()]*,",
    "`const'`": r"\bconst\s*'",
    "`type`": r"\btype\s*\(",
    "`ref`": r"\bref\b",
    "`alias`": r"\balias\s",
    "`nettype` or `interconnect`": r"\b(?:nettype|interconnect)\b",
    "`semaphore` or `mailbox`": r"\b(?:semaphore|mailbox)\b",
    "`randcase` or `randsequence`": r"\brand(?:case|sequence)\b",
    "`tagged`": r"\btagged\b",
    "`triggered`": r"\.\s*triggered\b",
    "a function with an output": r"\bfunction\b[^;]*\b(?:output|inout)\b",
    "a method of arrays or strings": r"\.\s*(?:sum|product|and|or|xor|min|max|unique(?:_index)?|r?sort|reverse|shuffle"
    r"|toupper|tolower|i?compare|putc|getc|find(?:_(?:first|last))?(?:_index)?)\b",
    "a port that is an interface": r"[(,]\s*[A-Za-z_]\w*\s*\.\s*\w+\s+\w+\s*(?=[,)\[])",
}
"""Pattern by construct that no version of Icarus Verilog in the toolchain reads, in text without comments."""
_STOPS_AT_LIMIT = re.compile(
    r"\bsyntax error|\bnot (?:currently )?(?:supported|implemented)|^Type names are not valid|driven by a primitive"
    r"|^Function \S+ port \S+ is not an input port|can't have member names|is not a string method|has no method"
    r"|localparam must have a value"
)
# What Icarus Verilog begins with where it knows what it can't read.
_SORRY = "sorry"
_COMMENT_OR_STRING = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*\"""", re.DOTALL)
_SMALLEST_SHOWN, _MOST_DIGITS = 1000, 20
# Not the value of a sized literal, which a compiler does not count up to.
_NUMBER = re.compile(r"(?<![\w'.$])\d[\d_]*(?![\w'.])")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTES = "`'\"."
_WORKDIR = "/code/"
_CUT = "…"


def with_compiler_messages_if_unbuilt(
    verdict: Verdict, problem: Problem, solution: Mapping[str, bytes], reports: Sequence[StepReport]
) -> Verdict:
    """A verdict that a design does not build, with what compilers say of it; any other verdict is returned as it is.

    Where Icarus Verilog stops at a construct that it can't read, that is its limit and no error of the design, also if
    it has failed a check that has not simulated anything.

    Args:
        verdict: Verdict of the run.
        problem: Problem with its hidden part.
        solution: The solver's files.
        reports: Reports of all steps.
    """
    is_unbuilt = verdict.reason in (Reason.BUILD_FAILED, Reason.TOOL_FAILED)
    if not is_unbuilt and not (verdict.reason is Reason.TESTS_FAILED and not any(map(_has_simulated, reports))):
        return verdict
    foreign, paths = _hidden_words(problem, solution), problem.public.expected
    said = [
        (tool_run.tool, kind, compiler_message)
        for report in reports
        for tool_run in report.tools
        if tool_run.status
        for kind, compiler_message in _messages_on_solver_files(tool_run.message.splitlines(), paths, foreign)
    ]
    compiler_messages = list(dict.fromkeys(compiler_message for _, _, compiler_message in said))
    shown_messages = tuple(compiler_messages[:_MOST])
    of_icarus = ((kind, compiler_message) for tool, kind, compiler_message in said if tool == _ICARUS)
    kind, first_of_icarus = next(of_icarus, ("", None))
    if first_of_icarus and (construct := _construct_icarus_cannot_read(kind, first_of_icarus, solution)):
        place = f"{first_of_icarus.path}, line {first_of_icarus.line}"
        detail = f"Icarus Verilog can't read {construct} ({place})."
        return Verdict(
            reason=Reason.TOOL_FAILED, detail=detail, hint=TOOL_HINT, compiler=shown_messages, tests=verdict.tests
        )
    if not compiler_messages or verdict.reason is not Reason.BUILD_FAILED:
        return verdict
    rest_count = f" ({len(compiler_messages) - 1} more)" if len(compiler_messages) > 1 else ""
    detail = f"The design does not compile: {compiler_messages[0]}{rest_count}."
    return verdict.model_copy(update={"detail": detail, "compiler": shown_messages})


def with_busy_compiler_if_over_limit(
    verdict: Verdict, problem: Problem, solution: Mapping[str, bytes], reports: Sequence[StepReport]
) -> Verdict:
    """A verdict that time or memory ran out, with the compiler that was at the design then; any other as it is.

    What makes a compiler go on and on is most often a large number: of cycles, copies, elements or iterations.

    Args:
        verdict: Verdict of the run.
        problem: Problem with its hidden part.
        solution: The solver's files.
        reports: Reports of all steps.
    """
    last_tool = next((tool_run for report in reversed(reports) for tool_run in reversed(report.tools)), None)
    if verdict.reason not in (Reason.TIMEOUT, Reason.MEMORY) or not last_tool or last_tool.simulates:
        return verdict
    was_killed = last_tool.status is None
    detail = f"{verdict.detail} Until then {last_tool.tool} compiled the design." if was_killed else verdict.detail
    if last_tool.status == 0 or not (largest_number := _largest_number_and_place_text(problem, solution)):
        return verdict.model_copy(update={"detail": detail})
    return verdict.model_copy(update={"detail": detail, "hint": f"The largest number in it is {largest_number}."})


def _largest_number_and_place_text(problem: Problem, solution: Mapping[str, bytes]) -> str:
    """The largest plain number in the solver's code, with its place; empty if there is none above a thousand."""
    largest, place = _SMALLEST_SHOWN - 1, ""
    for path in problem.public.expected:
        for number, line in enumerate(_lines_without_comments_and_strings(solution.get(path, b"")), 1):
            for digits in _NUMBER.findall(line):
                value = int(digits.replace("_", "")[:_MOST_DIGITS])
                if value > largest:
                    largest, place = value, f"{digits[:_MOST_DIGITS]} ({path}, line {number})"
    return place


def _lines_without_comments_and_strings(code_bytes: bytes) -> list[str]:
    """Lines of a source, with spaces instead of comments and strings."""
    text = code_bytes.decode("utf-8", "replace")
    return _COMMENT_OR_STRING.sub(lambda match: re.sub(r"\S", " ", match[0]), text).splitlines()


def _has_simulated(report: StepReport) -> bool:
    return bool(report.simulations) or any(tool_run.simulates for tool_run in report.tools)


def _construct_icarus_cannot_read(
    message_kind: str, compiler_message: CompilerMessage, solution: Mapping[str, bytes]
) -> str | None:
    """The construct, or words for one, at which Icarus Verilog stops though it is right; None if it names an error."""
    if message_kind != _SORRY and not _STOPS_AT_LIMIT.search(compiler_message.text):
        return None
    code_lines = _lines_without_comments_and_strings(solution.get(compiler_message.path, b""))
    earlier_code = "\n".join(code_lines[: compiler_message.line - 1])
    last_line = "".join(code_lines[compiler_message.line - 1 : compiler_message.line])
    statement = f"{earlier_code[earlier_code.rfind(';') + 1 :]}\n{last_line}"
    construct = next((name for name, pattern in _ICARUS_LIMITS.items() if re.search(pattern, statement)), None)
    return construct or (f"what it calls “{compiler_message.text}”" if message_kind == _SORRY else None)


def _messages_on_solver_files(
    output_lines: Iterable[str], solver_paths: Iterable[str], hidden_words: frozenset[str]
) -> Iterator[tuple[str, CompilerMessage]]:
    """Kinds and messages."""
    paths = frozenset(solver_paths)
    for line in output_lines:
        match = _VERILATOR.fullmatch(line) or _PLAIN.fullmatch(line)
        if match is None or match["kind"] in _WARNINGS or _IS_READ.search(match["text"]):
            continue
        message_fields = match.groupdict()
        path = re.sub(r"^(?:\.{1,2}/)+", "", message_fields["path"].removeprefix(_WORKDIR))
        if path in paths and message_fields.get("rule") not in _SAID_BY_DESIGN:
            column = message_fields.get("column")
            yield (
                message_fields["kind"] or "",
                CompilerMessage(
                    path=path,
                    line=int(message_fields["line"]),
                    column=int(column) if column else None,
                    text=_without_hidden_names(hidden_words, message_fields["text"])[:_LONGEST].rstrip(" ."),
                ),
            )


def _hidden_words(problem: Problem, solution: Mapping[str, bytes]) -> frozenset[str]:
    """The words that only the hidden part has."""
    visible_text = "\n".join((problem.public.statement, *problem.public.files.values()))
    visible_words = {*_WORD.findall(visible_text)}.union(
        *(_WORD.findall(file.decode("utf-8", "replace")) for file in solution.values())
    )
    hidden_texts = (*problem.hidden.harness.values(), *problem.hidden.reference.values())
    return frozenset(word for text in hidden_texts for word in _WORD.findall(text) if word not in visible_words)


def _without_hidden_names(hidden_words: frozenset[str], message_text: str) -> str:
    """A message without names of hidden things, such as the scope `tb.dut`; ordinary words of hidden comments stay."""

    def replacement(match: re.Match[str]) -> str:
        word = match[0]
        neighbours = (
            message_text[max(match.start() - 1, 0) : match.start()] + message_text[match.end() : match.end() + 1]
        )
        # A run gives the testbench's scopes names with a suffix.
        is_name = not word.isalpha() or not word[1:].islower() or any(mark in _QUOTES for mark in neighbours)
        return _CUT if is_name and not hidden_words.isdisjoint((word, word.partition("$")[0])) else word

    return _WORD.sub(replacement, message_text)
