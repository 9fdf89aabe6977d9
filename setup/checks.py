"""The command `./test`: set up what is missing, then run every check and say which failed."""

import argparse
import asyncio
import contextlib
import enum
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import browser_editor
import folders
import installation
import packages
import token_table
from folders import ROOT
from progress import SetupError, clear_line, heed_stop_signals
from schedule import run_steps

# Ends a stage that hangs. On two busy cores the longest takes half an hour.
_STAGE_TIMEOUT_S = 60 * 60
_NIGHTLY_STAGE_TIMEOUT_S = 6 * 60 * 60
_LAST_WORDS_S = 30
_SIDE_BY_SIDE = 2
_INTERRUPTED = 130
_COVERAGE = folders.SETUP_STATE / "coverage"
_TESTS_FAILED = 1


class Part(enum.Enum):
    """What a stage needs besides Python."""

    TOOLCHAIN = enum.auto()
    DATABASE = enum.auto()
    CLUSTER = enum.auto()
    TESSERACT = enum.auto()
    NEOVIM = enum.auto()
    NODE = enum.auto()
    BROWSER_EDITOR = enum.auto()


@dataclass(frozen=True)
class Stage:
    """Checks that pass or fail together."""

    name: str
    about: str
    commands: tuple[tuple[str, ...], ...]
    """Run in order."""
    needs: frozenset[Part] = frozenset()
    chained: bool = False
    """Whether a command needs the output of the one before it, so that the first failure ends the stage."""
    by_name: bool = False
    """Whether it runs only when it is named: other stages have its tests, or a part of them."""
    one_core: bool = False
    """Whether it keeps one core busy at most: two of these run side by side."""


@dataclass(frozen=True)
class Outcome:
    """The result of a stage."""

    stage: str
    problem: str
    """What went wrong; empty if nothing did."""
    elapsed_s: float
    at_second_try: bool = False
    """Whether tests failed at first, as they do where the machine is too busy."""


def _npm(workspace: str, *scripts: str) -> tuple[tuple[str, ...], ...]:
    return tuple(("npm", "--workspace", workspace, "run", script) for script in scripts)


def _against_schema(schema: str, files: str) -> tuple[str, ...]:
    return ("check-jsonschema", "--builtin-schema", schema, *map(str, sorted(ROOT.glob(files))))


