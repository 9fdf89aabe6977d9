"""Covers beside assertions, which tell whether each was triggered, held and failed: `1'b0 |-> 1'b0` checks nothing.

Before each concurrent assertion there is a cover of its antecedent, or of its clock where it has none; one of the whole
sequence, where it is one; and the same assertion again with a cover for its failures, which its own action block
may keep to itself. The condition of an immediate assertion goes through a function that covers both of its values. What
is put in stays on a line or says that it is of another file, so that places in messages and coverage hold.
"""

import itertools
import re
import secrets
from dataclasses import dataclass, field

from xcelium.assertions import KINDS, STARTS

# A design must not be able to name a cover of its own so.
PREFIX = f"trigger_{secrets.token_hex(6)}_"
OWN_FILE = f"{PREFIX}covers"
# Comments with which a design would leave itself out of the coverage.
_UNCOVERED = re.compile(r"/\*\s*verilator\s+coverage_\w+\s*\*/|//\s*verilator\s+coverage_\w+[^\n]*")
_TOKEN = re.compile(
    r'`[^\n]*|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\\[!-~]+|[\w$\']+|\|->|\|=>|\#-\#|\#=\#|[^\s]', re.DOTALL
)
_LINE = re.compile(r'^`line\s+(\d+)\s+("[^"\n]*")[^\n]*', re.MULTILINE)
_IMPLIES = frozenset({"|->", "|=>", "#-#", "#=#", "implies"})
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_ENDS = re.compile(r"end\w*$")
_OPERATORS = frozenset(
    ["not", "always", "eventually", "nexttime", "until", "until_with", "iff", "implies", "if", "case", "strong", "weak"]
)
_OF_PROPERTIES = _IMPLIES | _OPERATORS | {f"s_{operator}" for operator in _OPERATORS}
"""What a sequence does not have."""
_DELAYS = {"|->": "##0", "|=>": "##1"}
_SCOPES = frozenset({"module", "macromodule", "interface", "program", "class", "package", "checker"})
_WITH_FUNCTIONS = frozenset({"module", "macromodule", "interface", "program"})
# They decide without their property; nobody could say whether that was ever looked at.
_ABORTS = frozenset({"accept_on", "reject_on", "sync_accept_on", "sync_reject_on", "case"})


@dataclass(frozen=True)
class StatementCovers:
    """The covers of one statement."""

    hits: tuple[str, ...] = ()
    """Labels of those that have to be hit."""
    failures: tuple[str, ...] = ()
    """Labels of those that must not be hit."""


@dataclass(frozen=True)
class MeasuredParts:
    """What is to be measured, as far as the simulator can build it."""

    sequences: bool = True
    conditions: bool = True


@dataclass
class _PreprocessedSource:
    text: str
    tokens: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for token_match in _TOKEN.finditer(self.text):
            if not token_match[0].startswith(("`", "//", "/*")):
                self.tokens.append(token_match[0])
                self.starts.append(token_match.start())

    def text_between(self, first_token: int, end_token: int) -> str:
        """The text of tokens from `first_token` to before `end_token`, on one line."""
        last = end_token - 1
        text = (
            self.text[self.starts[first_token] : self.starts[last] + len(self.tokens[last])]
            if end_token > first_token
            else ""
        )
        return " ".join(line for line in text.splitlines() if not line.startswith("`line"))

    def as_if_from_own_file(self, insertion_offset: int, inserted: str) -> str:
        """Text to be inserted at a position: as if it came from another file, so that nobody counts its lines."""
        before = self.text[:insertion_offset]
        directives = list(_LINE.finditer(before))
        number, file, rest = 1, '""', before
        if directives:
            number, file, rest = int(directives[-1][1]) - 1, directives[-1][2], before[directives[-1].end() :]
        number += rest.count("\n")
        return f'\n`line 1 "{OWN_FILE}" 0\n{inserted}\n`line {number} {file} 0\n'

    def closing_bracket(self, opening_token: int) -> int:
        """The index of the bracket that closes the one at `opening_token`."""
        depth = 0
        for index in range(opening_token, len(self.tokens)):
            depth += (self.tokens[index] in _OPEN) - (self.tokens[index] in _CLOSE)
            if depth == 0:
                return index
        raise ValueError("a bracket is not closed")


