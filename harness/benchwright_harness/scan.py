"""What a submission asks the simulator to do beyond simulating: files, programs, other people's results.

The source is read in all branches of its conditions and with macros unexpanded, since tools
differ in which branch they take. What a macro could assemble, or is source to one tool and a
comment to another, is itself a finding. Sandbox and guard hold without the scan; it is the layer
that can report, before anything runs, what is wrong and where.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files

from benchwright_problems.category import Category
from benchwright_problems.problem import Problem, ScanAction
from benchwright_problems.verdict import Model

_VERILOG = (".v", ".sv", ".vh", ".svh", ".vp", ".svp", ".inc")
_TESTBENCH = frozenset({Category.STIMULUS, Category.CHECKER, Category.ASSERTION})
_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<triple>  \"{3} )
    | (?P<string>  "(?:[^"\\\n]|\\.)*(?:"|$) )
    | (?P<escaped> \\\S+ )
    | (?P<task>    \$[A-Za-z_][A-Za-z0-9_$]* )
    | (?P<directive> `[A-Za-z_][A-Za-z0-9_$]* )
    | (?P<word>    [A-Za-z_][A-Za-z0-9_$]* )
    | (?P<paste>   `` | `" )
    | (?P<other>   \S )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DEFINITION = re.compile(r"`define\b(?P<body>(?:[^\\\n]|\\.|\\\r?\n)*)", re.DOTALL)
_PIECES = re.compile(r"\$(?:\s*`|\s*$|\s)|`\$|`(?:systemc_\w+|verilator_config)", re.MULTILINE)
_PARAMETERS = re.compile(r"\s*[A-Za-z_]\w*\(([^)]*)\)")
_FORGED = re.compile(
    r"\*\* *TESTS=|</?test(?:case|suite)|Number of (?:cells|wires)|\d+ (?:passed|failed) in \d|%(?:Error|Warning)-",
    re.IGNORECASE,
)
_WITH_PATH = frozenset({"file", "load", "store", "wave"})
_TAKES_PATH = re.compile(r"open|readmem|writemem|dumpfile|dumpports$", re.IGNORECASE)
# Yosys takes a system task's text apart while it reads a design, and prints it into its log.
_PRINTS_WHILE_READ = re.compile(r"\$(?:display|write)[bho]?")
_PLAIN = re.compile(r'"[^%\\"]*"')
_TELL_TOOLS_APART = frozenset({"SYNTHESIS", "YOSYS", "__ICARUS__", "VERILATOR"})
_TRANSLATION_OFF = re.compile(r"\b(?:synthesis|synopsys|pragma|cadence)\s+(?:translate_off|synthesis_off)\b")
_OPAQUE = frozenset({"blackbox", "whitebox", "lib_whitebox", "abc9_box"})
_SYNTHESISER = re.compile(r"\byosys\b")
_MAX_FINDINGS = 50
_MAX_QUOTED = 60


class Finding(Model):
    """Something in a submission that a policy has a rule for. It quotes only the solver's own source."""

    path: str
    line: int
    """From 1."""
    rule: str
    """A name in `scan.json`."""
    what: str
    """The words found."""
    action: ScanAction

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {_data().rules[self.rule].says.format(what=self.what)}"


class _Rule(Model):
    action: ScanAction
    testbench: ScanAction
    synthesis: ScanAction | None = None
    """Where the harness counts what a design is synthesised to."""
    says: str


class _Data(Model):
    tasks: dict[str, str]
    rules: dict[str, _Rule]


@lru_cache
def _data() -> _Data:
    return _Data.model_validate(json.loads((files("benchwright_harness") / "scan.json").read_text(encoding="utf-8")))


@lru_cache
def _rule_of() -> Mapping[str, str]:
    return {name: rule for rule, names in _data().tasks.items() for name in names.split()}


def rules() -> tuple[str, ...]:
    """The names that a problem may give other actions."""
    return tuple(_data().rules)


def scan(problem: Problem, solution: Mapping[str, bytes]) -> tuple[Finding, ...]:
    """Findings about the files that a problem takes from a solution; those that are allowed are left out.

    What the problem's own files or its reference do is nobody's attack, and allowed.

    Args:
        problem: With its hidden part, whose `scan` overrides the defaults.
        solution: Path → content.
    """
    is_testbench = problem.category in _TESTBENCH
    actions = {name: rule.testbench if is_testbench else rule.action for name, rule in _data().rules.items()}
    if any(map(_SYNTHESISER.search, problem.hidden.harness.values())):
        actions |= {name: rule.synthesis for name, rule in _data().rules.items() if rule.synthesis is not None}
    actions |= problem.hidden.scan
    found = []
    for path in problem.public.expected:
        if path not in solution or not _is_verilog(path):
            continue
        for rule, what, line in read(path, solution[path].decode("utf-8", "replace")):
            if actions.get(rule) is not ScanAction.ALLOW:
                found.append(Finding(path=path, line=line, rule=rule, what=what, action=actions[rule]))
    if not found:
        return ()
    own = {*problem.public.files.items(), *problem.hidden.reference.items()}
    usual = {(rule, what) for path, text in own if _is_verilog(path) for rule, what, _ in read(path, text)}
    return tuple(finding for finding in found if (finding.rule, finding.what) not in usual)[:_MAX_FINDINGS]


