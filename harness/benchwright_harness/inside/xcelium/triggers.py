"""Covers beside assertions, which tell whether an assertion was ever triggered: `1'b0 |-> 1'b0` checks nothing.

For each concurrent assertion a cover of its antecedent is put before it, or of its clock where it has none. All of it
stays on the assertion's line, so that places in messages and coverage hold.
"""

import re
import secrets
from dataclasses import dataclass, field

# A design must not be able to name a cover of its own so.
PREFIX = f"trigger_{secrets.token_hex(6)}_"
# Comments with which a design would leave itself out of the coverage.
_UNCOVERED = re.compile(r"/\*\s*verilator\s+coverage_\w+\s*\*/|//\s*verilator\s+coverage_\w+[^\n]*")
_TOKEN = re.compile(
    r'`line[^\n]*|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\\[!-~]+|[\w$\']+|\|->|\|=>|\#-\#|\#=\#|[^\s]', re.DOTALL
)
_IMPLIES = frozenset({"|->", "|=>", "#-#", "#=#", "implies"})
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_ENDS = re.compile(r"end\w*$")
# They decide without their property; nobody could say whether that was ever looked at.
_ABORTS = frozenset({"accept_on", "reject_on", "sync_accept_on", "sync_reject_on", "case"})


@dataclass
class _Text:
    text: str
    tokens: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for found in _TOKEN.finditer(self.text):
            if not found[0].startswith(("`line", "//", "/*")):
                self.tokens.append(found[0])
                self.starts.append(found.start())

    def text_between(self, first: int, end: int) -> str:
        """The text of tokens from `first` to before `end`, on one line."""
        last = end - 1
        text = self.text[self.starts[first] : self.starts[last] + len(self.tokens[last])] if end > first else ""
        return " ".join(line for line in text.splitlines() if not line.startswith("`line"))

    def closing_bracket(self, at: int) -> int:
        """The index of the bracket that closes the one at `at`."""
        depth = 0
        for index in range(at, len(self.tokens)):
            depth += (self.tokens[index] in _OPEN) - (self.tokens[index] in _CLOSE)
            if depth == 0:
                return index
        raise ValueError("a bracket is not closed")


def with_triggers(text: str) -> tuple[str, list[list[str] | None]]:
    """Put covers into preprocessed text.

    Args:
        text: As `verilator -E` prints it.

    Returns:
        The text, and for each concurrent assertion and assumption in its order the labels of its covers; none where
        it could not be said what triggers it.
    """
    read = _Text(_UNCOVERED.sub(" ", text))
    covers: list[tuple[int, str]] = []
    named = _add_antecedent_properties(read, covers)
    labels: list[list[str] | None] = []
    for at, token in enumerate(read.tokens[:-2]):
        if token not in ("assert", "assume") or read.tokens[at + 1 : at + 3] != ["property", "("]:
            continue
        try:
            antecedents = _antecedents(read, at + 3, read.closing_bracket(at + 2), named)
            place = _statement_position(read, at)
        except (ValueError, IndexError):
            labels.append(None)
            continue
        own = [f"{PREFIX}{len(covers) + number}" for number in range(len(antecedents))]
        labels.append(own)
        statements = "".join(
            f" {label}: cover property ({antecedent}); " for label, antecedent in zip(own, antecedents, strict=True)
        )
        covers.append((place, statements))
    return _insert_covers(read.text, covers), labels


def _insert_covers(text: str, covers: list[tuple[int, str]]) -> str:
    for place, statements in sorted(covers, reverse=True):
        text = text[:place] + statements + text[place:]
    return text


