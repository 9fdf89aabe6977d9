"""From a save to its verdict on a repository problem, against the bare verifier, in one run.

    .venv/bin/python -m tests.benchmarks.repository_verdict [ROUNDS]

The problem is a bug planted into ibex. The bare verifier is the harness's own command in the same sandbox without the
build cache, with the files already in their folder. It takes turns with a server that has the cache and one that has
none, so that all meet the same load. Prints a Markdown table of seconds, with each median's ratio to the verifier's.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.plan.plan import WORKDIR
from benchwright_harness.plan.selection import selections
from benchwright_harness.sandbox import SandboxJob
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.repository.named_tests import VERIFIER
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store

from ..integration.test_ibex_repository import BENCH, HAZARD, IBEX, SCRIPT
from ..lsp.session import Desk, Editor, File
from ..support.machine.toolchain import without_build_cache

ROUNDS = 5
_PAUSE_S = 1.5
_PROBLEM = """id = "bug"
kind = "design"
category = "cid016"
difficulty = "easy"
tree = "ibex"
[limits]
folder_mb = 200
[tests]
printed = true
"""


def write_pack(folder: Path) -> None:
    """Writes a pack of one problem."""
    files = json.loads(IBEX.read_text(encoding="utf-8"))
    right_text = files[HAZARD.path]
    files[HAZARD.path] = right_text.replace(HAZARD.right, HAZARD.wrong)
    pack_files = {f"trees/ibex/{path}": text for path, text in files.items()} | {
        "pack.toml": 'name = "ibex"\ntitle = "Ibex"\nversion = "1"\nlicense = "Apache-2.0"\nsource = "measured"\n'
        'order = ["bug"]\n',
        "bug/problem.toml": _PROBLEM,
        "bug/statement.md": "# A bug\n\nMend it.\n",
        f"bug/hidden/harness/{VERIFIER}": SCRIPT.format(path=HAZARD.path).replace("/code/hidden_bench", "/src/bench"),
        "bug/hidden/harness/bench.sv": f"{BENCH}{HAZARD.bench}endmodule\n",
    }
    for path, text in pack_files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


async def bare_seconds(problem: Problem, diff: str, toolchain: Toolchain) -> float:
    """Seconds of the verifier's command alone."""
    sandbox, code, tree = BwrapSandbox(), new_run_folder(), problem.public.tree
    assert tree is not None
    files = tree.read_all() | {
        path: content for path, content in changed_content_by_path(tree, diff).items() if content is not None
    }
    user = sandbox.new_user()
    with filled_run_folder(code, files, user):
        job = SandboxJob(
            argv=("bash", f"/src/{VERIFIER}"),
            env={**toolchain.environment(selections(problem)[0]), "HOME": WORKDIR, "LANG": "C.UTF-8"},
            code=code,
            hidden_files={f"/src/{path}": text for path, text in problem.hidden.harness.items()},
            limits=problem.limits,
            toolchain=toolchain,
            user=user,
        )
        log = io.BytesIO()
        began = time.perf_counter()
        await sandbox.run(job, log)
        seconds = time.perf_counter() - began
    assert b"TEST: keeps_order ... PASS" in log.getvalue(), log.getvalue()[-500:]
    return seconds


@dataclass
class Session:
    """An attempt at a server."""

    editor: Editor
    desk: Desk
    file: File
    right_text: str

    @classmethod
    async def begin(cls, home: Path, pack: Path, environment: Mapping[str, str]) -> Session:
        """Start a server on a home folder of its own, which gets the pack, and the attempt."""
        # The files of a pack's repositories go there as well.
        os.environ["BENCHWRIGHT_HOME"] = str(home)
        Store(Home.from_environment()).add(read_pack_folder(pack))
        editor = await Editor.start(home, environment=environment)
        desk = await editor.open_problem("ibex/bug")
        await desk.start()
        wrong_text = (desk.folder / HAZARD.path).read_text(encoding="utf-8")
        return cls(editor, desk, desk.open(HAZARD.path), wrong_text.replace(HAZARD.wrong, HAZARD.right))

    async def seconds_until_verdict(self, number: int) -> float:
        """Seconds from a save of the right design, which nothing has seen before, to its verdict."""
        self.file.paste(f"{self.right_text}// {number} {time.time_ns()}\n")
        began = time.perf_counter()
        self.file.save()
        verdict = await self.desk.verdict(number)
        seconds = time.perf_counter() - began
        assert verdict.outcome == "passed", verdict
        return seconds


async def measure(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Seconds of the verifier and of both servers, by name."""
    os.environ["BENCHWRIGHT_HOME"] = str(folder / "bare")
    problem = read_pack_folder(folder / "pack").problems[0]
    toolchain = Toolchain.find(Home.from_environment().cache)
    assert toolchain.build_cache is not None
    uncached = without_build_cache(toolchain, folder / "cache")
    seconds: dict[str, list[float]] = {"bare verifier": []}
    sessions = {
        "save → verdict": await Session.begin(
            folder / "without", folder / "pack", {"BENCHWRIGHT_CACHE": str(folder / "cache")}
        ),
        "save → verdict, with the cache": await Session.begin(folder / "with", folder / "pack", {}),
    }
    try:
        for number in range(1, rounds + 1):
            for name, session in sessions.items():
                await asyncio.sleep(_PAUSE_S)
                seconds.setdefault(name, []).append(await session.seconds_until_verdict(number))
            diff = (session.desk.folder / CHANGES).read_text(encoding="utf-8")
            seconds["bare verifier"].append(await bare_seconds(problem, diff, uncached))
    finally:
        for session in sessions.values():
            await session.editor.quit()
    return seconds


def main() -> None:
    """Measures and prints."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="benchwright-repository-") as temporary:
        # A sandbox's user has to reach the cache in it.
        Path(temporary).chmod(0o755)
        write_pack(Path(temporary, "pack"))
        seconds = asyncio.run(measure(Path(temporary), rounds))
    bare_s = statistics.median(seconds["bare verifier"])
    print("| | median | smallest | largest | ratio |\n| --- | --- | --- | --- | --- |")
    for name, times in seconds.items():
        median_s = statistics.median(times)
        print(f"| {name} | {median_s:.2f} | {min(times):.2f} | {max(times):.2f} | {median_s / bare_s:.2f} |")


if __name__ == "__main__":
    main()
