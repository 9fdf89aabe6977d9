"""verible's lint rules, as structured findings with the fixes that it offers."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright_foundation.operating_system import MINIMAL_ENVIRONMENT, PROGRAM_SUFFIX
from benchwright_foundation.process_group import kill_process_group
from benchwright_harness.errors import HarnessError
from benchwright_server.linters.lint_tool import LintFinding, LintSeverity, LintTool, SavedFile
from benchwright_verilog.actions.line_fix import Fix
from benchwright_verilog.findings.finding import Finding as EditorFinding
from benchwright_verilog.findings.finding import Level
from benchwright_verilog.findings.source import FindingTool, WaiverStyle
from benchwright_verilog.settings import LintRuleSettings

_PATIENCE_S = 10.0
_MAX_FIXES = 10_000

_FINDING = re.compile(
    r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+)(?:-(?P<end>\d+))?(?::(?P<end_line>\d+):(?P<end_column>\d+))?: "
    r"(?P<message>.*?)(?: \[Style: (?P<style>[^\]]*)\])?(?: \[(?P<rule>[a-z0-9-]+)\])?"
)
_REFUSAL = re.compile(r"(?:Fatal error: |specified for flag 'rules'; (?:\[ERR\] )?)(?P<reason>.*)")
_TITLE = re.compile(r"\[ (?P<title>.*) \]")
_HUNK = re.compile(r"@@ -(?P<line>\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


_UNFIT = frozenset({"module-filename", "posix-eof"})
"""Rules whose fixes don't work: one renames a module at its declaration only, one does not show what it adds."""


class RulesError(HarnessError):
    """verible rejected the configured rules."""


def verible_program(subcommand: str) -> Path | None:
    """One of verible's programs, such as `lint` or `format`; `None` if it is not installed."""
    program = Path(sys.executable).with_name(f"verible-verilog-{subcommand}{PROGRAM_SUFFIX}")
    return program if program.is_file() else None


async def verible_lint(file_name: str, text: str, rule_changes: Sequence[str] = ()) -> list[LintFinding]:
    """Lint one file.

    Args:
        file_name: The file's name; some rules compare it with what the file declares.
        text: Its text.
        rule_changes: Changes to the selection of rules, such as `+line-length=length:120` or `-no-tabs`.

    Returns:
        Findings, columns in code points; none if verible is missing or fails. Syntax errors are left out: verible
        does not expand macros, so what it can't parse may be right.

    Raises:
        RulesError: verible does not accept the rules.
    """
    lint_output = await _run_verible_lint(file_name, text, rule_changes, ())
    return [finding for line in _output_lines(lint_output) if (finding := _parse_finding(line)) is not None]


async def verible_fixes(file_name: str, text: str, rule_changes: Sequence[str] = ()) -> list[Fix]:
    """The fixes that verible offers for its findings; see `verible_lint`."""
    # It asks about each fix; declined fixes are printed too.
    lint_output = await _run_verible_lint(
        file_name, text, rule_changes, ("--autofix=patch-interactive",), b"n\n" * _MAX_FIXES
    )
    return [fix for fix in _parse_fixes(_output_lines(lint_output)) if fix.rule not in _UNFIT]


