"""The hostile submissions, as data; and the table of them for the documentation.

Run as `.venv/bin/python tests/adversarial/submission.py`; prints the Markdown of docs/reference/adversarial.md.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Difficulty,
    Hidden,
    Kind,
    Limits,
    Problem,
    Provenance,
    Public,
    ScanAction,
)
from benchwright_problems.verdict import Reason

HERE = Path(__file__).parent
CANARY = "CANARY-e1d7"

_INTRODUCTION = """# What was tried against it

Each row is an attack in `tests/adversarial/`, run by `./test`; those that take long only by `./test --nightly`. This
page is written by `.venv/bin/python tests/adversarial/submission.py > docs/reference/adversarial.md`, and a test
compares it.

Every design below is a wrong answer. It is run with the scan of submissions switched off, so that what stands behind
the scan is proved on its own. Each time the verdict is not *passed* and has one of the reasons named, and a canary in
the harness's files is neither in the raw output, nor in the verdict, nor in any file of the run's folder. *Scan* is
what the scan says by default: a refused submission is not run at all.

| submission | tries to | stopped by | ends in | scan |
| --- | --- | --- | --- | --- |
"""
_OTHERS = """
## Attacks that are no designs

| attack | tries to | stopped by |
| --- | --- | --- |
"""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    tries: str
    stopped: str


class Submission(_Entry):
    """One hostile design; `submissions.toml` says what the fields are."""

    body: str = ""
    design: str = ""
    scan: Literal["refuse", "flag", "nothing"]
    ends: Annotated[tuple[Reason, ...], Field(min_length=1)]
    says: str = ""
    unsaid: str = CANARY
    simulator: Literal["icarus", "verilator"] = "icarus"
    wall_s: float = 300
    nightly: bool = False

    @property
    def content(self) -> bytes:
        """The file that is handed in."""
        text = self.design or f"module inv(input a, output y); assign y = a;\n{self.body}\nendmodule\n"
        return text.encode()


class Program(_Entry):
    """One hostile program, as a design would run it that had taken over the simulator; or a hostile data set."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    submission: tuple[Submission, ...] = ()
    program: tuple[Program, ...] = ()


def submissions() -> tuple[Submission, ...]:
    """All hostile designs."""
    return _Data.model_validate(tomllib.loads((HERE / "submissions.toml").read_text(encoding="utf-8"))).submission


def programs() -> tuple[Program, ...]:
    """All other attacks; each has a test of its name."""
    return _Data.model_validate(tomllib.loads((HERE / "others.toml").read_text(encoding="utf-8"))).program


def inverter(simulator: str = "icarus", wall_s: float = 300, *, scanned: bool = False) -> Problem:
    """A problem whose harness believes whatever it is told."""
    folder = HERE / "packs" / "inverter"
    files = {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()}
    files = {path: text for path, text in files.items() if "__pycache__" not in path}
    files["src/.env"] = files["src/.env"].replace("icarus", simulator)
    rules = _rules() if not scanned else ()
    return Problem(
        id="inv",
        kind=Kind.DESIGN,
        title="Inverter",
        category=Category.SPEC_TO_RTL,
        difficulty=Difficulty.EASY,
        limits=Limits(wall_s=wall_s, memory_mb=1024, folder_mb=20, file_mb=20),
        provenance=Provenance(source="", license="", version=""),
        public=Public(statement="Invert.", files={"docs/spec.md": "spec"}, expected=("rtl/inv.sv",)),
        hidden=Hidden(harness=files, scan=dict.fromkeys(rules, ScanAction.ALLOW)),
    )


def _rules() -> tuple[str, ...]:
    from benchwright_harness.scan import rules

    return tuple(rules())


def table() -> str:
    """The page of the documentation."""
    rows = [
        f"| {one.name} | {_cell(one.tries)} | {one.stopped} | {', '.join(one.ends)} | {one.scan} |\n"
        for one in submissions()
    ]
    others = [f"| {one.name} | {_cell(one.tries)} | {one.stopped} |\n" for one in programs()]
    return _INTRODUCTION + "".join(rows) + _OTHERS + "".join(others)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(table(), end="")
