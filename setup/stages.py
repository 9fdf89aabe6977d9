"""The checks: what each stage runs, and what it needs on the machine."""

import enum
import os
from dataclasses import dataclass

from folders import ROOT

Command = tuple[str, ...]


class Requirement(enum.Enum):
    """Requirement of a stage besides Python."""

    TOOLCHAIN = enum.auto()
    DATABASE = enum.auto()
    CLUSTER = enum.auto()
    TESSERACT = enum.auto()
    EDITORS = enum.auto()
    NODE = enum.auto()
    BROWSER_EDITOR = enum.auto()


@dataclass(frozen=True)
class Stage:
    """Checks that pass or fail together."""

    name: str
    description: str
    commands: tuple[Command, ...] = ()
    """Run in order, beside the pool of Python tests."""
    tests_folder: str = ""
    """A folder of Python tests, which run in one pool with those of other stages."""
    needs: frozenset[Requirement] = frozenset()
    chained: bool = False
    """True if a command needs the output of the one before it, so that the first failure ends the stage."""
    by_name: bool = False
    """True if it runs only when it is named: other stages have its tests, or a part of them."""


def all_stages(*, nightly: bool = False) -> list[Stage]:
    """Every stage, in the order of the table that a run ends with.

    Args:
        nightly: True to include tests that take long.
    """
    simulators = frozenset({Requirement.TOOLCHAIN})
    in_the_browser = frozenset(Requirement) - {
        Requirement.DATABASE,
        Requirement.CLUSTER,
        Requirement.TESSERACT,
        Requirement.EDITORS,
    }
    return [
        Stage(
            "lint",
            "Python style, spelling, English, hosted CI's files",
            (
                ("ruff", "check", "."),
                ("ruff", "format", "--check", "."),
                ("typos",),
                ("python", "setup/prose.py"),
                _schema_check("vendor.github-workflows", ".github/workflows/*.yml"),
                _schema_check("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
            ),
        ),
        Stage(
            "types",
            "Python types, and names that stand for too many",
            (("python", "setup/names.py"),),
        ),
        Stage("imports", "which package may import which", (("lint-imports",),)),
        Stage("unit", "unit tests", tests_folder="tests/unit", needs=simulators | {Requirement.NODE}),
        Stage(
            "integration",
            "real simulators in the real sandbox",
            tests_folder="tests/integration",
            needs=simulators | {Requirement.DATABASE, Requirement.CLUSTER, Requirement.TESSERACT, Requirement.NODE},
        ),
        Stage(
            "adversarial",
            "hostile submissions and data sets",
            tests_folder="tests/adversarial",
            needs=simulators | {Requirement.CLUSTER},
        ),
        Stage(
            "lsp", "the server as an editor sees it", tests_folder="tests/lsp", needs=simulators | {Requirement.EDITORS}
        ),
        Stage(
            "install",
            "wheel and source distribution in bare environments",
            tests_folder="tests/install",
            needs=simulators,
        ),
        Stage(
            "docs",
            "the documentation: its site without a broken link, and every command on its pages",
            (("sphinx-build", "--fail-on-warning", "--keep-going", "--quiet", "docs", ".site"),),
            tests_folder="tests/pages",
            needs=simulators | {Requirement.DATABASE, Requirement.CLUSTER},
        ),
        Stage(
            "client",
            "the extension and its browser tests: types, lint; the extension: tests, build, package",
            (
                *_npm_commands("client-vscode", "generate", "check", "lint", "test", "build", "package"),
                *_npm_commands("tests/e2e", "check", "lint"),
            ),
            needs=frozenset({Requirement.NODE}),
            chained=True,
        ),
        Stage(
            "e2e",
            "everything in a real VS Code in a real browser",
            _npm_commands("tests/e2e", "nightly" if nightly else "test"),
            needs=in_the_browser | {Requirement.DATABASE},
        ),
        Stage(
            "first-hour",
            "a new user's first hour, with pictures; only when it is named",
            _npm_commands("tests/e2e", "first-hour"),
            needs=in_the_browser,
            by_name=True,
        ),
    ]


def pool_workers() -> int:
    """The number of processes in the pool of Python tests."""
    # Tests that start processes often wait for them, so one more at a time keeps the cores busy.
    return (os.cpu_count() or 1) + 1


def _npm_commands(workspace: str, *scripts: str) -> tuple[Command, ...]:
    return tuple(("npm", "--workspace", workspace, "run", script) for script in scripts)


def _schema_check(schema: str, files: str) -> Command:
    return ("check-jsonschema", "--builtin-schema", schema, *map(str, sorted(ROOT.glob(files))))