async def _run_verible_lint(
    file_name: str, text: str, rule_changes: Sequence[str], options: Sequence[str], stdin_bytes: bytes = b""
) -> str:
    program = verible_program("lint")
    if program is None:
        return ""
    with tempfile.TemporaryDirectory(prefix="benchwright-lint-") as folder:
        (Path(folder) / file_name).write_bytes(text.encode("utf-8", "replace"))
        argv = [str(program), "--lint_fatal=false", "--parse_fatal=false", "--check_syntax=false", *options]
        if rule_changes:
            argv.append(f"--rules={','.join(rule_changes)}")
        process = await asyncio.create_subprocess_exec(
            *argv,
            f"./{file_name}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=folder,
            env=MINIMAL_ENVIRONMENT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(_PATIENCE_S):
                output_bytes, _ = await process.communicate(stdin_bytes)
        except TimeoutError:
            return ""
        finally:
            if process.returncode is None:
                kill_process_group(process.pid)
                await process.wait()
    text = output_bytes.decode("utf-8", "replace")
    if (refusal := _REFUSAL.search(text)) is not None:
        raise RulesError(
            f"verible rejected the rules {','.join(rule_changes)}: {refusal['reason']}. Change the setting"
            " benchwright.lint.veribleRules."
        )
    return text


def _output_lines(lint_output: str) -> list[str]:
    # `str.splitlines` would also split at separators that the file has within its lines.
    return [line.removesuffix("\r") for line in lint_output.split("\n")]


def _parse_finding(output_line: str) -> LintFinding | None:
    match = _FINDING.fullmatch(output_line)
    if match is None or not match["rule"]:
        return None
    column = int(match["column"])
    return LintFinding(
        path=match["path"].removeprefix("./"),
        line=int(match["line"]),
        column=column,
        # For a finding that spans several lines, the first is marked.
        end_column=int(match["end"] or column) + 1,
        severity=LintSeverity.WARNING,
        rule=match["rule"],
        message=match["message"],
    )


def _parse_fixes(output_lines: Sequence[str]) -> Iterator[Fix]:
    finding: LintFinding | None = None
    title = ""
    index = 0
    while index < len(output_lines):
        line = output_lines[index]
        index += 1
        if (next_finding := _parse_finding(line)) is not None:
            finding = next_finding
        elif match := _TITLE.fullmatch(line):
            title = match["title"]
        elif (match := _HUNK.match(line)) and finding is not None:
            hunk = _parse_hunk(output_lines, index, int(match["line"]))
            index = hunk.index_after
            yield Fix(
                rule=finding.rule,
                finding_line=finding.line,
                finding_column=finding.column,
                title=title,
                first_line=hunk.first_line,
                removed_lines=tuple(hunk.removed_lines),
                added_lines=tuple(hunk.added_lines),
            )


class _Hunk(NamedTuple):
    first_line: int
    removed_lines: list[str]
    added_lines: list[str]
    index_after: int


def _parse_hunk(diff_lines: Sequence[str], index: int, first_line: int) -> _Hunk:
    """The hunk whose lines begin at an index; context between changes is both removed and added."""
    old_lines: list[str] = []
    new_lines: list[str] = []
    while index < len(diff_lines) and diff_lines[index][:1] in {" ", "-", "+"}:
        mark, content = diff_lines[index][:1], diff_lines[index][1:]
        if mark in " -":
            old_lines.append(content)
        if mark in " +":
            new_lines.append(content)
        index += 1
    while old_lines and new_lines and old_lines[0] == new_lines[0]:
        del old_lines[0], new_lines[0]
        first_line += 1
    while old_lines and new_lines and old_lines[-1] == new_lines[-1]:
        del old_lines[-1], new_lines[-1]
    return _Hunk(first_line, old_lines, new_lines, index)


_SOURCE = FindingTool(
    "verible", 2, "https://chipsalliance.github.io/verible/verilog_lint.html#{}", WaiverStyle.WAIVE_LINE
)


async def _lint(saved_file: SavedFile) -> list[EditorFinding]:
    try:
        findings = await verible_lint(saved_file.path.name, saved_file.lines.text, saved_file.settings.verible_rules)
    except OSError:
        return []
    return [_editor_finding(finding, saved_file) for finding in findings if finding.path == saved_file.path.name]


def _editor_finding(finding: LintFinding, saved_file: SavedFile) -> EditorFinding:
    line_start, line_end = saved_file.lines.line_bounds(finding.line)
    start, end = line_start + finding.column - 1, line_start + finding.end_column - 1
    start = min(start, line_end)
    # Its rules are about style: their findings are not defects.
    return finding.editor_finding(
        _SOURCE, (start, max(min(end, line_end), start)), Level.INFORMATION, saved_file.path.parent
    )


async def _fixes_of(file_name: str, text: str, settings: LintRuleSettings) -> list[Fix]:
    return await verible_fixes(file_name, text, settings.verible_rules)


VERIBLE = LintTool(_SOURCE, "style rules", _lint, fixes=_fixes_of)
