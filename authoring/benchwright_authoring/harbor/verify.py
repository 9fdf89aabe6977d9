"""Run a task's hidden tests in its container and write the reward: what `tests/test.sh` of an exported task starts.

It is copied into the task beside `plan.json`, and has nothing but Python 3.9's library there. As in a run of
Benchwright's, the tests meet the files that were given and those that a solver may change, and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, parse

GIVEN, HIDDEN, PLAN = "given", "files", "plan.json"
PYTEST_RESULTS = ".pytest-results.xml"
_RESULT = re.compile(r"^TEST: (\S.*?) \.\.\. (PASS|FAIL)\b")
_ABSENT = -1
Plan = dict[str, Any]


def say(text: str) -> None:
    """Write a line to the log that Harbor keeps."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def verify(tests_folder: Path, code_folder: Path, root_folder: Path) -> tuple[bool, str]:
    """True if the files in a folder pass, and why.

    Args:
        tests_folder: Holds the plan, the given files and the hidden ones.
        code_folder: The solver's folder; it is made anew from what counts of it.
        root_folder: The folder that hidden files are put into, by their absolute paths.
    """
    task_plan: Plan = json.loads((tests_folder / PLAN).read_text(encoding="utf-8"))
    _renew_code_folder(code_folder, tests_folder / GIVEN, task_plan)
    if (tests_folder / HIDDEN).is_dir():
        shutil.copytree(tests_folder / HIDDEN, root_folder, dirs_exist_ok=True)
    run_folder = code_folder / "rundir"
    all_lines: list[str] = []
    last_lines: list[str] = []
    exit_code = 0
    for step_plan in task_plan["steps"]:
        exit_code, last_lines = _run_step(step_plan, run_folder)
        all_lines += last_lines
        if exit_code:
            break
    if task_plan["patterns"]:
        is_passed, reason = _decide_by_patterns(task_plan["patterns"], all_lines, last_lines, exit_code, run_folder)
        if not is_passed or not task_plan["tests"]:
            return is_passed, reason
    if task_plan["tests"]:
        return _decide_by_names(task_plan["tests"], all_lines, run_folder)
    return _decide_by_exit_status(exit_code, task_plan["simulates"], run_folder)


def _renew_code_folder(code_folder: Path, given_folder: Path, task_plan: Plan) -> None:
    submitted = {
        path: (code_folder / path).read_bytes()
        for path in _plain_files_below(code_folder)
        if path.split("/")[0] != "rundir" and _may_be_changed(path, task_plan)
    }
    for entry in code_folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    kept = {
        path: (given_folder / path).read_bytes()
        for path in _plain_files_below(given_folder)
        if not _may_be_changed(path, task_plan)
    }
    for path, content in {**kept, **submitted}.items():
        (code_folder / path).parent.mkdir(parents=True, exist_ok=True)
        (code_folder / path).write_bytes(content)
    for name in task_plan["folders"]:
        (code_folder / name).mkdir(exist_ok=True)
    if not (code_folder / "src").exists():
        (code_folder / "src").symlink_to("/src")


def _may_be_changed(path: str, task_plan: Plan) -> bool:
    """True for a file that is expected; in a repository, for one below what is editable, or any if all is."""
    if task_plan["expected"]:
        return path in task_plan["expected"]
    editable = task_plan["editable"]
    return not editable or any(path == name or path.startswith(f"{name}/") for name in editable)


def _plain_files_below(folder: Path) -> list[str]:
    files = []
    for parent, _, names in os.walk(folder):
        for name in names:
            file = Path(parent, name)
            if file.is_file() and not file.is_symlink():
                files.append(file.relative_to(folder).as_posix())
    return files


