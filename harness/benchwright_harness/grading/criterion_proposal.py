"""A criterion for a testbench that has none or a wrong one, from what the reference and the unsolved files print."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from benchwright_harness.decision.criterion import SIMULATES

_PASS_WORDS = re.compile(
    r"\bpass(?:ed|es)?\b|\bsuccess|\bok\b|\bcorrect\b|\b(?:no|0) (?:errors?|mismatch|fail|wrong)", re.IGNORECASE
)
_FAIL_WORDS = re.compile(r"\bfail|\berror|\bmismatch|\bwrong\b|\bincorrect\b|\bexpected\b", re.IGNORECASE)
_BY_SIMULATOR = re.compile(
    r"\$(?:finish|stop) called at|^VCD info:|Verilog \$(?:finish|stop)|^---|^- (?:Verilator:|S i m u l a t i o n)"
)
_NUMBER = re.compile(r"(?<![0-9])[1-9][0-9]*")
_MOST_LINES = 5000


def lines_printed_by_testbench(raw_output: bytes) -> list[str]:
    """What a simulation printed, without what simulators say of themselves."""
    _, _, printed = raw_output.decode("utf-8", "replace").partition(SIMULATES)
    lines = (line.strip() for line in printed.splitlines()[:_MOST_LINES])
    return [line for line in lines if line and not _BY_SIMULATOR.search(line)]


def proposed_criterion_toml(reference_lines: Sequence[str], unsolved_lines: Iterable[str]) -> str:
    """A `[criterion]` of TOML by which the reference passes and the unsolved files fail; empty if there is none.

    Args:
        reference_lines: Lines that the reference's simulation printed.
        unsolved_lines: Those of all other sides.
    """
    unsolved = list(dict.fromkeys(unsolved_lines))
    solved = list(dict.fromkeys(reference_lines))
    passes = [line for line in solved if line not in unsolved]
    fails = [line for line in unsolved if line not in solved and _FAIL_WORDS.search(line)]
    pass_line = next(filter(_PASS_WORDS.search, passes), passes[-1] if passes else None)
    fail_line = next((line for line in fails if not _PASS_WORDS.search(line)), None)
    toml_lines = []
    if pass_line is not None:
        toml_lines.append(f"pass = [{_toml_string(_whole_line_pattern(pass_line, unsolved))}]")
    if fail_line is not None:
        toml_lines.append(f"fail = [{_toml_string(_whole_line_pattern(fail_line, solved))}]")
    return "\n".join(("[criterion]", *toml_lines, "")) if toml_lines else ""


def _whole_line_pattern(printed_line: str, other_lines: Iterable[str]) -> str:
    """The whole line, with any number for one that is not 0 where no other line looks like that."""
    exact = re.escape(printed_line).replace("\\ ", " ")
    general = f"^{_NUMBER.sub('[1-9][0-9]*', exact)}$"
    return f"^{exact}$" if any(re.search(general, other_line) for other_line in other_lines) else general


def _toml_string(plain_text: str) -> str:
    return f"'{plain_text}'" if "'" not in plain_text else json.dumps(plain_text, ensure_ascii=False)
