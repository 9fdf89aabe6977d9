"""Tests of a repository problem, by name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from benchwright_foundation.model import Model

TestName = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^\S(.*\S)?$")]
RESULTS_START, RESULTS_END = "HWE_BENCH_RESULTS_START", "HWE_BENCH_RESULTS_END"
"""Lines around the results that a verifier prints, each as `TEST: NAME ... PASS`, `FAIL` or `SKIP`."""
VERIFIER = "verifier.sh"
"""The script of a harness that has no `docker-compose.yml`."""


class NamedTests(Model):
    """`[tests]` of `problem.toml`: tests that decide."""

    fail_to_pass: Annotated[tuple[TestName, ...], Field(max_length=5_000)] = ()
    """They fail with the files that the solver starts with, and pass once the problem is solved. With no name at all,
    every result that is printed has to be a pass."""
    pass_to_pass: Annotated[tuple[TestName, ...], Field(max_length=50_000)] = ()
    """They pass before and after."""
    printed: bool = False
    """True if the harness prints their results; otherwise they are tests of cocotb and pytest."""

    @model_validator(mode="after")
    def _require_unique_names(self) -> NamedTests:
        names = (*self.fail_to_pass, *self.pass_to_pass)
        if not self.fail_to_pass and (self.pass_to_pass or not self.printed):
            raise ValueError("fail_to_pass: names no test")
        if len({*names}) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"names the test {twice!r} twice")
        return self
