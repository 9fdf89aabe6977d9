"""A testbench's source as a run compiles it: what it says goes over the channel, and its names are the run's own.

The design shares standard output, the working directory, the generator of random numbers and, by way of upward names,
the scopes of the testbench. So each print becomes a record of the channel (`toolchain/build/programs/channel.c`), each
end an announced one, each `$readmemh` of the testbench's data a call that shows the data for as long as it lasts, each
draw without a seed one from a generator of its own; and each name of a scope gets a suffix that the design can't know
when it is compiled, as do the tasks of the channel. No line is added or lost.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from re import Match

RUN = "BenchwrightRun"
"""Stands for a run's token in everything that is prepared for any run."""
PACKAGE = f"bw{RUN}"
"""The package of the channel, and the prefix of its tasks in Icarus."""
WORKSPACE = "BenchwrightWorkspace"
"""Stands for the workspace's entries, which the testbench may read, in the text for the channel."""
SEED = "BenchwrightSeed"
"""Stands for the seed of a run's random numbers, 16 hexadecimal digits."""
PUBLISHED_SEED = "0" * 16
"""With this one, Icarus draws the numbers that it draws by itself."""
DATA = "/tmp/benchwright-data"  # noqa: S108 - inside the sandbox
"""Folder of data while a `$readmemh` of the testbench reads it."""

