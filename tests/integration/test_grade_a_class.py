"""`docs/how-to/grade-a-class.md`, block by block, as a teacher runs it."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "grade-a-class.md"
MARKS = {"too late": "9", "slow": "2"}
"""Points for the answers that have these words."""


def test_a_teacher_gets_from_questions_to_marks_as_the_page_says(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    *blocks, last = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    (expected,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    for block in blocks:
        if "sheet import" in block:
            _fill_in(tmp_path / "marks.csv")
        said = _run(block, tmp_path)
        if "judge pending" in block:
            assert said.count("exam/en-3") == 2
    assert _run(last, tmp_path) == expected


def _run(block: str, folder: Path) -> str:
    environment = os.environ | {
        "BENCHWRIGHT_HOME": str(folder / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    ran = subprocess.run(
        ["/bin/sh", "-e", "-c", block], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, f"{block}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def _fill_in(sheet: Path) -> None:
    with sheet.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(MARKS)
    for row in rows:
        row["label"] = next(points for words, points in MARKS.items() if words in row["answer"])
        row["difficulty"] = "2"
    with sheet.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