def _statement_position(read: _Text, at: int) -> int:
    """Position where a statement can stand before the assertion at `at`, and before its label."""
    if at >= 2 and read.tokens[at - 1] == ":" and re.match(r"[\w$\\]", read.tokens[at - 2]):
        at -= 2
    before = read.tokens[at - 1]
    named_block = read.tokens[at - 2] == ":" and re.match(r"begin$|end", read.tokens[at - 3]) if at >= 3 else None
    if before in (";", "begin", "generate") or _ENDS.match(before) or named_block:
        return read.starts[at]
    raise ValueError("a statement of its own is not possible here")


def _add_antecedent_properties(read: _Text, covers: list[tuple[int, str]]) -> dict[str, int]:
    """Add a property for each antecedent of every named one.

    Returns:
        Its name → how many antecedents it has.
    """
    named: dict[str, int] = {}
    at = 0
    while at < len(read.tokens) - 3:
        if read.tokens[at] != "property" or read.tokens[at - 1] in ("assert", "assume", "cover", "restrict", "expect"):
            at += 1
            continue
        end = read.tokens.index("endproperty", at)
        name, body = read.tokens[at + 1], at + 2
        ports = ""
        if read.tokens[body] == "(":
            closing = read.closing_bracket(body)
            ports, body = read.text_between(body, closing + 1), closing + 1
        last = end - 1 if read.tokens[end - 1] == ";" else end
        # Local variables come first, each with a semicolon.
        semicolons = [index for index in range(body + 1, last) if read.tokens[index] == ";"]
        start = semicolons[-1] + 1 if semicolons else body + 1
        try:
            antecedents = _antecedents(read, start, last, named)
            after = end + 2 if read.tokens[end + 1] == ":" else end
            declared = "".join(
                f" property {PREFIX}{name}_{number}{ports}; {read.text_between(body + 1, start)} {antecedent};"
                " endproperty "
                for number, antecedent in enumerate(antecedents)
            )
            covers.append((read.starts[after] + len(read.tokens[after]), declared))
            named[name] = len(antecedents)
        except (ValueError, IndexError):
            named[name] = 0
        at = end
    return named


def _antecedents(read: _Text, start: int, end: int, named: dict[str, int]) -> list[str]:
    """The clock, the disabling and one antecedent each, of the property from `start` to before `end`."""
    body = start
    if read.tokens[body] == "@":
        body = (read.closing_bracket(body + 1) if read.tokens[body + 1] == "(" else body + 1) + 1
    if read.tokens[body : body + 2] == ["disable", "iff"]:
        body = read.closing_bracket(body + 2) + 1
    prefix = read.text_between(start, body)
    while read.tokens[body] == "(" and read.closing_bracket(body) == end - 1:
        body, end = body + 1, end - 1
    name = read.tokens[body]
    if name in named and (
        end == body + 1 or (read.tokens[body + 1] == "(" and read.closing_bracket(body + 1) == end - 1)
    ):
        if not named[name]:
            raise ValueError("nothing is known of the property")
        arguments = read.text_between(body + 1, end)
        return [f"{prefix} {PREFIX}{name}_{number}{arguments}" for number in range(named[name])]
    if any(token in _ABORTS for token in read.tokens[body:end]):
        raise ValueError("the property may be decided without being looked at")
    if name == "if":
        return [f"{prefix} ({read.text_between(body + 2, read.closing_bracket(body + 1))})"]
    return [f"{prefix} {found}" for found in _antecedents_of_groups(read, body, end)] or [f"{prefix} 1'b1"]


def _antecedents_of_groups(read: _Text, start: int, end: int) -> list[str]:
    """Text before the first implication of each group of brackets that is not itself implied."""
    depth = 0
    for index in range(start, end):
        depth += (read.tokens[index] in _OPEN) - (read.tokens[index] in _CLOSE)
        if depth == 0 and read.tokens[index] in _IMPLIES:
            return [read.text_between(start, index)]
    found: list[str] = []
    index = start
    while index < end:
        if read.tokens[index] == "(":
            closing = read.closing_bracket(index)
            found += _antecedents_of_groups(read, index + 1, closing)
            index = closing
        index += 1
    return found