_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\r\n]* | /\*.*?\*/ )
    | (?P<string>  "(?:[^"\\]|\\.)*" )
    | (?P<paste>   `["`\\]+ )
    | (?P<escaped> \\[!-~]+ )
    | (?P<task>    \$[A-Za-z_][A-Za-z0-9_$]* )
    | (?P<number>  '[sS]?[bodhBODH]\s*[0-9a-zA-Z_?]+ | [0-9][0-9_]* )
    | (?P<word>    `?[A-Za-z_][A-Za-z0-9_$]* )
    | (?P<other>   [^\s] )
    """,
    re.VERBOSE | re.DOTALL,
)
_PRINTS = re.compile(r"\$(display|write)([bho]?)")
_SEVERITIES = frozenset({"$error", "$warning", "$info"})
_ENDINGS = frozenset({"$finish", "$stop"})
_LOADS = frozenset({"$readmemh", "$readmemb"})
_DRAWS = frozenset({"$random", "$urandom", "$urandom_range"})
_SHARED_DRAWS = frozenset({"randomize", "randcase", "randsequence", "shuffle"})
_ENDS_LINE, _TELLS_RESULT = 1, 2
_STDOUT = frozenset({"1", "32'h1", "32'h8000_0001", "32'h80000001"})


@dataclass(frozen=True)
class ChannelCalls:
    """Calls by which a simulator's sources reach the channel."""

    package: str
    """The source of the package."""
    say: str
    data_call: str
    end_call: str
    draws: Mapping[str, tuple[str, str]]
    """A function that draws without a seed → the text instead of it, and the text after its range, if it has one."""


ICARUS = ChannelCalls(
    # What Icarus's own functions draw, but from states that nothing else changes.
    package=(
        f"package {PACKAGE}; string text; localparam bit [63:0] seed = 64'h{SEED};"
        " int random_state = seed[31:0], urandom_state = seed[63:32];"
        " function automatic int unsigned draw_range(input int unsigned first, input int unsigned second);"
        " int least, most; least = (first < second ? first : second) ^ 32'h80000000;"
        " most = (first < second ? second : first) ^ 32'h80000000;"
        " draw_range = $dist_uniform(urandom_state, least, most) ^ 32'h80000000; endfunction endpackage\n"
    ),
    say=f"${PACKAGE}_say",
    data_call=f"${PACKAGE}_data",
    end_call=f"${PACKAGE}_end",
    # Icarus 12 takes the width of a package's function for that of the expression around it, unless it is in braces.
    draws={
        "$random": (f"$random({PACKAGE}::random_state)", ""),
        "$urandom": (f"$unsigned($random({PACKAGE}::urandom_state) ^ 32'h80000000)", ""),
        "$urandom_range": (f"$unsigned({{{PACKAGE}::draw_range", "})"),
    },
)
VERILATOR = ChannelCalls(
    package=(
        f"package {PACKAGE}; string text;"
        f' import "DPI-C" {PACKAGE}_say = function void say(input int flags, input string text);'
        f' import "DPI-C" {PACKAGE}_data = function void data(input int shown);'
        f' import "DPI-C" {PACKAGE}_end = function void end_(input int finished);'
        f' import "DPI-C" {PACKAGE}_final = function void final_();'
        # SplitMix64: there, a seed given to a draw is one for whoever draws next.
        f" longint unsigned state = 64'h{SEED};"
        " function automatic longint unsigned step(); longint unsigned mixed; state += 64'h9e3779b97f4a7c15;"
        " mixed = (state ^ (state >> 30)) * 64'hbf58476d1ce4e5b9;"
        " mixed = (mixed ^ (mixed >> 27)) * 64'h94d049bb133111eb;"
        " return mixed ^ (mixed >> 31); endfunction"
        " function automatic int draw(); return int'(step()); endfunction"
        " function automatic int unsigned draw_unsigned(); return 32'(step()); endfunction"
        " function automatic int unsigned draw_range(input int unsigned first, input int unsigned second);"
        " longint unsigned least, most; least = 64'(first < second ? first : second);"
        " most = 64'(first < second ? second : first);"
        " return 32'(least + step() % (most - least + 1)); endfunction endpackage\n"
    ),
    say=f"{PACKAGE}::say",
    data_call=f"{PACKAGE}::data",
    end_call=f"{PACKAGE}::end_",
    draws={
        "$random": (f"{PACKAGE}::draw()", ""),
        "$urandom": (f"{PACKAGE}::draw_unsigned()", ""),
        "$urandom_range": (f"{PACKAGE}::draw_range", ""),
    },
)
SYMBOLS = "".join(f"benchwright_{name} {PACKAGE}_{name}\n" for name in ("say", "data", "end", "final"))
"""The functions of the channel's object, and what a run calls them."""
WATCH = f"module {PACKAGE}_end; final {PACKAGE}::final_(); endmodule bind TOP {PACKAGE}_end {PACKAGE}_end();\n"
"""Source that Verilator compiles besides, to know if nothing was left to do; Icarus's module knows it by itself."""


def renamable_names(source_texts: Iterable[str], scope_names: Collection[str]) -> frozenset[str]:
    """Those of some names that a run can change: none that also follows a dot, as a port's does.

    Args:
        source_texts: The testbench's files.
        scope_names: Names of its scopes.
    """
    tokens = [token for text in source_texts for token in _tokens_without_comments(text)]
    after_dot = {token[0] for previous, token in itertools.pairwise(tokens) if previous[0] == "."}
    return frozenset(name for name in scope_names if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", name)) - after_dot


def string_literals(source_text: str) -> Iterator[str]:
    """The strings of a source, with their quotation marks."""
    return (token[0] for token in _tokens_without_comments(source_text) if token.lastgroup == "string")


def draws_unseeded_numbers(source_texts: Iterable[str]) -> bool:
    """True if sources draw random numbers without a seed."""
    return any(
        token[0] in _SHARED_DRAWS or (token[0] in _DRAWS and not _has_seed(tokens, index))
        for tokens in (list(_tokens_without_comments(text)) for text in source_texts)
        for index, token in enumerate(tokens)
    )


def draws_from_shared_generator(source_texts: Iterable[str]) -> bool:
    """True if sources draw random numbers in ways that can't be given a generator of their own."""
    return any(token[0] in _SHARED_DRAWS for text in source_texts for token in _tokens_without_comments(text))


def data_files_to_expose(source_texts: Iterable[str], data_files: Collection[str]) -> frozenset[str]:
    """The data that has to be in the working directory, where a design could read it, too.

    The rest is only named as a `$readmemh`'s file, which a run can show for the time of the call.
    """
    served, other_names, computed = set[str](), set[str](), False
    for text in source_texts:
        tokens = list(_tokens_without_comments(text))
        names = {index + 2 for index, token in enumerate(tokens) if token[0] in _LOADS}
        open_indices = {index + 2 for index, token in enumerate(tokens) if token[0] == "$fopen"}
        computed |= any(tokens[index].lastgroup != "string" for index in names | open_indices if index < len(tokens))
        for index, token in enumerate(tokens):
            if token.lastgroup == "string":
                name = token[0][1:-1].removeprefix("./")
                (served if index in names else other_names).add(name)
    return frozenset(name for name in data_files if name in other_names or (computed and name not in served))


def rewritten_testbench_file(
    source_text: str,
    *,
    renamed_names: Collection[str],
    calls: ChannelCalls | None,
    tells_result: Callable[[str], bool],
    served_files: Collection[str] = (),
) -> str:
    """One file of a testbench, as a run compiles it.

    Args:
        source_text: The source.
        renamed_names: See `renamable_names`.
        calls: Calls by which it reaches the channel; `None` where there is none.
        tells_result: True for a string, with its quotation marks, that may hold the testbench's result.
        served_files: The files that are shown to a `$readmemh`.
    """
    tokens = list(_tokens_without_comments(source_text))
    text_edits = [
        (token.end(), token.end(), f"${RUN}")
        for previous_token, token in zip([None, *tokens], tokens, strict=False)
        if token.lastgroup == "word" and token[0] in renamed_names and not (previous_token and previous_token[0] == ".")
    ]
    if calls is not None:
        text_edits += _ChannelRewriter(tokens, calls, tells_result, frozenset(served_files)).edits()
    for start, end, replacement in sorted(text_edits, reverse=True):
        source_text = source_text[:start] + replacement + source_text[end:]
    return source_text


_Edit = tuple[int, int, str]


class _ChannelRewriter:
    def __init__(
        self,
        tokens: list[Match[str]],
        calls: ChannelCalls,
        tells_result: Callable[[str], bool],
        served_files: frozenset[str],
    ) -> None:
        self._tokens = tokens
        self._calls = calls
        self._tells_result = tells_result
        self._data = served_files
        in_prints = {
            inner_index
            for index, token in enumerate(tokens)
            if token.lastgroup == "task" and (_PRINTS.fullmatch(token[0]) or token[0] in _SEVERITIES)
            for inner_index in range(index, self._last_index_of_call(index) + 1)
        }
        result_indices = (
            index for index, token in enumerate(tokens) if token.lastgroup == "string" and tells_result(token[0])
        )
        # A string that is kept in a variable may be printed by any call.
        self._any_tells = any(index not in in_prints for index in result_indices)

    def edits(self) -> Iterator[_Edit]:
        """From → to, and what replaces it."""
        for index, token in enumerate(self._tokens):
            if token.lastgroup != "task":
                continue
            if match := _PRINTS.fullmatch(token[0]):
                yield from self._print_edits(index, f"$swrite{match[2]}", ends_line=match[1] == "display")
            elif (
                token[0] == "$fdisplay"
                and self._token_text(index + 2) in _STDOUT
                and self._token_text(index + 3) == ","
            ):
                yield from self._print_edits(index, "$swrite", ends_line=True, skipped_token_count=2)
            elif token[0] in _SEVERITIES:
                yield from self._severity_edits(index)
            elif token[0] in _ENDINGS:
                # Where nobody is there to continue, a stop is an end.
                yield token.start(), token.end(), f"begin {self._calls.end_call}(1); $finish"
                yield self._edit_after(self._last_index_of_call(index), "; end")
            elif token[0] in _DRAWS and not _has_seed(self._tokens, index):
                yield from self._draw_edits(index)
            elif token[0] in _LOADS and self._file_name_argument(index) in self._data:
                name_token = self._tokens[index + 2]
                yield token.start(), token.start(), f"begin {self._calls.data_call}(1); "
                yield name_token.start(), name_token.end(), f'"{DATA}/{self._file_name_argument(index)}"'
                yield self._edit_after(self._last_index_of_call(index), f"; {self._calls.data_call}(0); end")

    def _print_edits(
        self, task_index: int, write_task: str, *, ends_line: bool, skipped_token_count: int = 0
    ) -> Iterator[_Edit]:
        close = self._last_index_of_call(task_index)
        first_index = task_index + 2 + skipped_token_count
        write_call = f"{write_task}({PACKAGE}::text"
        say_call = f"; {self._say_call(task_index, close, ends_line=ends_line)}; end"
        if first_index >= close:
            yield self._tokens[task_index].start(), self._tokens[close].end(), f'begin {write_call}, "")'
        else:
            yield self._tokens[task_index].start(), self._tokens[first_index].start(), f"begin {write_call}, "
        yield self._edit_after(close, say_call)

    def _severity_edits(self, task_index: int) -> Iterator[_Edit]:
        close = self._last_index_of_call(task_index)
        if task_index + 2 < close:
            arguments = "".join(
                f" {token[0]}" for token in self._tokens[task_index + 2 : close] if token.lastgroup != "comment"
            )
            opening = (
                f"begin $swrite({PACKAGE}::text,{arguments}); {self._say_call(task_index, close, ends_line=True)}; "
            )
            yield self._tokens[task_index].start(), self._tokens[task_index].start(), opening
            yield self._edit_after(close, "; end")

    def _draw_edits(self, task_index: int) -> Iterator[_Edit]:
        start, close = self._tokens[task_index].start(), self._last_index_of_call(task_index)
        before, behind = self._calls.draws[self._tokens[task_index][0]]
        if self._tokens[task_index][0] != "$urandom_range":
            yield start, self._tokens[close].end(), before
            return
        yield start, self._tokens[task_index].end(), before
        least = "" if self._has_several_arguments(task_index, close) else ", 0"
        yield self._tokens[close].start(), self._tokens[close].end(), f"{least}){behind}"

    def _has_several_arguments(self, task_index: int, closing_index: int) -> bool:
        """True if a call has more than one argument."""
        depth = 0
        for token in self._tokens[task_index + 1 : closing_index]:
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token[0], 0)
            if token[0] == "," and depth == 1:
                return True
        return False

    def _say_call(self, task_index: int, closing_index: int, *, ends_line: bool) -> str:
        tells = self._any_tells or any(
            token.lastgroup == "string" and self._tells_result(token[0])
            for token in self._tokens[task_index:closing_index]
        )
        flags = (_ENDS_LINE if ends_line else 0) | (_TELLS_RESULT if tells else 0)
        return f"{self._calls.say}({flags}, {PACKAGE}::text)"

    def _edit_after(self, closing_index: int, replacement: str) -> _Edit:
        """Edit of the text after a call; it takes its semicolon along, for `if (c) $display; else …`."""
        end = self._tokens[closing_index].end()
        takes = self._token_text(closing_index + 1) == ";"
        return end, self._tokens[closing_index + 1].end() if takes else end, replacement

    def _last_index_of_call(self, task_index: int) -> int:
        """The last token of a call: its closing parenthesis, if it has arguments."""
        if self._token_text(task_index + 1) != "(":
            return task_index
        depth = 0
        for end in range(task_index + 1, len(self._tokens)):
            depth += {"(": 1, ")": -1}.get(self._token_text(end), 0)
            if depth == 0:
                return end
        return task_index

    def _file_name_argument(self, task_index: int) -> str:
        return self._token_text(task_index + 2)[1:-1].removeprefix("./")

    def _token_text(self, token_index: int) -> str:
        return self._tokens[token_index][0] if token_index < len(self._tokens) else ""


def _has_seed(tokens: Sequence[Match[str]], task_index: int) -> bool:
    """True if the call of `$random` or `$urandom` at an index has an argument."""
    words = [token[0] for token in tokens[task_index : task_index + 3]]
    return words[0] != "$urandom_range" and words[1:2] == ["("] and words[2:3] != [")"]


def _tokens_without_comments(source_text: str) -> Iterator[Match[str]]:
    return (token for token in _TOKEN.finditer(source_text) if token.lastgroup != "comment")
