"""Waivers in comments: findings that the author of a file does not want to see.

There are three kinds, each in the syntax of its tool:

- `// verilator lint_off RULE` … `// verilator lint_on RULE`
- `// slang lint_off RULE` … `// slang lint_on RULE`
- `// verilog_lint: waive RULE` for its own line, or the next one if it stands alone; `// verilog_lint: waive-start
  RULE` … `// verilog_lint: waive-stop RULE`

A waiver also covers the rules of other tools that report the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright_verilog.findings.rules import rule_and_equivalents
from benchwright_verilog.syntax.lines import Lines

_COMMENT = re.compile(
    r"//[ \t]*(?P<line>(?:verilator|slang)[ \t]+lint_|verilog_lint:)(?P<rest>[^\r\n]*)"
    r"|/\*[ \t]*(?P<block>(?:verilator|slang)[ \t]+lint_)(?P<inner>[^*]*)\*/"
)
_SWITCH = re.compile(r"(?P<way>on|off)\b(?P<rules>[^/]*)")
_WAIVE = re.compile(r"[ \t]*waive(?P<way>-start|-stop)?[ \t]+(?P<rules>[\w -]*)")
_ALL = "*"


@dataclass(frozen=True)
class _Waiver:
    first_line_index: int
    last_line_index: int
    rules: frozenset[str]


class Waivers:
    """The waivers of one version of a file.

    Args:
        lines: The text.
    """

    def __init__(self, lines: Lines) -> None:
        self._waivers = tuple(_waivers(lines)) if "lint" in lines.text else ()

    @property
    def is_empty(self) -> bool:
        """True if nothing is waived."""
        return not self._waivers

    def is_waived(self, line_index: int, rule: str) -> bool:
        """True if a rule is waived at a line, counted from 0."""
        if not self._waivers:
            return False
        rules = rule_and_equivalents(rule) | ({_ALL} if rule else set())
        return any(
            waiver.first_line_index <= line_index <= waiver.last_line_index and waiver.rules & rules
            for waiver in self._waivers
        )


def _waivers(lines: Lines) -> Iterator[_Waiver]:
    text = lines.text
    open_since: dict[str, int] = {}
    for comment in _COMMENT.finditer(text):
        line = lines.line_index(comment.start())
        if comment["line"] == "verilog_lint:":
            if not (match := _WAIVE.match(comment["rest"])):
                continue
            way = {"-start": "off", "-stop": "on"}.get(match["way"] or "", "")
        else:
            if not (match := _SWITCH.match(comment["rest"] or comment["inner"] or "")):
                continue
            way = match["way"]
        rules = match["rules"].split() or [_ALL]
        if way == "off":
            for rule in rules:
                open_since.setdefault(rule, line)
        elif way == "on":
            for rule in [*open_since] if rules == [_ALL] else rules:
                if rule in open_since:
                    yield _Waiver(open_since.pop(rule), line, frozenset({rule}))
        else:
            start = lines.line_bounds(line + 1)[0]
            is_alone = not text[start : comment.start()].strip()
            yield _Waiver(line, line + is_alone, frozenset(rules))
    for rule, line in open_since.items():
        yield _Waiver(line, len(lines), frozenset({rule}))
