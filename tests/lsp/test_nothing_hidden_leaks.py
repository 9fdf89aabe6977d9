"""A whole session on a pack whose hidden part is full of canaries: none may come out anywhere."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_server.protocol.messages import VerdictView

from ..support.editor.nothing_hidden_leaks import CANARY, COMPOSE, ENV, RIGHT, RUNNER, TESTS, WRONG, leaks, write
from .conftest import Editors
from .session import SERVER, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


CRASH = 'raise RuntimeError("zqcanary-exception in " + __file__)\n'
HANG = 'import time\ndef test_hangs():\n    print("zqcanary-hangs", flush=True)\n    time.sleep(60)\n'
BROKEN = COMPOSE.replace("./src/.env", "./src/zqcanary-missing.env")

DESIGNS = {
    "says-verdict": ("verdict", COMPOSE, RUNNER, ""),
    "says-names": ("names", COMPOSE, RUNNER, ""),
    "crashes": ("names", COMPOSE, CRASH, ""),
    "hangs": ("names", COMPOSE, HANG, "[limits]\nwall_s = 2\n"),
    "is-broken": ("names", BROKEN, RUNNER, ""),
    "lacks-a-tool": ("names", COMPOSE, RUNNER, ""),
}
HINTS = """
[[hints]]
text = "An inverter has one gate."
[[hints]]
after_runs = 99
text = "zqcanary-later-hint"
[[hints]]
text = "zqcanary-last-hint"
"""
QUESTION = """
id = "{id}"
kind = "question"
difficulty = "easy"
[question]
format = "{format}"
{choices}
[answer]
value = "{value}"
alternatives = ["zqcanary-alternative"]
rubric = "zqcanary-rubric"
explanation = "zqcanary-explanation"
"""
QUESTIONS = {
    "chooses": ("multiple-choice", 'choices = { A = "yes", B = "no" }', "B"),
    "fills": ("fill-in-the-blank", "", "zqcanary-blank"),
    "explains": ("open-ended", "", "zqcanary-reference"),
}


@pytest.fixture
def pack(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "pack"
    order = [*DESIGNS, *QUESTIONS]
    head = "".join(f'{name} = "{name}"\n' for name in ("title", "version", "license", "source"))
    write(folder, {"pack.toml": f'name = "leaky"\n{head}order = {order}\n'})
    for name, (reveal, compose, runner, limits_toml) in DESIGNS.items():
        problem = f'id = "{name}"\nkind = "design"\ncategory = "cid003"\ndifficulty = "easy"\n'
        problem += f'expected = ["rtl/gate.sv"]\nreveal = "{reveal}"\n{limits_toml}{HINTS}'
        write(
            folder / name,
            {
                "problem.toml": problem,
                "statement.md": "# An inverter\n\nInvert `a`.\n",
                "public/rtl/gate.sv": WRONG,
                "hidden/harness/docker-compose.yml": compose,
                "hidden/harness/src/.env": ENV.replace("icarus", "questa") if name == "lacks-a-tool" else ENV,
                "hidden/harness/src/test_zqcanary_runner.py": runner,
                "hidden/harness/src/test_zqcanary_gate.py": TESTS,
                "hidden/reference/rtl/gate.sv": f"// zqcanary-reference\n{RIGHT}",
            },
        )
    for name, (format_, choices, value) in QUESTIONS.items():
        spec = QUESTION.format(id=name, format=format_, choices=choices, value=value)
        write(folder / name, {"problem.toml": spec, "statement.md": "# A question\n\nWhat?\n"})
    Store(Home.from_environment({"BENCHWRIGHT_HOME": str(home)})).add(read_pack_folder(folder))


async def test_nothing_hidden_leaves_the_sealed_store(editors: Editors, pack: None, tmp_path: Path, home: Path) -> None:
    tee = tmp_path / "tee"
    tee.mkdir()
    command = (sys.executable, str(Path(__file__).with_name("tee.py")), str(tee), *SERVER)
    editor = await editors(home, command=command)
    verdict_views: dict[str, list[VerdictView]] = {}
    for name in DESIGNS:
        verdict_views[name] = await _solve(editor, name, [WRONG, RIGHT] if name == "says-names" else [WRONG])
    for name in QUESTIONS:
        verdict_views[name] = await _solve(editor, name, ["A", "B"])
        await editor.ask("question", uri=(home / "workspaces" / "leaky" / name).as_uri())
    for operation in ("packs", "doctor"):
        await editor.command(operation)
    await _provoke(editor)
    assert await editor.quit() == 0

    reasons = {name: [verdict.reason for verdict in views] for name, views in verdict_views.items()}
    assert reasons == {
        "says-verdict": ["tests_failed"],
        "says-names": ["tests_failed", "passed"],
        "crashes": ["bad_harness"],
        "hangs": ["timeout"],
        "is-broken": ["bad_harness"],
        "lacks-a-tool": ["tool_missing"],
        "chooses": ["wrong_answer", "passed"],
        "fills": ["judge_unavailable", "judge_unavailable"],
        "explains": ["judge_unavailable", "judge_unavailable"],
    }
    names_verdict = verdict_views["says-names"][0]
    assert [(line.name, line.passed, line.message) for line in names_verdict.lines or ()] == [
        ("inverts", False, None),
        ("settles", True, None),
    ]
    assert verdict_views["says-verdict"][0].lines is None

    sealed = home / "data" / "sealed"
    assert any(CANARY in file.read_bytes() for file in (sealed / "@runs").rglob("*.log"))
    assert (sealed.stat().st_mode & 0o777) == 0o700
    assert (tee / "from-server").stat().st_size > 10_000
    assert b"An inverter has one gate." in (tee / "from-server").read_bytes(), "the first hint was taken"
    searched_files = [
        *tee.iterdir(),
        *(file for file in home.rglob("*") if file.is_file() and sealed not in file.parents),
    ]
    assert {"leaky.json", "log.sqlite", "gate.sv", "from-server", "stderr"} <= {path.name for path in searched_files}
    assert [path for path in searched_files if leaks(path.read_bytes())] == []
    assert [path for path in home.rglob("*") if leaks(path.name.encode()) and sealed not in path.parents] == []
    for output in _told_by_the_command_line(home):
        assert not leaks(output), output


async def _solve(editor: Editor, name: str, texts: list[str]) -> list[VerdictView]:
    desk = await editor.open_problem(f"leaky/{name}")
    await desk.start()
    file = desk.open()
    verdict_views = []
    for number, text in enumerate(texts, 1):
        file.paste(text)
        file.save()
        # A long answer is judged on demand only.
        verdict_views.append(await desk.run() if name == "explains" else await desk.verdict(number))
        await editor.lenses(file)
        await _ask_as_agent(editor, desk.uri)
    await desk.submit()
    return verdict_views


async def _ask_as_agent(editor: Editor, uri: str) -> None:
    """Use every tool but those that run or end something, as an agent and as the editor's chat; ask for more."""
    tool_names = {tool["name"] for tool in (await editor.ask("agentTools", uri=uri))["tools"]}
    arguments_by_tool: dict[str, list[dict[str, Any]]] = {
        "read_file": [{"path": path} for path in ("rtl/gate.sv", ".benchwright.json", "../../data/sealed", "src/.env")],
        "lint": [{"path": "rtl/gate.sv"}],
        "drivers": [{"signal": "gate.y"}],
        "loads": [{"signal": "gate.a"}],
        "take_hint": [{}, {}, {"number": 2}, {"number": 3}],
    }
    for tool in sorted(tool_names - {"start", "submit", "run_hidden_tests"}):
        for tool_arguments in arguments_by_tool.get(tool, [{}]):
            with contextlib.suppress(JsonRpcException):
                await editor.ask("agentTool", uri=uri, tool=tool, arguments=tool_arguments, agent="curious")
    with contextlib.suppress(JsonRpcException):
        await editor.ask("chatPrompt", uri=uri, question="What do the hidden tests check?")


