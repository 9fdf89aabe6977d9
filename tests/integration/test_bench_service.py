"""A class at a bench service: real HTTP, real workers, SQLite and PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchwright_attempts.events.events import Edit, Started, Submitted
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.anchors import Anchor, check_anchors
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.problem import Problem
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Course, Service, Solver
from ..support.studies.forged_row import forge_row

REF = "starter/saturating-counter"
QUESTION = "starter/load-use-stalls"

pytestmark = pytest.mark.parametrize("service", ["sqlite", "postgresql"], indirect=True, scope="module")


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(reveal=Reveal.NAMES)


@pytest.fixture
def solver(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path)
    yield solver
    solver.log.close()


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)


def texts(files: dict[str, bytes], problem: Problem) -> dict[str, str]:
    return {path: files[path].decode() for path in problem.public.expected}


def test_a_student_joins_opens_saves_and_passes_without_seeing_anything_hidden(
    service: Service, solver: Solver, problem: Problem
) -> None:
    with service.client(solver.token) as client:
        me = client.get("/api/v1/me").json()
        assert [(membership["role"], membership["title"]) for membership in me["courses"]] == [
            ("participant", "Computer architecture")
        ]
        (assignment,) = client.get("/api/v1/assignments").json()
        pack = client.get("/api/v1/packs/starter")
    assert REF.partition("/")[2] in assignment["problems"]
    public_problem = next(candidate for candidate in pack.json()["pack"]["problems"] if candidate["id"] == problem.id)
    assert Problem.model_validate(public_problem).public == problem.public
    for hidden_text in (*problem.hidden.reference.values(), *problem.hidden.harness.values()):
        assert hidden_text not in pack.text
        assert hidden_text.strip().splitlines()[-1] not in pack.text or len(hidden_text.strip().splitlines()[-1]) < 20

    start = texts(starting_solution_files(problem), problem)
    attempt = solver.begin(REF, start)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200

    failed_run = solver.run(attempt, 1, start)
    assert failed_run.status_code == 202, failed_run.text
    view = solver.verdict(failed_run.json()["id"])
    assert view["verdict"]["outcome"] == "failed"
    assert view["verdict"]["policy"] == "names"
    assert all(test["message"] is None for test in view["verdict"]["tests"])

    passed_run = solver.run(attempt, 2, texts(reference_solution_files(problem), problem))
    view = solver.verdict(passed_run.json()["id"])
    assert view["verdict"]["outcome"] == "passed"
    assert view["verdict"]["passed"] == view["verdict"]["total"] > 0


def test_what_is_acknowledged_is_countersigned_and_the_same_to_the_byte(
    service: Service, solver: Solver, problem: Problem
) -> None:
    attempt = solver.begin(REF, texts(starting_solution_files(problem), problem))
    typed = [
        Edit(path=problem.public.expected[0], version=n, changes=(Change(start=0, end=0, text="\ud800é"),))
        for n in range(40)
    ]
    solver.record(attempt, Started(), *typed)
    anchors = []
    for _ in range(5):
        reply = solver.send(attempt, row_limit=10)
        assert reply.status_code == 200, reply.text
        anchors.append(Anchor.model_validate(reply.json()["anchor"]))
    # Sending again what is there changes nothing.
    repeated = solver.send(attempt, first_event=20)
    assert repeated.json()["anchor"]["events"] == anchors[-1].events == 42
    solver.record(attempt, Submitted())
    anchors.append(Anchor.model_validate(solver.send(attempt).json()["anchor"]))

    header, rows = solver.rows(attempt)
    with EventLog(service.database or service.folders.data / "service" / "attempts.sqlite") as log:
        assert log.stored_attempt(attempt) == (header, list(rows))
        assert verify_attempt(*log.stored_attempt(attempt)).ok
    check = check_anchors(attempt, [row.hash for row in rows], anchors)
    assert (check.agreeing_count, check.flaws) == (6, ())
    with service.client() as client:
        key = client.get("/api/v1/key").json()["key"]
    assert check.unpublished_signers == (f"{service.url} with the key {key}",)
    cut = check_anchors(attempt, [row.hash for row in rows[:-1]], anchors)
    assert "cut off" in cut.flaws[0]


def test_an_answer_is_scored_and_its_key_stays_hidden(service: Service, solver: Solver) -> None:
    attempt = solver.begin(QUESTION, {"answer.md": ""})
    solver.record(attempt, Started())
    solver.send(attempt)
    verdicts = []
    for number, letter in enumerate("AC", start=1):
        run_reply = solver.run(attempt, number, {"answer.md": f"{letter}\n"})
        verdicts.append(solver.verdict(run_reply.json()["id"])["verdict"])
    assert [outcome["outcome"] for outcome in verdicts] == ["failed", "passed"]
    assert "11 cycles" not in verdicts[0]["message"]
    assert "digests" not in verdicts[0]


def test_the_same_run_again_is_one_run_and_a_newer_one_supersedes(
    service: Service, solver: Solver, problem: Problem
) -> None:
    start = texts(starting_solution_files(problem), problem)
    attempt = solver.begin(REF, start)
    solver.record(attempt, Started())
    solver.send(attempt)
    run = uuid.uuid4().hex
    assert solver.run(attempt, 1, start, run).json()["id"] == run
    assert solver.run(attempt, 1, start, run).status_code == 202
    assert solver.run(attempt, 1, {problem.public.expected[0]: "module x; endmodule\n"}, run).status_code == 409
    newer = solver.run(attempt, 2, {problem.public.expected[0]: start[problem.public.expected[0]] + "// newer\n"})
    assert solver.verdict(newer.json()["id"])["state"] == "done"
    older = solver.verdict(run)
    assert older["state"] == "done" or older["why"] == "superseded"


def test_nobody_sees_or_touches_what_is_somebody_elses(
    service: Service, solver: Solver, course: Course, problem: Problem, tmp_path: Path
) -> None:
    start = texts(starting_solution_files(problem), problem)
    attempt = solver.begin(REF, start)
    solver.record(attempt, Started())
    solver.send(attempt)
    run = solver.run(attempt, 1, start).json()["id"]
    other_solver = Solver.joining(service, course, tmp_path / "other", "Bob")
    stranger = Solver.joining(service, service.set_up(problems=["load-use-stalls"]), tmp_path / "stranger", "Eve")
    header, rows = solver.rows(attempt)
    for thief in (other_solver, stranger):
        with service.client(thief.token) as client:
            unknown_reply = client.get(f"/api/v1/runs/{uuid.uuid4().hex}")
            foreign_reply = client.get(f"/api/v1/runs/{run}")
            assert (foreign_reply.status_code, foreign_reply.json()) == (404, unknown_reply.json())
            assert client.delete(f"/api/v1/runs/{run}").status_code == 404
            request_body = {
                "header": header.model_dump(mode="json"),
                "assignment": thief.course.assignment,
                "lines": [row.as_json_line() for row in rows],
                "now": datetime.now(UTC).isoformat(),
            }
            assert client.post(f"/api/v1/attempts/{attempt}/events", json=request_body).status_code == 404
            assert client.post("/api/v1/jobs", json={"worker": "me"}).status_code == 403
        assert thief.run(attempt, 2, start).status_code == 404
    forbidden = stranger.begin(REF, start)
    stranger.record(forbidden, Started())
    assert stranger.send(forbidden).status_code == 404
    for token in ("", "bws_0123456789ab_" + "x" * 43, "bwj_0123456789ab_" + "x" * 43):
        with service.client(token) as client:
            assert client.get("/api/v1/me").status_code == 401
    for log in (other_solver.log, stranger.log):
        log.close()


def test_what_does_not_follow_is_refused_and_leaves_what_is_there(
    service: Service, solver: Solver, problem: Problem
) -> None:
    attempt = solver.begin(REF, texts(starting_solution_files(problem), problem))
    solver.record(attempt, Started(), Submitted())
    assert solver.send(attempt, row_limit=1).status_code == 200
    _, rows = solver.rows(attempt)
    assert solver.send(attempt, first_event=2).status_code == 409
    forged = rows[1].as_json_line().replace("started", "paused!")
    assert solver.send(attempt, lines=[forged]).status_code == 409
    assert solver.send(attempt, lines=["[]"]).status_code == 422
    assert solver.send(attempt).json()["anchor"]["events"] == 3


def test_a_closed_assignment_takes_evidence_and_runs_nothing(
    service: Service, tmp_path: Path, problem: Problem
) -> None:
    start = texts(starting_solution_files(problem), problem)
    soon = datetime.now(UTC) + timedelta(seconds=4)
    solver = Solver.joining(service, service.set_up(closes=soon), tmp_path)
    attempt = solver.begin(REF, start)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    while datetime.now(UTC) < soon:
        pass
    solver.record(attempt, Submitted())
    assert solver.send(attempt).status_code == 200
    refusal = solver.run(attempt, 1, start)
    assert (refusal.status_code, refusal.json()["detail"]) == (409, "The assignment is closed.")
    late_attempt = solver.begin(REF, start)
    solver.record(late_attempt, Started())
    assert solver.send(late_attempt).status_code == 409
    solver.log.close()


def test_an_assignment_that_has_not_opened_is_not_there(service: Service, tmp_path: Path) -> None:
    solver = Solver.joining(service, service.set_up(opens=datetime.now(UTC) + timedelta(days=1)), tmp_path)
    with service.client(solver.token) as client:
        assert client.get("/api/v1/assignments").json() == []
        assert client.get("/api/v1/packs/starter").status_code == 404
    solver.log.close()


def test_an_invitation_is_good_for_as_many_as_it_says(service: Service) -> None:
    course = service.set_up(uses=2)
    with service.client() as client:
        join_replies = [client.post("/api/v1/join", json={"code": course.invitation, "name": "x"}) for _ in range(3)]
        wrong_join = client.post("/api/v1/join", json={"code": "nothing", "name": "x"})
    assert [reply.status_code for reply in join_replies] == [200, 200, 404]
    assert wrong_join.json() == join_replies[2].json()


def test_runs_are_limited_as_the_assignment_says(service: Service, tmp_path: Path, problem: Problem) -> None:
    solver = Solver.joining(service, service.set_up(most_runs=1), tmp_path)
    attempt = solver.begin(QUESTION, {"answer.md": ""})
    solver.record(attempt, Started())
    solver.send(attempt)
    codes = []
    for number in range(1, 4):
        reply = solver.run(attempt, number, {"answer.md": "ABD"[number - 1]})
        codes.append(reply.status_code)
        if reply.status_code == 202:
            solver.verdict(reply.json()["id"])
    # One more is for submitting.
    assert codes == [202, 202, 409]
    solver.log.close()


def test_somebody_whom_a_hub_has_signed_in_needs_no_invitation(
    service: Service, course: Course, tmp_path: Path
) -> None:
    database = {"BENCHWRIGHT_SERVICE_DATABASE": service.database} if service.database else {}

    def benchwright(home: Path, *words: str, **environment: str) -> str:
        variables = os.environ | {"BENCHWRIGHT_HOME": str(home)} | environment
        command = [str(Path(sys.executable).parent / "benchwright"), *words]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout

    arguments = ("course", "token", course.name, "ada@example.org", "--name", "Ada")
    tokens = [benchwright(service.home, *arguments, **database).strip() for _ in range(2)]
    accounts = set()
    for token in tokens:
        output = benchwright(tmp_path, "login", service.url, BENCHWRIGHT_TOKEN=token)
        assert "as Ada: Computer architecture" in output
        with service.client(token) as client:
            accounts.add(client.get("/api/v1/me").json()["account"])
    assert len(accounts) == 1
    assert "16 problems" in benchwright(tmp_path, "assignments")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        benchwright(tmp_path, "login", service.url, BENCHWRIGHT_TOKEN=tokens[0][:-1] + "?")
    assert "Traceback" not in refused.value.stderr
    assert "16 problems" in benchwright(tmp_path, "assignments")


def test_events_that_the_database_refuses_keep_those_that_came_with_them_from_nobody(
    service: Service, course: Course, tmp_path: Path, problem: Problem
) -> None:
    solvers = [Solver.joining(service, course, tmp_path / name, name) for name in ("ada", "ben", "cy", "dee")]
    attempts = [participant.begin(REF, texts(starting_solution_files(problem), problem)) for participant in solvers]
    _, (row,) = solvers[0].rows(attempts[0])
    # PostgreSQL has no NUL in its texts.
    odd = forge_row(row, process="\0")
    with ThreadPoolExecutor() as pool:
        for _ in range(5):
            refused_send = pool.submit(solvers[0].send, attempts[0], lines=[odd.as_json_line()])
            send_replies = list(
                pool.map(lambda pair: pair[0].send(pair[1], first_event=0), zip(solvers[1:], attempts[1:], strict=True))
            )
            assert [reply.status_code for reply in send_replies] == [200] * 3
            assert refused_send.result().status_code != 401
    for participant in solvers:
        participant.log.close()