def with_trigger_covers(
    preprocessed_text: str, measures: MeasuredParts = MeasuredParts()
) -> tuple[str, list[StatementCovers | None]]:
    """Put covers into preprocessed text.

    Args:
        preprocessed_text: As `verilator -E` prints it.
        measures: What the covers are to tell.

    Returns:
        The text, and for each statement that `assertions.find` finds, in its order, its covers; none where it could not
        be said what triggers it.
    """
    source = _PreprocessedSource(_UNCOVERED.sub(" ", preprocessed_text))
    covers: list[tuple[int, str]] = []
    named = _add_antecedent_properties(source, covers, measures)
    bodies = _body_offset_by_token_index(source)
    marks: list[StatementCovers | None] = []
    for index, kind in enumerate(source.tokens[:-2]):
        after = source.tokens[index + 1]
        if kind not in KINDS or after not in STARTS:
            continue
        try:
            if after == "property":
                marks.append(_cover_concurrent_assertion(source, index, bodies[index], named, covers, measures))
            elif kind == "cover":
                marks.append(StatementCovers())
            else:
                marks.append(_cover_immediate_assertion(source, index, bodies.get(index), covers, measures))
        except (ValueError, IndexError, KeyError):
            marks.append(None)
    return _with_insertions(source.text, covers), marks


def _cover_concurrent_assertion(
    source: _PreprocessedSource,
    assertion_token: int,
    body_offset: int,
    antecedents_by_property: dict[str, int],
    insertions: list[tuple[int, str]],
    measures: MeasuredParts,
) -> StatementCovers:
    closing = source.closing_bracket(assertion_token + 2)
    antecedents = _clock_disabling_and_antecedents(
        source, assertion_token + 3, closing, antecedents_by_property, measures
    )
    place = _statement_offset(source, assertion_token)
    labels = tuple(f"{PREFIX}{len(insertions)}_{number}" for number in range(len(antecedents)))
    statements = "".join(
        f" {label}: cover property ({antecedent}); " for label, antecedent in zip(labels, antecedents, strict=True)
    )
    failures: tuple[str, ...] = ()
    if source.tokens[assertion_token] != "cover":
        # A function, for Verilator repeats the action block of a property of several parts.
        name = f"{PREFIX}{len(insertions)}"
        failures = (f"{name}_failed",)
        function = f"function automatic void {name}(); {failures[0]}: cover (1'b1); endfunction"
        insertions.append((body_offset, source.as_if_from_own_file(body_offset, function)))
        statements += f" assert property ({source.text_between(assertion_token + 3, closing)}) else {name}(); "
    insertions.append((place, statements))
    return StatementCovers(labels, failures)


def _cover_immediate_assertion(
    source: _PreprocessedSource,
    assertion_token: int,
    body_offset: int | None,
    insertions: list[tuple[int, str]],
    measures: MeasuredParts,
) -> StatementCovers | None:
    opening = assertion_token + {"(": 1, "final": 2, "#": 3}[source.tokens[assertion_token + 1]]
    closing = source.closing_bracket(opening)
    if body_offset is None or not measures.conditions:
        # Without an action block the simulator tells of failures by itself.
        return StatementCovers() if source.tokens[closing + 1] == ";" else None
    name = f"{PREFIX}{len(insertions)}"
    marks = StatementCovers((f"{name}_held",), (f"{name}_failed",))
    function = f"function automatic bit {name}(input bit held); {marks.hits[0]}: cover (held);"
    function += f" {marks.failures[0]}: cover (held == 1'b0); return held; endfunction"
    insertions.append((body_offset, source.as_if_from_own_file(body_offset, function)))
    insertions.append((source.starts[opening] + 1, f"{name}(("))
    insertions.append((source.starts[closing], ") != 0)"))
    return marks


