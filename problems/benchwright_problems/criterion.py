"""When a run passes, in the words of a problem's author: `[criterion]` of `problem.toml`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import regex
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from benchwright_foundation.model import Model
from benchwright_problems.relative_path import RelativeFolder, RelativePath

TESTBENCH_FILE = "testbench.json"
"""The file of a harness that is a testbench."""
Simulator = Literal["icarus", "verilator"]


class OutputScope(StrEnum):
    """Output in which patterns are looked for."""

    CHANNEL = "channel"
    """Text of the testbench's own."""
    STDOUT = "stdout"
    """All that the simulation, or the last step, prints: a design can print it, too."""
    LOG = "log"
    """All that compilers, simulations and scripts print."""


def _require_valid_pattern(pattern: str) -> str:
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
    return pattern


def _require_flag(compiler_flag: str) -> str:
    if not compiler_flag.startswith(("-", "+")):
        raise ValueError("must begin with - or +")
    return compiler_flag


Pattern = Annotated[str, AfterValidator(_require_valid_pattern), Field(min_length=1, max_length=500)]
Patterns = Annotated[
    tuple[Pattern, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    Field(max_length=50),
]
Flag = Annotated[str, AfterValidator(_require_flag), Field(max_length=200, pattern=r"^\S+$")]


class DecidingPatterns(Model):
    """Patterns of the lines that decide."""

    model_config = ConfigDict(serialize_by_alias=True)

    passes: Patterns = Field(default=(), alias="pass")
    """A run passes only with a line in which one of these is found."""
    fails: Patterns = Field(default=(), alias="fail")
    """A run with a line in which one of these is found has failed, whatever else there is."""
    count: Annotated[int, Field(ge=1)] | None = None
    """Number of lines in which a pattern of `pass` has to be found; None for one or more."""


PRESETS = {
    "verilogeval": DecidingPatterns.model_validate(
        {
            "pass": [r"Mismatches: *(?P<mismatches>0) in *(?P<samples>[1-9]\d*) samples"],
            "fail": [
                r"Mismatches: *(?P<mismatches>\d*[1-9]\d*) in *(?P<samples>\d+) samples",
                "TIMEOUT",
                "error",
            ],
            "count": 1,
        }
    ),
    "rtllm": DecidingPatterns.model_validate({"pass": [r"(?i)\bpass(?:ed)?\b"]}),
}
"""The criteria of data sets: of scripts/sv-iv-analyze of NVlabs/verilog-eval, and of RTLLM's testbenches."""


class CriterionTable(DecidingPatterns):
    """`[criterion]` of `problem.toml`."""

    preset: Literal["verilogeval", "rtllm"] | None = None
    """A data set whose patterns apply."""
    exit: int | Literal["any"] = 0
    """Exit status of the simulation, or of the last step, of a run that passes."""
    file: RelativePath | None = None
    """A file, relative to the working directory, that a run leaves and in whose lines the patterns are searched for."""
    scope: OutputScope | None = None
    """None for the channel where there is a testbench, and for `stdout` where there is none."""
    simulator: Simulator | None = None
    """The testbench's; None for the first that the reference passes with."""
    flags: Annotated[tuple[Flag, ...], Field(max_length=50)] = ()
    """More arguments for the compiler of the testbench."""
    includes: Annotated[tuple[RelativeFolder, ...], Field(max_length=50)] = ()
    """Folders of the workspace with headers, besides those of the design's files."""
    data: Annotated[tuple[RelativePath, ...], Field(max_length=500)] = ()
    """Files of the harness that the testbench reads while it runs, by file name."""

    @property
    def effective_patterns(self) -> DecidingPatterns:
        """The preset's, or its own."""
        return PRESETS[self.preset] if self.preset else self

    @model_validator(mode="after")
    def _require_consistent(self) -> CriterionTable:
        if self.preset and (self.passes or self.fails or self.count is not None):
            raise ValueError("preset: has patterns of its own; give either it or pass, fail and count")
        if self.count is not None and not self.passes:
            raise ValueError("count: counts lines with a pattern of pass, and there is none")
        if self.file is not None and self.scope is not None:
            raise ValueError("file: its lines are searched, so there can be no scope")
        return self
