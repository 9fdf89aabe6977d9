"""Tests in a folder and in an attempt, as an editor lists and runs them, with real simulators in the real sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from ..support.editor.own_tests import COUNTER, TESTBENCH, TESTS, WRONG, folder_with, open_own_tests, results
from ..support.studies.study import begin, study_allowing, task_at_work
from .conftest import Editors
from .session import still_alive

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Icarus takes no concurrent assertions.
ASSERTING = TESTBENCH.replace("initial", "assert property (@(posedge clk) q < 15);\n  initial")


async def test_tests_are_listed_with_their_cases_and_places(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path, tests__helper_py="def help():\n    raise SystemExit\n", rtl__top_sv="module top; endmodule"
    )
    editor = await open_own_tests(editors, folder)
    listed = await editor.ask("ownTests", uri=folder.as_uri())
    assert [(test_file["id"], test_file["kind"]) for test_file in listed["files"]] == [
        ("tb/tb.sv", "testbench"),
        ("tests/test_counter.py", "cocotb"),
    ]
    (test,) = listed["files"][1]["tests"]
    assert test["id"] == "tests/test_counter.py::counts"
    assert [case["name"] for case in test["cases"]] == ["counts/cycles=2", "counts/cycles=3"]
    assert test["place"]["start"] == {"line": 7, "character": 10}


async def test_a_failure_is_at_its_line_with_what_was_compared_and_passes_once_mended(
    editors: Editors, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, rtl__counter_sv=WRONG)
    editor = await open_own_tests(editors, folder)
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tests/test_counter.py::counts/cycles=3"])
    (failed_test,) = results(answer).values()
    assert (answer["passed"], failed_test["outcome"], failed_test["reason"]) == (False, "failed", "test_failed")
    assert (failed_test["got"], failed_test["expected"]) == ("6", "3")
    assert failed_test["place"]["uri"] == (folder / "tests/test_counter.py").as_uri()
    assert failed_test["place"]["start"] == {"line": 15, "character": 4}
    (folder / "rtl/counter.sv").write_text(COUNTER)
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tests/test_counter.py"])
    assert answer["passed"]
    assert set(results(answer)) == {f"tests/test_counter.py::counts/cycles={cycles}" for cycles in (2, 3)}


async def test_a_testbench_fails_by_its_error_and_keeps_its_waveform(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, rtl__counter_sv=WRONG)
    editor = await open_own_tests(editors, folder, waves=True)
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tb/tb.sv::tb"])
    (run,) = answer["runs"]
    (failed,) = run["results"]
    assert (failed["reason"], failed["message"], failed["place"]["start"]["line"]) == ("error_reported", "q is 8", 8)
    values = await editor.ask("waveformValues", uri=run["waves"], signals=["tb.q"], time=failed["failedAt"])
    assert values["values"] == ["h8"]
    assert run["waves"] == (folder / ".benchwright/waves/tb-tb.fst").as_uri()
    assert (folder / ".benchwright/waves/tb-tb.fst").stat().st_size > 100
    assert (folder / ".benchwright/.gitignore").read_text() == "*\n"
    assert sorted(path.name for path in folder.iterdir()) == [".benchwright", "rtl", "tb", "tests"]


PRINTING = TESTBENCH.replace('$error("q is', '$display("FAIL: q is')


async def test_a_failed_check_is_marked_at_its_line_until_it_passes(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, rtl__counter_sv=WRONG, tb__tb_sv=PRINTING)
    editor = await open_own_tests(editors, folder)
    bench = editor.open(folder / "tb/tb.sv")
    await editor.ask("runOwnTests", uri=folder.as_uri(), ids=[])
    (marked,) = await bench.marked("tb: It printed: FAIL: q is 8")
    assert (marked.source, marked.range.start.line, marked.range.start.character) == ("own tests", 8, 4)

    # Of a file that is not open, and of one in Python, too.
    def python_marks() -> list[tuple[int, str]]:
        uri = (folder / "tests/test_counter.py").as_uri()
        last_report = [params for params in editor.screen.diagnostics if params.uri == uri][-1]
        return [(mark.range.start.line, mark.message.partition("\n")[0]) for mark in last_report.diagnostics]

    assert python_marks() == [(15, "counts/cycles=2: assert 4 == 2"), (15, "counts/cycles=3: assert 6 == 3")]

    # The line is found again after edits elsewhere, and another test's run leaves the mark alone.
    bench.type("// another line\n", before_text="module tb")
    (marked,) = await bench.marked("tb: It printed: FAIL: q is 8")
    assert marked.range.start.line == 9
    (folder / "rtl/counter.sv").write_text(COUNTER)
    await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tests/test_counter.py::counts/cycles=2"])
    assert python_marks() == [(15, "counts/cycles=3: assert 6 == 3")]
    await bench.marked("tb: It printed: FAIL: q is 8")
    await editor.ask("runOwnTests", uri=folder.as_uri(), ids=[])
    await bench.marked()
    assert python_marks() == []


async def test_a_test_that_is_gone_marks_nothing(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, rtl__counter_sv=WRONG)
    editor = await open_own_tests(editors, folder)
    bench = editor.open(folder / "tb/tb.sv")
    await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tb/tb.sv"])
    await bench.marked("tb: q is 8")
    bench.path.write_text(TESTBENCH.replace("module tb", "module other_tb"))
    (folder / "rtl/counter.sv").write_text(COUNTER)
    editor.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams([types.FileEvent(bench.uri, types.FileChangeType.Changed)])
    )
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tb/tb.sv"])
    assert answer["passed"]
    await bench.marked()


async def test_verilator_runs_what_icarus_can_not_compile(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, tb__tb_sv=ASSERTING)
    editor = await open_own_tests(editors, folder)
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tb/tb.sv::tb"])
    (run,) = answer["runs"]
    assert (answer["passed"], run["simulator"]) == (True, "verilator"), run["output"]


async def test_coverage_names_lines_branches_and_toggles(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    editor = await open_own_tests(editors, folder)
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tests/test_counter.py"], coverage=True)
    (run,) = answer["runs"]
    (covered,) = run["coverage"]
    assert covered["uri"] == (folder / "rtl/counter.sv").as_uri()
    assert [line["line"] for line in covered["lines"]] == [1]
    assert {branch["name"] for branch in covered["branches"]} == {"if", "else"}
    counts = {toggle["name"]: toggle["count"] for toggle in covered["toggles"]}
    assert counts["q[0]:0->1"] > 0
    assert counts["q[3]:0->1"] == 0


@pytest.mark.parametrize(
    ("name", "text", "reason", "message"),
    [
        ("rtl__counter_sv", "module counter(input logic clk;\nendmodule\n", "not_built", "rtl/counter.sv:1"),
        ("tests__test_counter_py", "import nowhere\n" + TESTS, "not_loaded", "nowhere"),
        (
            "rtl__counter_sv",
            COUNTER.replace("endmodule", "initial #1 $finish;\nendmodule"),
            "test_failed",
            "prematurely",
        ),
    ],
    ids=["syntax", "import", "finish"],
)
async def test_what_keeps_tests_from_running_is_named(
    editors: Editors, tmp_path: Path, name: str, text: str, reason: str, message: str
) -> None:
    folder = folder_with(tmp_path, **{name: text})
    editor = await open_own_tests(editors, folder)
    ids = ["tests/test_counter.py::counts/cycles=2"]
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=ids)
    (failed_test,) = results(answer).values()
    assert failed_test["reason"] == reason
    assert message in failed_test["message"]


async def test_cancelling_ends_the_simulation(editors: Editors, tmp_path: Path) -> None:
    endless = TESTBENCH.replace("$finish;", "forever #1;")
    folder = folder_with(tmp_path, tb__tb_sv=endless)
    editor = await open_own_tests(editors, folder)
    run_task = asyncio.ensure_future(editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tb/tb.sv"]))
    simulating = await editor.simulating_processes()
    await editor.wait_until(
        lambda: any(value.get("kind") == "begin" for _, value in editor.screen.progress), "progress"
    )
    token = next(token for token, value in editor.screen.progress if value.get("kind") == "begin")
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    with pytest.raises(Exception, match=r"(?i)cancel"):
        await run_task
    assert not still_alive(simulating)


async def test_a_testbench_has_a_lens_that_runs_it(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    editor = await open_own_tests(editors, folder)
    lenses = await editor.lenses(editor.open(folder / "tb/tb.sv", TESTBENCH))
    (lens,) = [
        code_lens.command
        for code_lens in lenses
        if code_lens.command is not None and code_lens.command.title == "▶ Run test"
    ]
    assert lens.command == "benchwright.runOwnTests"
    assert list(lens.arguments or ()) == [{"uri": (folder / "tb/tb.sv").as_uri(), "ids": ["tb/tb.sv::tb"]}]
    lenses = await editor.lenses(editor.open(folder / "rtl/counter.sv", COUNTER))
    assert not [
        code_lens for code_lens in lenses if code_lens.command is not None and code_lens.command.title == "▶ Run test"
    ]


async def test_a_new_testbench_is_created_and_passes(editors: Editors, tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    (folder / "tests/test_counter.py").unlink()
    editor = await open_own_tests(editors, folder)
    begun = await editor.ask("newTestbench", uri=(folder / "rtl/counter.sv").as_uri())
    # This editor can't apply edits.
    assert (begun["module"], begun["applied"]) == ("counter", False)
    target = folder / "tests/test_counter.py"
    assert begun["uri"] == target.as_uri()
    target.write_text(begun["text"])
    answer = await editor.ask("runOwnTests", uri=folder.as_uri(), ids=["tests/test_counter.py"])
    assert answer["passed"], answer["runs"][0]["output"]
    _, message = await editor.refusal("newTestbench", uri=(folder / "rtl/counter.sv").as_uri())
    assert "exists already" in message


async def test_runs_of_an_attempt_are_in_its_log_and_see_nothing_hidden(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("starter/saturating-counter")
    folder = desk.folder
    _, message = await editor.refusal("runOwnTests", uri=folder.as_uri())
    assert "Press Start first" in message
    await desk.start()
    (folder / "verif").mkdir(exist_ok=True)
    (folder / "verif/test_looks.py").write_text(
        "import os\nimport cocotb\n\n\n@cocotb.test()\nasync def looks(dut):\n"
        "    found = [os.path.join(a, b) for r in ('/src', '/code') for a, _, c in os.walk(r) for b in c]\n"
        "    assert not [one for one in found if 'compose' in one or 'harness' in one or one.startswith('/src')]\n"
    )
    answer = await editor.ask("runOwnTests", uri=folder.as_uri())
    assert answer["passed"], answer
    (event,) = desk.events_of_kind("aid_used")
    assert (event.aid, event.feature, event.outcome) == ("own_tests", "test_run", "passed")


FORBIDDING = study_allowing()


async def test_a_condition_that_forbids_own_tests_refuses_them_by_whatever_folder_they_are_asked(
    editors: Editors, home: Path
) -> None:
    await begin(home, FORBIDDING)
    editor = await editors()
    desk, _ = await task_at_work(editor, "bare")
    (desk.folder / "verif").mkdir(exist_ok=True)
    (desk.folder / "verif/test_mine.py").write_text(TESTS)
    parent = desk.folder.parent
    # Who opens the folder around a workspace asks by another folder, and has the same tests.
    folder_change = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(parent.as_uri(), "above")], [])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(folder_change))
    module_file = next(path for path in desk.folder.rglob("*.sv"))
    for uri in (desk.uri, desk.folder.as_uri(), parent.as_uri()):
        for operation in ("ownTests", "runOwnTests"):
            assert "does not allow tests of your own" in (await editor.refusal(operation, uri=uri))[1]
    assert "does not allow" in (await editor.refusal("newTestbench", uri=module_file.as_uri()))[1]
    assert desk.events_of_kind("aid_used") == []


SLOW = "import time\nimport cocotb\n\n\n@cocotb.test()\nasync def waits(dut):\n    time.sleep(3)\n"


@pytest.mark.parametrize(("ending", "refusal"), [("abandon", "has ended"), ("pause", "Press Resume first")])
async def test_a_run_that_began_in_time_counts_and_none_begins_after_it(
    editors: Editors, home: Path, ending: str, refusal: str
) -> None:
    await begin(home, study_allowing("own_tests"))
    editor = await editors()
    desk, _ = await task_at_work(editor, "bare")
    (desk.folder / "verif").mkdir(exist_ok=True)
    (desk.folder / "verif/test_slow.py").write_text(SLOW)
    uri = desk.folder.as_uri()
    run_task = asyncio.create_task(editor.ask("runOwnTests", uri=uri, ids=["verif/test_slow.py"]))
    await editor.simulating_processes()
    await editor.ask(ending, uri=desk.uri)
    assert not run_task.done()
    answer = await run_task
    assert answer["passed"], answer["runs"][0]["output"]
    (event,) = desk.events_of_kind("aid_used")
    assert (event.aid, event.feature, event.outcome) == ("own_tests", "test_run", "passed")
    assert refusal in (await editor.refusal("runOwnTests", uri=uri))[1]
    assert len(desk.events_of_kind("aid_used")) == 1
    assert desk.verify_log().ok