def _body_offset_by_token_index(source: _PreprocessedSource) -> dict[int, int]:
    """Index of each token in a module, and in no class of it → position at which the module's body begins."""
    body_by_token: dict[int, int] = {}
    scopes: list[tuple[str, int]] = []
    end = 0
    for index, word in enumerate(source.tokens):
        if index < end:
            continue
        before = source.tokens[index - 1] if index else ";"
        # Others are types of ports and variables, or declare what comes later; `interface class` is a class.
        if (
            word in _SCOPES
            and before not in ("virtual", "typedef", "extern", "(", ",")
            and source.tokens[index + 1] != "class"
        ):
            end = _header_semicolon_token(source, index)
            scopes.append((word, source.starts[end] + 1))
        elif word.startswith("end") and word[3:] in _SCOPES and scopes:
            scopes.pop()
        elif scopes and scopes[-1][0] in _WITH_FUNCTIONS:
            body_by_token[index] = scopes[-1][1]
    return body_by_token


def _header_semicolon_token(source: _PreprocessedSource, header_token: int) -> int:
    """Index of the semicolon that ends the header of a module, which may import packages first."""
    depth = 0
    is_importing = False
    for index in range(header_token, len(source.tokens)):
        word = source.tokens[index]
        depth += (word in _OPEN) - (word in _CLOSE)
        is_importing |= word == "import"
        if word == ";" and depth == 0:
            if not is_importing:
                return index
            is_importing = False
    return len(source.tokens) - 1


def _with_insertions(preprocessed_text: str, insertions: list[tuple[int, str]]) -> str:
    for place, statements in sorted(insertions, reverse=True):
        preprocessed_text = preprocessed_text[:place] + statements + preprocessed_text[place:]
    return preprocessed_text


def _statement_offset(source: _PreprocessedSource, assertion_token: int) -> int:
    """Position where a statement can stand before the assertion at `assertion_token`, and before its label."""
    if (
        assertion_token >= 2
        and source.tokens[assertion_token - 1] == ":"
        and re.match(r"[\w$\\]", source.tokens[assertion_token - 2])
    ):
        assertion_token -= 2
    before = source.tokens[assertion_token - 1]
    named_block = (
        source.tokens[assertion_token - 2] == ":" and re.match(r"begin$|end", source.tokens[assertion_token - 3])
        if assertion_token >= 3
        else None
    )
    if before in (";", "begin", "generate") or _ENDS.match(before) or named_block:
        return source.starts[assertion_token]
    raise ValueError("a statement of its own is not possible here")


def _add_antecedent_properties(
    source: _PreprocessedSource, insertions: list[tuple[int, str]], measures: MeasuredParts
) -> dict[str, int]:
    """Add a property for each antecedent of every named one.

    Returns:
        Its name → how many antecedents it has.
    """
    named: dict[str, int] = {}
    index = 0
    while index < len(source.tokens) - 3:
        if source.tokens[index] != "property" or source.tokens[index - 1] in (
            "assert",
            "assume",
            "cover",
            "restrict",
            "expect",
        ):
            index += 1
            continue
        end = source.tokens.index("endproperty", index)
        name, body = source.tokens[index + 1], index + 2
        ports = ""
        if source.tokens[body] == "(":
            closing = source.closing_bracket(body)
            ports, body = source.text_between(body, closing + 1), closing + 1
        last = end - 1 if source.tokens[end - 1] == ";" else end
        # Local variables come first, each with a semicolon.
        semicolons = [index for index in range(body + 1, last) if source.tokens[index] == ";"]
        start = semicolons[-1] + 1 if semicolons else body + 1
        try:
            antecedents = _clock_disabling_and_antecedents(source, start, last, named, measures)
            after = end + 2 if source.tokens[end + 1] == ":" else end
            declared = "".join(
                f" property {PREFIX}{name}_{number}{ports}; {source.text_between(body + 1, start)} {antecedent};"
                " endproperty "
                for number, antecedent in enumerate(antecedents)
            )
            place = source.starts[after] + len(source.tokens[after])
            insertions.append((place, source.as_if_from_own_file(place, declared)))
            named[name] = len(antecedents)
        except (ValueError, IndexError):
            named[name] = 0
        index = end
    return named