def _stages(*, nightly: bool, coverage: bool = False) -> list[Stage]:
    pytest = ("pytest", "--nightly") if nightly else ("pytest",)
    measured = ("--cov", "--cov-append", "--cov-report=") if coverage else ()
    # A file's tests stay together, since some share one server. Files marked `long` come first: see tests/conftest.py.
    in_files = ("--dist", "loadfile", "--no-loadscope-reorder")
    # Tests that start processes often wait for them, so one more at a time keeps the cores busy.
    waiting = (*pytest, *measured, "-n", str((os.cpu_count() or 1) + 1))
    by_file = (*waiting, *in_files)
    # Nearly all are in one file, and share nothing.
    by_test = (*waiting, "--dist", "loadgroup")
    simulators = frozenset({Part.TOOLCHAIN})
    in_the_browser = frozenset(Part) - {Part.DATABASE, Part.CLUSTER, Part.TESSERACT, Part.NEOVIM}

    def in_two(parallel: tuple[str, ...], folder: str) -> tuple[tuple[str, ...], ...]:
        return (*parallel, "-m", "not alone", folder), (*pytest, *measured, "-m", "alone", folder)

    return [
        Stage(
            "lint",
            "Python style, spelling, English, hosted CI's files",
            (
                ("ruff", "check", "."),
                ("ruff", "format", "--check", "."),
                ("typos",),
                ("python", "setup/prose.py"),
                _against_schema("vendor.github-workflows", ".github/workflows/*.yml"),
                _against_schema("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
            ),
            one_core=True,
        ),
        Stage("types", "Python types", (("mypy",),), one_core=True),
        Stage("imports", "which package may import which", (("lint-imports",),), one_core=True),
        Stage(
            "unit",
            "unit tests",
            ((*pytest, *measured, "-n", "auto", *in_files, "tests/unit"),),
            simulators | {Part.NODE},
        ),
        Stage(
            "integration",
            "real simulators in the real sandbox",
            in_two(by_file, "tests/integration"),
            simulators | {Part.DATABASE, Part.CLUSTER, Part.TESSERACT, Part.NODE},
        ),
        Stage(
            "adversarial",
            "hostile submissions and data sets",
            in_two(by_test, "tests/adversarial"),
            simulators | {Part.CLUSTER},
        ),
        Stage("lsp", "the server as an editor sees it", ((*by_file, "tests/lsp"),), simulators | {Part.NEOVIM}),
        # One at a time: all tests share the environments, which take longest to make.
        Stage(
            "install",
            "wheel and source distribution in bare environments",
            ((*pytest, "tests/install"),),
            simulators,
            one_core=True,
        ),
        Stage(
            "docs",
            "the documentation: its site without a broken link, and every command on its pages",
            (
                ("sphinx-build", "--fail-on-warning", "--keep-going", "--quiet", "docs", ".site"),
                (*by_test, "tests/pages"),
            ),
            simulators | {Part.DATABASE, Part.CLUSTER},
        ),
        Stage(
            "client",
            "the extension and its browser tests: types, lint; the extension: tests, build, package",
            (
                *_npm("client-vscode", "generate", "check", "lint", "test", "build", "package"),
                *_npm("tests/e2e", "check", "lint"),
            ),
            frozenset({Part.NODE}),
            chained=True,
        ),
        Stage(
            "e2e",
            "everything in a real VS Code in a real browser",
            _npm("tests/e2e", "nightly" if nightly else "test"),
            in_the_browser | {Part.DATABASE},
        ),
        Stage(
            "first-hour",
            "a new user's first hour, with pictures; only when it is named",
            _npm("tests/e2e", "first-hour"),
            in_the_browser,
            by_name=True,
        ),
    ]


def main() -> int:
    """Runs the chosen stages; returns the exit status."""
    options = _options()
    heed_stop_signals()
    try:
        _set_up(options.stages, install=options.system)
        timeout_s = _NIGHTLY_STAGE_TIMEOUT_S if options.nightly else _STAGE_TIMEOUT_S
        if options.coverage:
            shutil.rmtree(_COVERAGE, ignore_errors=True)
            _COVERAGE.mkdir(parents=True)
        outcomes = asyncio.run(_run_all(options.stages, timeout_s))
        if options.coverage:
            _report_coverage()
    except SetupError as error:
        clear_line()
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        clear_line()
        print("\nInterrupted.", file=sys.stderr)
        return _INTERRUPTED
    return _report(outcomes)


def _options() -> argparse.Namespace:
    names = {stage.name: stage.about for stage in _stages(nightly=False)}
    usual = {stage.name for stage in _stages(nightly=False) if not stage.by_name}
    parser = argparse.ArgumentParser(
        prog="./test",
        description="Sets up what is missing, then runs every check, or those that are named.",
        epilog="Stages:\n" + "\n".join(f"  {name:<12} {about}" for name, about in names.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="STAGE", help="run only this stage; see the list below")
    parser.add_argument("--fast", action="store_true", help="leave out the browser test (e2e)")
    parser.add_argument(
        "--no-system",
        dest="system",
        action="store_false",
        help="install nothing on the system: tests that need Docker, PostgreSQL, Slurm or Neovim are skipped "
        "where it is absent",
    )
    parser.add_argument("--nightly", action="store_true", help="also run the tests that take long")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="measure how much of the code the Python tests run; tests that measure time may fail",
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"there is no stage {' or '.join(unknown)}: choose from {', '.join(names)}")
    chosen = set(options.names or usual) - ({"e2e"} if options.fast else set())
    if not chosen:
        parser.error("no stage is left to run: leave out --fast")
    options.stages = [
        stage for stage in _stages(nightly=options.nightly, coverage=options.coverage) if stage.name in chosen
    ]
    return options


def _set_up(stages: list[Stage], *, install: bool) -> None:
    needs = frozenset[Part]().union(*(stage.needs for stage in stages))
    system = packages.needed_always()
    if Part.TOOLCHAIN in needs:
        system += packages.needed_for_native_runs()
    if Part.DATABASE in needs:
        system += packages.needed_for_database_tests() + packages.needed_for_key_store_tests()
    if Part.CLUSTER in needs:
        system += packages.needed_for_cluster_tests()
    if Part.TESSERACT in needs:
        system += packages.needed_for_exam_tests()
    if Part.NEOVIM in needs:
        system += packages.needed_for_editor_tests()
    if Part.BROWSER_EDITOR in needs:
        system += packages.needed_for_the_browser_editor() + packages.needed_for_browser_tests()
    packages.announce(system, install=install)
    steps = [
        packages.step(system, install=install),
        installation.python_environment(),
        *([installation.node()] if Part.NODE in needs else []),
        installation.python_packages(),
        installation.development_packages(),
        installation.command_line(),
    ]
    if Part.TOOLCHAIN in needs:
        steps.append(installation.toolchain())
    if Part.NODE in needs:
        steps += [installation.npm_packages(), token_table.step()]
    if Part.BROWSER_EDITOR in needs:
        steps.append(browser_editor.code_server())
        if all(stage.name != "client" for stage in stages):
            steps.append(installation.extension())
    before = os.umask(0o022)
    try:
        run_steps(steps, locks=[folders.SETUP_STATE / "lock", folders.cache() / "setup.lock"])
    finally:
        os.umask(before)


async def _run_all(stages: Sequence[Stage], timeout_s: int) -> list[Outcome]:
    small = [stage for stage in stages if stage.one_core]
    if len(small) == 1:
        small = []
    if small:
        names = ", ".join(stage.name for stage in small)
        print(f"\n{names}: side by side; what each prints is shown when it has ended", flush=True)
    places = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def shown_at_its_end(stage: Stage) -> Outcome:
        async with places:
            with tempfile.TemporaryFile() as log:
                outcome = await _run(stage, timeout_s, log)
                log.seek(0)
                print(log.read().decode(errors="replace"), end="", flush=True)
                return outcome

    outcomes = {outcome.stage: outcome for outcome in await asyncio.gather(*map(shown_at_its_end, small))}
    for stage in stages:
        if stage not in small:
            outcomes[stage.name] = await _run(stage, timeout_s)
    return [outcomes[stage.name] for stage in stages]


async def _run(stage: Stage, timeout_s: int, log: IO[bytes] | None = None) -> Outcome:
    started = time.monotonic()
    problems = []
    again = False

    async def status_of(command: tuple[str, ...]) -> int | None:
        title = f"\n== {stage.name}: {' '.join(command)}"
        if log is None:
            print(title, flush=True)
        else:
            log.write(f"{title}\n".encode())
            log.flush()
        return await _status(command, timeout_s - (time.monotonic() - started), log)

    for command in stage.commands:
        if command[0] != "pytest":
            status = await status_of(command)
        else:
            with tempfile.TemporaryDirectory() as kept:
                status = await status_of((*command, "-o", f"cache_dir={kept}"))
                if status == _TESTS_FAILED and (files := _failed_files(Path(kept))):
                    again = True
                    status = await status_of((*command[:-1], "--maxfail", "1", *files))
        if status != 0:
            words = "over the time limit of a stage" if status is None else f"status {status}"
            problems.append(f"{words}: {' '.join(command)}")
            if stage.chained:
                break
    return Outcome(stage.name, "; ".join(problems), time.monotonic() - started, again)


def _failed_files(cache: Path) -> list[str]:
    """The files with a test that failed: one that fails only after another test of its file fails again so."""
    try:
        failed = json.loads((cache / "v" / "cache" / "lastfailed").read_bytes())
    except (OSError, ValueError):
        return []
    return sorted({name.partition("::")[0] for name in failed})


async def _status(command: tuple[str, ...], timeout_s: float, log: IO[bytes] | None) -> int | None:
    """Runs a command; returns its exit status, nothing if it took too long."""
    environment = installation.environment() | {
        "BENCHWRIGHT_CODE_SERVER": str(browser_editor.code_server_entry()),
        "CHROMIUM": packages.browser() or "",
    }
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(timeout_s):
            return await process.wait()
    except TimeoutError:
        # As Ctrl+C would: it still reports what has failed so far.
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_S):
                await process.wait()
        return None
    finally:
        # Even after it ended: a process that a test leaves behind must not slow down the next stage.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _report_coverage() -> None:
    print("\n== coverage", flush=True)
    pages = _COVERAGE / "html"
    for command in (("html", "--quiet", "--directory", str(pages)), ("report", "--format", "total")):
        subprocess.run(("coverage", *command), cwd=ROOT, env=installation.environment(), check=False)
    print(f"percent of the lines of Benchwright's packages; by file: {pages / 'index.html'}")


def _report(outcomes: list[Outcome]) -> int:
    failed = [outcome for outcome in outcomes if outcome.problem]
    print(f"\n{'stage':<12} {'result':<7} {'seconds':>7}")
    for outcome in outcomes:
        result = "failed" if outcome.problem else "passed"
        remark = outcome.problem or (
            "at the second try: see above what failed at first" if outcome.at_second_try else ""
        )
        print(f"{outcome.stage:<12} {result:<7} {outcome.elapsed_s:>7.1f}  {remark}".rstrip())
    print(f"\n{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
