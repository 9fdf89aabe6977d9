"""The page of a problem that was solved: the best solution, beside the reference as far as the policy shows it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from benchwright_problems.storage.pack_folder import wrong_solutions_by_name

from ..support.editor.failures import plant_canaries
from ..support.editor.nothing_hidden_leaks import RIGHT
from ..support.studies.study import begin, study_allowing
from .conftest import Editors
from .session import Desk, Editor, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")

CANARY = "zqcanary"


async def solve(editor: Editor, ref: str, text: str) -> Desk:
    desk = await editor.open_problem(ref, fresh=True)
    await desk.start()
    desk.open().path.write_text(text)
    verdict = (await desk.submit()).status.verdict
    assert verdict is not None and verdict.outcome == "passed", verdict
    return desk


async def page_of(editor: Editor, ref: str = "planted/gate") -> dict[str, Any]:
    page: dict[str, Any] = await editor.ask("problemPage", problem=ref)
    return page


async def test_a_policy_that_shows_the_reference_shows_it_to_who_has_solved_the_problem_alone(
    editors: Editors, tmp_path: Path, home: Path
) -> None:
    plant_canaries(tmp_path / "pack", home, "reference")
    editor = await editors()
    desk = await editor.open_problem("planted/gate")
    await desk.start()
    assert (await desk.run()).outcome == "failed"
    assert (await desk.submit()).status.state == "submitted"
    page = await page_of(editor)
    assert (page["solutions"], page["best"], page["reference"], page["explanation"]) == (0, None, None, None)

    solved_desk = await solve(editor, "planted/gate", RIGHT)
    page = await page_of(editor)
    assert (page["solutions"], page["best"]["attempt"]) == (1, solved_desk.attempt)
    (file,) = page["reference"]
    assert (file["path"], file["text"].splitlines()[0]) == ("rtl/gate.sv", "// zqcanary-reference")
    assert "zqcanary-explanation" in page["explanation"]
    assert CANARY not in json.dumps({**page, "reference": None, "explanation": None})

    # Who tries again gets to see it after the new attempt.
    new_desk = await editor.open_problem("planted/gate", fresh=True)
    page = await page_of(editor)
    assert (page["reference"], page["explanation"]) == (None, None)
    await new_desk.ask("abandon", reason="")
    assert (await page_of(editor))["reference"] is not None

    # Before a study that asks the problem, nobody may read it.
    await begin(home, study_allowing().replace("starter/saturating-counter", "planted/gate"))
    page = await page_of(editor)
    assert (page["reference"], page["explanation"], page["solutions"]) == (None, None, 1)
    assert CANARY not in json.dumps(page)


@pytest.mark.parametrize("reveal", ["verdict", "full"])
async def test_any_other_policy_keeps_the_reference_hidden_and_shows_its_size(
    editors: Editors, tmp_path: Path, home: Path, reveal: str
) -> None:
    plant_canaries(tmp_path / "pack", home, reveal)
    editor = await editors()
    assert (await page_of(editor))["explanation"] is None
    await solve(editor, "planted/gate", RIGHT)
    page = await page_of(editor)
    assert "zqcanary-explanation" in page["explanation"]
    assert CANARY not in json.dumps({**page, "explanation": None})
    assert page["reference"] is None
    gates = {line["measure"]: (line["solution"], line["reference"]) for line in page["best"]["quality"]}
    assert (gates["gates"], gates["depth"]) == ((1, 1), (1, 1))


async def test_the_best_solution_has_the_fewest_gates(editors: Editors) -> None:
    editor = await editors()
    good = reference("saturating-counter")
    best_desk = await solve(editor, "starter/saturating-counter", good)
    square = "logic [2*WIDTH-1:0] square; assign square = count * count; assign at_min = square == 0;"
    wasteful = good.replace("assign at_min = ~|count;", square)
    assert wasteful != good
    later_desk = await solve(editor, "starter/saturating-counter", wasteful)
    page = await page_of(editor, "starter/saturating-counter")
    assert [attempt["attempt"] for attempt in page["attempts"]] == [later_desk.attempt, best_desk.attempt]
    assert (page["solutions"], page["best"]["attempt"]) == (2, best_desk.attempt)
    assert all(line["solution"] == line["reference"] for line in page["best"]["quality"])
    assert page["reference"] == [{"path": "rtl/sat_counter.sv", "text": good}]


async def test_an_answered_question_has_no_reference_beside_it(editors: Editors) -> None:
    editor = await editors()
    await solve(editor, "starter/vipt-synonyms", "true\n")
    page = await page_of(editor, "starter/vipt-synonyms")
    assert (page["solutions"], page["best"], page["reference"]) == (0, None, None)


@pytest.mark.nightly
async def test_a_run_shows_which_groups_of_hidden_tests_it_passed(editors: Editors) -> None:
    editor = await editors()
    desk = await editor.open_problem("architecture-labs/alu-flags")
    await desk.start()
    folder = Path(str(files("benchwright_problems") / "packs" / "architecture-labs"))
    wrong_designs = wrong_solutions_by_name(folder, "alu-flags")
    desk.open().path.write_text(wrong_designs["overflow-is-carry"]["rtl/alu.sv"])
    verdict = await desk.run()
    assert verdict.test_groups is not None
    assert [(line.points, line.passed) for line in verdict.test_groups] == [
        *[(2, True)] * 3,
        *[(2, False)] * 2,
    ]