def _clock_disabling_and_antecedents(
    source: _PreprocessedSource,
    start_token: int,
    end_token: int,
    antecedents_by_property: dict[str, int],
    measures: MeasuredParts,
) -> list[str]:
    """The clock, the disabling and one antecedent each, of the property from `start_token` to before `end_token`.

    The last is the whole of it, where that is a sequence.
    """
    body = start_token
    if source.tokens[body] == "@":
        body = (source.closing_bracket(body + 1) if source.tokens[body + 1] == "(" else body + 1) + 1
    if source.tokens[body : body + 2] == ["disable", "iff"]:
        body = source.closing_bracket(body + 2) + 1
    prefix = source.text_between(start_token, body)
    while source.tokens[body] == "(" and source.closing_bracket(body) == end_token - 1:
        body, end_token = body + 1, end_token - 1
    name = source.tokens[body]
    if name in antecedents_by_property and (
        end_token == body + 1 or (source.tokens[body + 1] == "(" and source.closing_bracket(body + 1) == end_token - 1)
    ):
        if not antecedents_by_property[name]:
            raise ValueError("nothing is known of the property")
        arguments = source.text_between(body + 1, end_token)
        return [f"{prefix} {PREFIX}{name}_{number}{arguments}" for number in range(antecedents_by_property[name])]
    if any(token in _ABORTS for token in source.tokens[body:end_token]):
        raise ValueError("the property may be decided without being looked at")
    if name == "if":
        return [f"{prefix} ({source.text_between(body + 2, source.closing_bracket(body + 1))})"]
    antecedents = _antecedents_of_groups(source, body, end_token) or ["1'b1"]
    if measures.sequences:
        antecedents += _consequent_if_sequence(source, body, end_token)
    return [f"{prefix} {antecedent}" for antecedent in antecedents]


def _consequent_if_sequence(source: _PreprocessedSource, start_token: int, end_token: int) -> list[str]:
    """What has to happen for the property to hold once it was triggered; nothing where that is no sequence."""
    properties = {name for before, name in itertools.pairwise(source.tokens) if before == "property" and name != "("}
    others = [index for index in range(start_token, end_token) if source.tokens[index] in _OF_PROPERTIES | properties]
    if not others:
        return [source.text_between(start_token, end_token)]
    index = others[0]
    depth = sum((token in _OPEN) - (token in _CLOSE) for token in source.tokens[start_token:index])
    delay = _DELAYS.get(source.tokens[index])
    if len(others) > 1 or depth or delay is None:
        return []
    return [f"({source.text_between(start_token, index)}) {delay} ({source.text_between(index + 1, end_token)})"]


def _antecedents_of_groups(source: _PreprocessedSource, start_token: int, end_token: int) -> list[str]:
    """Text before the first implication of each group of brackets that is not itself implied."""
    depth = 0
    for index in range(start_token, end_token):
        depth += (source.tokens[index] in _OPEN) - (source.tokens[index] in _CLOSE)
        if depth == 0 and source.tokens[index] in _IMPLIES:
            return [source.text_between(start_token, index)]
    antecedents: list[str] = []
    index = start_token
    while index < end_token:
        if source.tokens[index] == "(":
            closing = source.closing_bracket(index)
            antecedents += _antecedents_of_groups(source, index + 1, closing)
            index = closing
        index += 1
    return antecedents
