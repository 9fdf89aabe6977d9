"""The assertions and covers that a design holds, read from its preprocessed text."""

import re
from dataclasses import asdict, dataclass

_TOKEN = re.compile(
    r'^`line\s+(?P<line>\d+)\s+"(?P<file>[^"]*)"[^\n]*$'
    r'|(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^\n]*|\$\w+|\\[!-~]+)'
    r"|(?P<word>[A-Za-z_][\w$]*)|(?P<newline>\n)|(?P<mark>[:#(;])",
    re.DOTALL | re.MULTILINE,
)
KINDS = frozenset({"assert", "assume", "cover"})
# `cover` also begins `coverpoint`s' options, and `assert` an argument: those have nothing of this after.
STARTS = frozenset({"property", "sequence", "(", "#", "final"})
_MODULES = frozenset({"module", "macromodule", "interface", "program"})


@dataclass(frozen=True)
class Assertion:
    """One statement."""

    module: str
    name: str
    """Its label; empty without one."""
    kind: str
    """`assert`, `assume` or `cover`."""
    concurrent: bool
    file: str
    line: int

    def as_dict(self) -> dict[str, object]:
        """For a file."""
        return asdict(self)


def find_assertions(preprocessed_text: str) -> list[Assertion]:
    """All statements of preprocessed text (`verilator -E`), in its order."""
    found: list[Assertion] = []
    module, file, line = "", "", 1
    before: list[str] = []
    tokens = list(_TOKEN.finditer(preprocessed_text))
    for number, token in enumerate(tokens):
        if token["newline"]:
            line += 1
        elif token["line"]:
            # The next line has the number that the directive gives.
            file, line = token["file"], int(token["line"]) - 1
        elif token["skip"]:
            line += token["skip"].count("\n")
        elif token["mark"] or token["word"]:
            word = token["word"] or token["mark"]
            if before and before[-1] in _MODULES and token["word"] and word not in ("automatic", "static", "class"):
                module = word if "virtual" not in before[-2:] else module
            if word in KINDS:
                after = _next_word_or_mark(tokens, number)
                if after in STARTS:
                    label = before[-2] if len(before) > 1 and before[-1] == ":" else ""
                    concurrent = after in ("property", "sequence")
                    found.append(Assertion(module, label, word, concurrent, file, line))
            before = [*before[-2:], word]
    return found


def _next_word_or_mark(tokens: list[re.Match[str]], token_index: int) -> str:
    for token in tokens[token_index + 1 :]:
        if word := token["word"] or token["mark"]:
            return word
    return ""