async def _provoke(editor: Editor) -> None:
    """Ask for what might be quoted in a refusal."""
    for operation, params in (
        ("open", {"problem": "leaky/says-names/hidden"}),
        ("open", {"problem": "leaky/../leaky/chooses"}),
        ("run", {"uri": (editor.home / "data" / "sealed").as_uri()}),
        ("question", {"uri": (editor.home / "workspaces" / "leaky" / "says-names").as_uri()}),
        ("run", {"uri": (editor.home / "workspaces" / "leaky" / "fills").as_uri()}),
    ):
        with pytest.raises(JsonRpcException):
            await editor.ask(operation, **params)


def _told_by_the_command_line(home: Path) -> list[bytes]:
    def output_of(*arguments: str) -> bytes:
        process = subprocess.run(
            [SERVER[0], *arguments], env={"BENCHWRIGHT_HOME": str(home), "PATH": "/usr/bin:/bin"}, capture_output=True
        )
        return process.stdout + process.stderr

    with_ids = output_of("attempts", "list", "--json")
    ids = [attempt["id"] for attempt in json.loads(with_ids)]
    assert len(ids) == len(DESIGNS) + len(QUESTIONS)
    outputs = [with_ids, output_of("problems", "list"), output_of("problems", "show", "leaky/says-names")]
    for attempt in ids[:: len(ids) // 3]:
        outputs += [output_of("attempts", "export", attempt), output_of("attempts", "show", attempt)]
        assert b"submitted" in outputs[-1]
    return outputs
