"""Fixtures and helpers of the tests of failures."""

from __future__ import annotations

from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store

from ...lsp.session import Desk, Editor
from .nothing_hidden_leaks import COMPOSE, ENV, RUNNER, TESTS, WRONG, write

PROBLEM = """\
id = "gate"
kind = "design"
category = "cid003"
difficulty = "easy"
expected = ["rtl/gate.sv"]
reveal = "{reveal}"
[[hints]]
text = "The first hint."
[[hints]]
text = "zqcanary-hint"
"""


def plant_canaries(folder: Path, home: Path, reveal: str) -> None:
    """A pack whose hidden part is full of canaries."""
    head = "".join(f'{name} = "{name}"\n' for name in ("title", "version", "license", "source"))
    write(
        folder,
        {
            "pack.toml": f'name = "planted"\n{head}order = ["gate"]\n',
            "gate/problem.toml": PROBLEM.format(reveal=reveal),
            "gate/statement.md": "# An inverter\n\nInvert `a`.\n",
            "gate/public/rtl/gate.sv": WRONG,
            "gate/hidden/harness/docker-compose.yml": COMPOSE,
            "gate/hidden/harness/src/.env": ENV,
            "gate/hidden/harness/src/test_zqcanary_runner.py": RUNNER,
            "gate/hidden/harness/src/test_zqcanary_gate.py": TESTS,
            "gate/hidden/explanation.md": "# Why\n\nzqcanary-explanation\n",
            "gate/hidden/reference/rtl/gate.sv": f"// zqcanary-reference\n{WRONG.replace('= a', '= ~a')}",
        },
    )
    Store(Home.from_environment({"BENCHWRIGHT_HOME": str(home)})).add(read_pack_folder(folder))


async def run(editor: Editor) -> Desk:
    desk = await editor.open_problem("planted/gate")
    await desk.start()
    assert (await desk.run()).outcome == "failed"
    return desk
