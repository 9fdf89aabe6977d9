"""Contradictions in a problem's files: paths, modules, ports, and hidden text in the public part."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT, ProblemFolder
from benchwright_authoring.problem_files.question_rules import question_remarks
from benchwright_authoring.problem_files.remark import Remark
from benchwright_authoring.problem_files.toml_places import TomlPlaces, TomlSpan
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_harness.own_tests.cocotb_source import repeatedly_named_tests
from benchwright_harness.plan.plan import toplevels_of_harness
from benchwright_problems.problem import ProblemKind
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.repository.named_tests import VERIFIER
from benchwright_problems.storage.pack_files_schema import ProblemToml
from benchwright_problems.verilog import modules, parameter_names_by_module, port_names

_HARNESS = "hidden/harness"
_REFERENCE = "hidden/reference"
_PLANS = ("docker-compose.yml", "testbench.json", VERIFIER)
_TOPLEVEL = re.compile(r"^\s*-?\s*TOPLEVEL\s*[=:]\s*[\"']?([A-Za-z_][\w$]*)", re.MULTILINE)
_ROW = re.compile(r"^\|(?P<first>[^|\n]*)\|.*$", re.MULTILINE)
_CODE = re.compile(r"`([A-Za-z_][\w$]*)`")
_DESIGN_FILE = (".v", ".sv")
_TELLING = 24
"""A line of fewer characters, without white space, may stand anywhere by chance."""
_COMMON_LINE = re.compile(
    r"(?:import|from)\s|\W*SPDX-License-Identifier:|Clock\(dut\.|await (?:Falling|Rising)Edge\(dut\."
)


def content_remarks(
    problem_folder: ProblemFolder, problem_toml: ProblemToml, toml_places: TomlPlaces
) -> Iterator[Remark]:
    """Remarks on what does not fit together."""
    statement = problem_folder.text(STATEMENT)
    heading = statement.partition("\n")[0]
    if not heading.startswith("# "):
        yield Remark(STATEMENT, TomlSpan(0, len(heading)), "The first line has to be the title: # Title", True)
    yield from _hidden_text_remarks(problem_folder, problem_toml, statement)
    if problem_toml.kind is not ProblemKind.DESIGN:
        if problem_toml.answer is None:
            yield Remark(PROBLEM_FILE, toml_places.nearest_span(("kind",)), "A question needs an [answer].", True)
        yield from question_remarks(problem_toml, statement, toml_places)
        return
    yield from _repeated_test_remarks(problem_folder.texts(_HARNESS))
    reference = problem_folder.texts(_REFERENCE)
    yield from _path_remarks(problem_folder, problem_toml, toml_places, reference)
    sources = {path: text for path, text in reference.items() if path.endswith(_DESIGN_FILE)}
    declared_modules = {module.name for text in sources.values() for module in modules(text)}
    if declared_modules:
        yield from _top_module_remarks(problem_folder, toml_places, declared_modules)
        ports = {port for text in sources.values() for port in port_names(text)}
        yield from _unknown_port_remarks(statement, ports)
        yield from _unknown_dont_care_remarks(problem_toml, toml_places, ports)
        yield from _unknown_parameter_remarks(problem_folder, problem_toml, toml_places, sources.values())


def _path_remarks(
    problem_folder: ProblemFolder,
    problem_toml: ProblemToml,
    toml_places: TomlPlaces,
    reference_texts: Mapping[str, str],
) -> Iterator[Remark]:
    harness = problem_folder.texts(_HARNESS)
    if not set(_PLANS) & set(harness):
        message = f"{_HARNESS} has none of {', '.join(_PLANS)}."
        yield Remark(PROBLEM_FILE, toml_places.nearest_span(("kind",)), message, True)
    if not reference_texts:
        message = f"There is no {_REFERENCE}: nothing proves that the problem can be solved."
        yield Remark(PROBLEM_FILE, toml_places.nearest_span(("expected",)), message, False)
        return
    expected = problem_toml.expected if problem_toml.tree is None else (CHANGES,)
    for index, path in enumerate(expected):
        if path not in reference_texts:
            message = f"The reference has no {path}. Write it, or remove it here."
            yield Remark(PROBLEM_FILE, toml_places.nearest_span(("expected", index)), message, False)
    for path in sorted(set(reference_texts) - set(expected)):
        message = f"The reference has {path}, which is not expected here: no run uses it."
        yield Remark(PROBLEM_FILE, toml_places.key_or_nearest_span(("expected",)), message, False)
    yield from _testbench_plan_remarks(problem_toml, toml_places, harness)


def _testbench_plan_remarks(
    problem_toml: ProblemToml, toml_places: TomlPlaces, harness: Mapping[str, str]
) -> Iterator[Remark]:
    try:
        plan = parse_untrusted_json(harness.get(_PLANS[1], "{}"))
        named_files = [(kind, path) for kind in ("testbench", "design") for path in plan.get(kind, ())]
    except (ValueError, AttributeError, TypeError):
        yield Remark(
            PROBLEM_FILE,
            toml_places.nearest_span(("kind",)),
            f"{_HARNESS}/{_PLANS[1]} is not JSON of the right form.",
            True,
        )
        return
    for kind, path in named_files:
        present_files = harness if kind == "testbench" else problem_toml.expected
        if path not in present_files:
            file_group = _HARNESS if kind == "testbench" else "expected"
            message = f"{_PLANS[1]} names {path}, which is not in {file_group}."
            yield Remark(PROBLEM_FILE, toml_places.nearest_span(("expected",)), message, True)


def _repeated_test_remarks(harness: Mapping[str, str]) -> Iterator[Remark]:
    for path, text in harness.items():
        lines = text.splitlines(keepends=True)
        for test in repeatedly_named_tests(text) if path.endswith(".py") else ():
            line_start = sum(map(len, lines[: test.line - 1]))
            start, end = (
                line_start + len(lines[test.line - 1].encode()[:column].decode())
                for column in (test.column, test.end_column)
            )
            message = f"A test before this one is called {test.name} too. Give each test a name of its own."
            yield Remark(f"{_HARNESS}/{path}", TomlSpan(start, end), message, False)


def _top_module_remarks(
    problem_folder: ProblemFolder, toml_places: TomlPlaces, declared_modules: set[str]
) -> Iterator[Remark]:
    for path in (*_PLANS[:1], "src/.env"):
        for top in _TOPLEVEL.findall(problem_folder.text(f"{_HARNESS}/{path}")):
            if top not in declared_modules:
                message = f"{_HARNESS}/{path} tests the module {top}, which the reference does not declare."
                yield Remark(PROBLEM_FILE, toml_places.nearest_span(("expected",)), message, False)


def _unknown_port_remarks(statement: str, port_names: set[str]) -> Iterator[Remark]:
    is_of_ports = False
    for port_row in _ROW.finditer(statement):
        first_cell = port_row["first"].strip()
        if first_cell.lower() in ("port", "signal"):
            is_of_ports = True
        elif not statement[: port_row.start()].endswith("|\n"):
            is_of_ports = False
        elif is_of_ports:
            for name_match in _CODE.finditer(port_row["first"]):
                if name_match[1] not in port_names:
                    start = port_row.start("first") + name_match.start(1)
                    message = f"The reference has no port {name_match[1]}."
                    yield Remark(STATEMENT, TomlSpan(start, start + len(name_match[1])), message, False)


def _unknown_dont_care_remarks(
    problem_toml: ProblemToml, toml_places: TomlPlaces, port_names: set[str]
) -> Iterator[Remark]:
    named_ports: list[tuple[tuple[str | int, ...], str]] = [
        (("dont_care", "always", index), name) for index, name in enumerate(problem_toml.dont_care.always)
    ]
    for output, condition in problem_toml.dont_care.unless.items():
        condition_path = ("dont_care", "unless", output)
        named_ports += [(condition_path, output), (condition_path, condition)]
    for key_path, name in named_ports:
        if name not in port_names:
            yield Remark(PROBLEM_FILE, toml_places.nearest_span(key_path), f"The reference has no port {name}.", False)


def _unknown_parameter_remarks(
    problem_folder: ProblemFolder, problem_toml: ProblemToml, toml_places: TomlPlaces, verilog_sources: Collection[str]
) -> Iterator[Remark]:
    """Parameters for a proof that a module does not have which the harness tests."""
    if not problem_toml.proof:
        return
    declared_parameters = {
        module: names for text in verilog_sources for module, names in parameter_names_by_module(text).items()
    }
    for module in toplevels_of_harness(problem_folder.texts(_HARNESS)) or [
        PurePosixPath(path).stem for path in problem_toml.expected[:1]
    ]:
        for index, parameters in enumerate(problem_toml.proof.parameters):
            for name in parameters:
                if module in declared_parameters and name not in declared_parameters[module]:
                    message = f"The module {module} of the reference has no parameter {name}."
                    yield Remark(
                        PROBLEM_FILE,
                        toml_places.key_or_nearest_span(("proof", "parameters", index, name)),
                        message,
                        False,
                    )


def _hidden_text_remarks(problem_folder: ProblemFolder, problem_toml: ProblemToml, statement: str) -> Iterator[Remark]:
    """Lines of the hidden part that a solver could read."""
    public = problem_folder.texts("public")
    public_lines = {line for text in public.values() for line in _distinctive_lines(text.splitlines())}
    harness = _distinctive_lines(line for text in problem_folder.texts(_HARNESS).values() for line in text.splitlines())
    reference = (
        _distinctive_lines(line for text in problem_folder.texts(_REFERENCE).values() for line in text.splitlines())
        - public_lines
    )
    answer = [problem_toml.answer.rubric, problem_toml.answer.explanation] if problem_toml.answer is not None else []
    answer += [hint.text for hint in problem_toml.hints]
    answer_lines = _distinctive_lines(line for text in answer for line in text.splitlines())
    start = 0
    for line in statement.splitlines(keepends=True):
        text = line.strip()
        for origin, hidden_lines in (("harness", harness), ("reference", reference), ("answer or hints", answer_lines)):
            if text in hidden_lines:
                message = f"This line is in the hidden {origin} too. Remove it, so that the statement does not tell it."
                yield Remark(STATEMENT, TomlSpan(start, start + len(line.rstrip())), message, False)
        start += len(line)
    for path, content in public.items():
        for number, line in enumerate(content.splitlines(), 1):
            if line.strip() in harness:
                message = f"public/{path}:{number} has a line of the hidden harness. Remove it."
                yield Remark(PROBLEM_FILE, TomlSpan(0, 0), message, False)


def _distinctive_lines(text_lines: Sequence[str] | Iterator[str]) -> set[str]:
    """Lines that tell something: long ones that every test of cocotb does not have."""
    stripped_lines = (line.strip() for line in text_lines if len("".join(line.split())) >= _TELLING)
    return {line for line in stripped_lines if not _COMMON_LINE.match(line)}