def _is_verilog(path: str) -> bool:
    return path.lower().endswith(_VERILOG)


def read(path: str, text: str) -> Iterator[tuple[str, str, int]]:
    """Everything in a file that some rule is about: the rule, the words, the line."""
    tokens = list(_TOKEN.finditer(text))
    # Only what an `initial` does is done while a design is read; one can be put together from pieces.
    begins = any(token[0] == "initial" or token["paste"] for token in tokens)
    for at, token in enumerate(tokens):
        if token.lastgroup == "other":
            continue
        following = (tokens[later] for later in range(at + 1, len(tokens)) if not tokens[later]["comment"])
        for rule, what in _about(path, token, following, begins):
            yield rule, what[:_MAX_QUOTED], text.count("\n", 0, token.start()) + 1
        if token["comment"] and (found := _TRANSLATION_OFF.search(token[0])):
            yield "tool-branch", found[0], text.count("\n", 0, token.start()) + 1
    for definition in _DEFINITION.finditer(text):
        line = text.count("\n", 0, definition.start()) + 1
        for what in _assembled(definition["body"]):
            yield "assembled", what[:_MAX_QUOTED], line


def _about(
    path: str, token: re.Match[str], following: Iterable[re.Match[str]], begins: bool
) -> Iterator[tuple[str, str]]:
    text = token[0]
    if token["task"]:
        rule = _rule_of().get(text[1:], "unknown")
        if rule != "plain":
            yield rule, text
        if begins and _PRINTS_WHILE_READ.fullmatch(text) and not _is_plain(following):
            yield "computed-print", text
        if text == "$root":
            yield "root", text
        if rule in _WITH_PATH and _TAKES_PATH.search(text):
            yield from _path(path, text, list(_first(following, 2))[1:], "/code/rundir")
    elif token["directive"] in {"`include", "`uselib", "`pragma"}:
        if text == "`include":
            yield from _path(path, text, list(_first(following, 1)), posixpath.dirname(f"/code/{path}"))
        elif text == "`uselib":
            yield "outside", text
    elif token["directive"] in {"`ifdef", "`ifndef", "`elsif"}:
        for name in _first(following, 1):
            if name[0] in _TELL_TOOLS_APART:
                yield "tool-branch", f"{text} {name[0]}"
    elif token["directive"] and text.startswith(("`systemc_", "`verilator_config")):
        yield "native", text
    elif token["triple"]:
        yield "ambiguous", "three quotation marks in a row"
    elif token["escaped"] and re.search(r"//|/\*|[\"`]", text):
        yield "ambiguous", f"the name {text}"
    elif token["string"]:
        if found := _FORGED.search(text):
            yield "forgery", found[0]
        if text.strip('"') in {"DPI", "DPI-C"}:
            yield "dpi", text
    elif text in _OPAQUE:
        yield "opaque", text
    elif text == "bind":
        yield "bind", text


def _first(tokens: Iterable[re.Match[str]], count: int) -> Iterator[re.Match[str]]:
    for _, token in zip(range(count), tokens, strict=False):
        yield token


def _is_plain(following: Iterable[re.Match[str]]) -> bool:
    """Whether a task prints one literal string, which can be checked on its own."""
    words = [token[0] for token in _first(following, 3)]
    return words[:1] == [";"] or (
        len(words) == 3
        and words[0] == "("
        and words[2] == ")"
        and words[1][:1] == '"'
        and not re.search(r"[%\\]", words[1])
    )


def _path(path: str, task: str, named: list[re.Match[str]], folder: str) -> Iterator[tuple[str, str]]:
    """What a file name after a task or directive is about."""
    if not named:
        return
    if named[0]["string"]:
        name = named[0][0].strip('"')
        # A simulator may start in a folder below the working one.
        if (name.startswith(("/", "~", "\\")) and not name.startswith("/code/")) or _leaves(folder, name):
            yield "outside", name
    elif named[0][0] != "<" or task != "`include":
        yield "computed-path", task


def _leaves(folder: str, name: str) -> bool:
    if "\\" in name:
        return True
    place = posixpath.normpath(posixpath.join(folder, name))
    return not place.startswith("/code/") or place.startswith("/code/src")


def _assembled(body: str) -> Iterator[str]:
    bare = re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', " ", body)
    bare = re.sub(r"\[[^\[\]]*\]", " ", bare)
    if found := _PIECES.search(bare):
        yield found[0].strip() or "$"
    parameters = _PARAMETERS.match(body)
    names = {part.partition("=")[0].strip() for part in parameters[1].split(",")} if parameters else set()
    for task in re.findall(r"\$([A-Za-z_]\w*)", bare):
        if task in names:
            yield f"${task}"