def _run_step(step_plan: Plan, run_folder: Path) -> tuple[int, list[str]]:
    say(f"--- {' '.join(step_plan['argv'])}")
    environment = {**os.environ, **step_plan["env"]}
    environment["PYTHONPATH"] = ":".join(
        filter(None, (step_plan["env"].get("PYTHONPATH"), os.environ.get("PYTHONPATH")))
    )
    try:
        ended = subprocess.run(
            step_plan["argv"],
            cwd=run_folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=step_plan["limit_s"],
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        say(f"It took longer than {step_plan['limit_s']} s.")
        return _ABSENT, (error.stdout or b"").decode("utf-8", "replace").splitlines()
    except OSError as error:
        say(f"It can't be started: {error}")
        return _ABSENT, []
    output = ended.stdout.decode("utf-8", "replace")
    say(output)
    return ended.returncode, [line.strip() for line in output.splitlines()]


def _decide_by_exit_status(exit_code: int, simulates: bool, run_folder: Path) -> tuple[bool, str]:
    cocotb, pytest = _junit_cases(run_folder)
    if exit_code:
        return False, f"a step ended with status {exit_code}"
    if any(_is_failure(case) for case in (*cocotb, *pytest)):
        return False, "a test failed"
    return (False, "no simulation left results") if simulates and not cocotb else (True, "all tests passed")


def _decide_by_names(test_plan: Plan, lines: list[str], run_folder: Path) -> tuple[bool, str]:
    is_passed_by_test: dict[str, bool] = {}
    if test_plan["printed"]:
        marks = [number for number, line in enumerate(lines) if line in test_plan["marks"]]
        if [lines[number] for number in marks] != test_plan["marks"]:
            return False, "the results were not printed once"
        for match in filter(None, map(_RESULT.match, lines[marks[0] : marks[1]])):
            is_passed_by_test[match[1]] = is_passed_by_test.get(match[1], True) and match[2] == "PASS"
    else:
        cocotb, pytest = _junit_cases(run_folder)
        heard = {case.get("name", "") for case in cocotb}
        for case in (*cocotb, *(case for case in pytest if case.get("name", "") not in heard)):
            name = case.get("name", "")
            is_passed_by_test[name] = is_passed_by_test.get(name, True) and not _is_failure(case)
    failed = [name for name in test_plan["names"] or is_passed_by_test if not is_passed_by_test.get(name)]
    return bool(
        is_passed_by_test
    ) and not failed, f"failed: {', '.join(failed)}" if failed else f"{len(is_passed_by_test)} results"


def _decide_by_patterns(
    patterns: Plan, all_lines: list[str], last_lines: list[str], exit_code: int, run_folder: Path
) -> tuple[bool, str]:
    lines = all_lines if patterns["reads_all"] else last_lines
    if patterns["begin"]:
        if patterns["begin"] not in last_lines:
            return False, "no simulation began"
        if not patterns["reads_all"]:
            lines = lines[lines.index(patterns["begin"]) + 1 :]
    if patterns["file"]:
        file = run_folder / patterns["file"]
        lines = file.read_text(errors="replace").splitlines() if file.is_file() and not file.is_symlink() else []
    if failures := [line for line in lines if any(re.search(pattern, line) for pattern in patterns["fail"])]:
        return False, f"reports a failure: {failures[0]}"
    pass_count = sum(any(re.search(pattern, line) for pattern in patterns["pass"]) for line in lines)
    if patterns["pass"] and not pass_count:
        return False, "reports no pass"
    if patterns["count"] is not None and pass_count != patterns["count"]:
        return False, f"reports {pass_count} passes"
    if patterns["exit"] not in ("any", exit_code):
        return False, f"the last step ended with status {exit_code}"
    return True, "reports a pass"


def _junit_cases(run_folder: Path) -> tuple[list[Element], list[Element]]:
    """Test cases that were not skipped: those that simulations left, and pytest's."""
    cocotb: list[Element] = []
    pytest: list[Element] = []
    for file in sorted(run_folder.rglob("*.xml")):
        try:
            junit_root = parse(file).getroot()  # noqa: S314 - in the container of the design that may have written it
        except (ParseError, OSError, ValueError):
            continue
        run_cases = [case for case in junit_root.iter("testcase") if case.find("skipped") is None]
        (pytest if file.name == PYTEST_RESULTS else cocotb).extend(run_cases)
    return cocotb, pytest


def _is_failure(case: Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


if __name__ == "__main__":
    IS_PASSED, REASON = verify(Path(sys.argv[1]), Path(sys.argv[2]), Path("/"))
    say(f"--- {'passed' if IS_PASSED else 'failed'}: {REASON}")
    REWARD = Path(sys.argv[3])
    REWARD.parent.mkdir(parents=True, exist_ok=True)
    REWARD.write_text("1\n" if IS_PASSED else "0\n")
