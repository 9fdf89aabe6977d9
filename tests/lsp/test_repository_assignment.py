"""A repository problem of a course: the student's machine and a worker elsewhere get its files, and nothing hidden."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_remote.connections import Connections

from ..support.repository_pack import ADDER, BENCH, BUGS, TREE, write_repository_pack
from ..support.service.bench_service import Service, running_service
from ..support.studies.assignments import acknowledged_events, sign_in
from .conftest import Editors

pytestmark = pytest.mark.asyncio(loop_scope="module")

WRONG_ADDER = BUGS["sum"][1]
CANARY = "CANARY-3b8d"


@pytest.mark.nightly
async def test_a_student_gets_the_tree_and_a_worker_elsewhere_grades_the_difference(
    editors: Editors, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_repository_pack(tmp_path / "pack")
    (folder / "sum/hidden/harness/bench.sv").write_text(f"// {CANARY}\n{BENCH}")
    fix = folder / f"sum/hidden/reference/{CHANGES}"
    fix.write_text(fix.read_text().replace("a + b;\n", f"a + b; // {CANARY}\n"))
    service_home, worker_home = tmp_path / "service", tmp_path / "worker"
    with monkeypatch.context() as service_machine:
        service_machine.setenv("BENCHWRIGHT_HOME", str(service_home))
        pack = read_pack_folder(folder)
    Store(Home.from_environment({"BENCHWRIGHT_HOME": str(service_home)})).add(pack)
    trees = [problem.public.tree for problem in pack.problems]
    with running_service(Service(service_home, workers=0)) as service:
        course = await asyncio.to_thread(service.set_up, "core", problems=["sum"], reveal=Reveal.NAMES, title="Week 1")
        command = [sys.executable, "-m", "benchwright_service.runs.worker_process", service.url, "elsewhere", "bwrap"]
        environment = os.environ | {"BENCHWRIGHT_HOME": str(worker_home)}
        worker = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, env=environment)
        assert worker.stdin is not None
        worker.stdin.write(f"{await asyncio.to_thread(service.worker_token)}\n".encode())
        try:
            assigned_pack = sign_in(home, service, course)
            editor = await editors()
            desk = await editor.open_problem(f"{assigned_pack}/sum")
            assert (desk.folder / "rtl/top.sv").read_text() == TREE["rtl/top.sv"]
            await desk.start()
            file = desk.open("rtl/adder.sv")
            file.replace(0, len(WRONG_ADDER), ADDER)
            file.save()
            assert (await desk.verdict(1)).outcome == "passed"
            await desk.submit()
            await editor.quit()
        finally:
            worker.terminate()
            await worker.wait()
        assert acknowledged_events(home) == {desk.attempt: len(desk.events())}
        # The files of a problem that is not assigned are nobody's.
        student_home = Home.from_environment({"BENCHWRIGHT_HOME": str(home)})
        connection = Connections(student_home).find_connection(service.url)
        assert connection is not None
        with service.client(connection.token) as client:
            statuses = [client.get(f"/api/v1/packs/core/trees/{tree.id}").status_code for tree in trees if tree]
        assert statuses == [200, 404]
    for machine_home in (home, worker_home):
        for path in machine_home.rglob("*"):
            assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path
