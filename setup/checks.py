"""The command `./test`: set up what is missing, then run every check and say which failed."""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import time

import browser_editor
import folders
import installation
import packages
import token_table
from folders import ROOT
from progress import SetupError, clear_line, heed_stop_signals
from running import Cost, PythonTestSelection, StageResult, StageRun, machine_s
from schedule import run_steps
from stages import Requirement, Stage, all_stages

# Ends a command that hangs.
_TIMEOUT_S = 70 * 60
_NIGHTLY_TIMEOUT_S = 6 * 60 * 60
_INTERRUPTED = 130
_COVERAGE = folders.SETUP_STATE / "coverage"
_COSTS = folders.SETUP_STATE / "test-costs.json"
_SHOWN_FILES = 15


def main() -> int:
    """Runs the chosen stages; returns the exit status."""
    options = _options()
    heed_stop_signals()
    try:
        files = _select_changed(options) if options.changed else None
        _set_up(options.stages, may_install=options.system)
        timeout_s = _NIGHTLY_TIMEOUT_S if options.nightly else _TIMEOUT_S
        if options.coverage:
            shutil.rmtree(_COVERAGE, ignore_errors=True)
            _COVERAGE.mkdir(parents=True)
        run = StageRun(options.stages, PythonTestSelection(options.nightly, options.coverage, files), timeout_s)
        start_time, worked_s = time.monotonic(), machine_s()
        stage_outcomes = asyncio.run(run.run())
        wall_s, worked_s = time.monotonic() - start_time, machine_s() - worked_s
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
    _report_costs(run.costs)
    return _report_and_exit_status(stage_outcomes, wall_s, worked_s)


def _options() -> argparse.Namespace:
    names = {stage.name: stage.description for stage in all_stages()}
    usual = {stage.name for stage in all_stages() if not stage.by_name}
    parser = argparse.ArgumentParser(
        prog="./test",
        description="Sets up what is missing, then runs every check, or those that are named.",
        epilog="Stages:\n" + "\n".join(f"  {name:<12} {description}" for name, description in names.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="STAGE", help="run only this stage; see the list below")
    parser.add_argument("--fast", action="store_true", help="leave out the browser test (e2e)")
    parser.add_argument(
        "--no-system",
        dest="system",
        action="store_false",
        help="install nothing on the system: tests that need Docker, PostgreSQL, Slurm, Neovim, Emacs or "
        "Kakoune are skipped where it is absent",
    )
    parser.add_argument("--nightly", action="store_true", help="also run the tests that take long")
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="measure how much of the code the Python tests run; tests that measure time may fail",
    )
    parser.add_argument(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="REVISION",
        help="run only what a change since a revision (without one: the last commit) can touch, as imports tell",
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"there is no stage {' or '.join(unknown)}: choose from {', '.join(names)}")
    chosen_names = set(options.names or usual) - ({"e2e"} if options.fast else set())
    if not chosen_names:
        parser.error("no stage is left to run: leave out --fast")
    options.stages = [stage for stage in all_stages(nightly=options.nightly) if stage.name in chosen_names]
    return options


def _select_changed(options: argparse.Namespace) -> tuple[str, ...] | None:
    """Leaves the stages that a change can touch; returns the files of their Python tests, None for all."""
    _set_up([], may_install=options.system)
    changed_command = [folders.VENV / "bin" / "python", ROOT / "setup" / "changed.py", options.changed]
    changed_command += [stage.name for stage in options.stages]
    changed_run = subprocess.run(changed_command, stdout=subprocess.PIPE, text=True, check=False)
    if changed_run.returncode:
        raise SetupError("What the change can touch is not known. Next step: run ./test without --changed.")
    selected = json.loads(changed_run.stdout)
    options.stages = [stage for stage in options.stages if stage.name in selected["stages"]]
    selected_files = None if selected["files"] is None else tuple(selected["files"])
    print(
        f"{', '.join(selected['stages']) or 'nothing'}: {'all' if selected_files is None else len(selected_files)} "
        "files of tests",
        flush=True,
    )
    return selected_files


def _set_up(stages: list[Stage], *, may_install: bool) -> None:
    needs = frozenset[Requirement]().union(*(stage.needs for stage in stages))
    system = packages.needed_always()
    if Requirement.TOOLCHAIN in needs:
        system += packages.needed_for_native_runs()
    if Requirement.DATABASE in needs:
        system += packages.needed_for_database_tests() + packages.needed_for_key_store_tests()
    if Requirement.CLUSTER in needs:
        system += packages.needed_for_cluster_tests()
    if Requirement.TESSERACT in needs:
        system += packages.needed_for_exam_tests()
    if Requirement.EDITORS in needs:
        system += packages.needed_for_editor_tests()
    if Requirement.BROWSER_EDITOR in needs:
        system += packages.needed_for_the_browser_editor() + packages.needed_for_browser_tests()
    packages.announce(system, may_install=may_install)
    steps = [
        packages.package_step(system, may_install=may_install),
        installation.python_environment(),
        *([installation.node()] if Requirement.NODE in needs else []),
        installation.python_packages(),
        installation.development_packages(),
        installation.command_line(),
    ]
    if Requirement.TOOLCHAIN in needs:
        steps += [installation.toolchain(), installation.build_cache()]
    if Requirement.NODE in needs:
        steps += [installation.npm_packages(), token_table.token_table_step()]
    if Requirement.BROWSER_EDITOR in needs:
        steps.append(browser_editor.code_server_step())
        if all(stage.name != "client" for stage in stages):
            steps.append(installation.extension())
    old_mask = os.umask(0o022)
    try:
        run_steps(steps, locks=[folders.SETUP_STATE / "lock", folders.cache() / "setup.lock"])
    finally:
        os.umask(old_mask)


def _report_coverage() -> None:
    print("\n== coverage", flush=True)
    report_folder = _COVERAGE / "html"
    for command in (("html", "--quiet", "--directory", str(report_folder)), ("report", "--format", "total")):
        subprocess.run(("coverage", *command), cwd=ROOT, env=installation.environment(), check=False)
    print(f"percent of the lines of Benchwright's packages; by file: {report_folder / 'index.html'}")


def _report_costs(costs: dict[str, Cost]) -> None:
    if not costs:
        return
    _COSTS.write_text(json.dumps(costs, indent=1, sort_keys=True), encoding="utf-8")
    print(f"\n{'processor s':>11} {'seconds':>7}  files of tests that take most; all of them: {_COSTS}")
    for file, cost in sorted(costs.items(), key=lambda costed_file: -costed_file[1]["processor_s"])[:_SHOWN_FILES]:
        print(f"{cost['processor_s']:>11.1f} {cost['wall_s']:>7.1f}  {file}")


def _report_and_exit_status(stage_outcomes: list[StageResult], wall_s: float, worked_s: float) -> int:
    failed_outcomes = [outcome for outcome in stage_outcomes if outcome.problems]
    print(f"\n{'stage':<12} {'result':<7} {'seconds':>7} {'processor s':>11}")
    for outcome in stage_outcomes:
        result = "failed" if outcome.problems else "passed"
        remark = "; ".join(outcome.problems) or (
            "at the second try: see above what failed at first" if outcome.at_second_try else ""
        )
        print(f"{outcome.stage:<12} {result:<7} {outcome.wall_s:>7.0f} {outcome.processor_s:>11.0f}  {remark}".rstrip())
    counted_s = sum(outcome.processor_s for outcome in stage_outcomes)
    print(
        f"\n{wall_s / 60:.1f} min; the machine's {os.cpu_count()} processors worked {worked_s / 60:.1f} min, of which"
        f" the table has {counted_s / 60:.1f}: it lacks collecting the tests, whatever else ran, and where nobody may"
        " make a control group, what no test waited for"
    )
    print(f"\n{len(stage_outcomes) - len(failed_outcomes)} passed, {len(failed_outcomes)} failed")
    return 1 if failed_outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
