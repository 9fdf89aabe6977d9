"""Everybody who waits gets the same share."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright_service.runs.fair_queue import FairQueue


def test_one_who_queues_many_does_not_keep_the_others_waiting() -> None:
    queue = FairQueue()
    for number in range(10):
        queue.add(f"a{number}", "ada")
    queue.add("b0", "ben")
    queue.add("c0", "cy")
    assert [queue.begin_next_run() for _ in range(4)] == ["a0", "b0", "c0", "a1"]


def test_somebody_elses_long_runs_are_charged() -> None:
    queue = FairQueue()
    for number in range(6):
        queue.add(f"a{number}", "ada")
        queue.add(f"b{number}", "ben")
    run_counts = Counter[str]()
    for _ in range(6):
        run = queue.begin_next_run()
        assert run is not None
        run_counts[run[0]] += 1
        queue.mark_ended(run, 20.0 if run[0] == "a" else 2.0)
    assert run_counts == {"a": 1, "b": 5}


def test_a_pause_saves_nothing_up() -> None:
    queue = FairQueue()
    queue.add("a0", "ada")
    queue.add("b0", "ben")
    for _ in range(2):
        run = queue.begin_next_run()
        assert run is not None
        queue.mark_ended(run, 2.0)
    for number in range(1, 30):
        queue.add(f"a{number}", "ada")
        if number < 20:
            assert queue.begin_next_run() == f"a{number}"
            queue.mark_ended(f"a{number}", 2.0)
    for number in range(1, 30):
        queue.add(f"b{number}", "ben")
    nexts = [queue.begin_next_run() for _ in range(6)]
    assert sum(run is not None and run.startswith("a") for run in nexts) in (2, 3)


def test_the_place_is_how_many_go_before_if_nobody_else_comes() -> None:
    queue = FairQueue()
    for run, account in (("a0", "ada"), ("a1", "ada"), ("b0", "ben"), ("c0", "cy"), ("b1", "ben")):
        queue.add(run, account)
    queue_ranks = {run: queue.queue_rank(run) for run in ("a0", "a1", "b0", "b1", "c0")}
    order = [queue.begin_next_run() for _ in range(5)]
    assert [queue_ranks[run] for run in order if run] == [1, 2, 3, 4, 5]
    assert queue.queue_rank("a0") is None
    assert queue.begin_next_run() is None


def test_a_run_that_is_taken_out_is_not_given() -> None:
    queue = FairQueue()
    queue.add("a0", "ada")
    assert queue.remove("a0")
    assert not queue.remove("a0")
    assert queue.begin_next_run() is None
    assert len(queue) == 0


def test_a_run_that_could_not_be_given_costs_nothing_however_often_that_is_said() -> None:
    queue = FairQueue()
    queue.add("a0", "ada")
    queue.add("b0", "ben")
    assert queue.begin_next_run() == "a0"
    for run in ("a0", "a0", "b0", "unknown"):
        queue.mark_ended(run, None)
    queue.add("a1", "ada")
    assert [queue.begin_next_run() for _ in range(3)] == ["a1", "b0", None]


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=60))
def test_every_run_is_given_once(steps: list[tuple[int, bool]]) -> None:
    queue = FairQueue()
    added_runs, given_runs = [], []
    running_runs: list[str] = []
    for index, (account, ends_run) in enumerate(steps):
        run = f"{account}:{index}"
        queue.add(run, str(account))
        added_runs.append(run)
        if ends_run:
            taken_run = queue.begin_next_run()
            assert taken_run is not None
            given_runs.append(taken_run)
            running_runs.append(taken_run)
        if len(running_runs) > 3:
            queue.mark_ended(running_runs.pop(0), 1.0)
    while (taken_run := queue.begin_next_run()) is not None:
        given_runs.append(taken_run)
    assert sorted(given_runs) == sorted(added_runs)


@pytest.mark.parametrize("students", [20, 100])
def test_nobody_waits_more_than_twice_the_fair_share_before_a_deadline(students: int) -> None:
    queue = FairQueue()
    # Two machines, two seconds a run; some save once, some five times at once.
    students_by_run: dict[str, str] = {}
    for student in range(students):
        for number in range(5 if student % 4 == 0 else 1):
            queue.add(f"{student}:{number}", str(student))
            students_by_run[f"{student}:{number}"] = str(student)
    first_done: dict[str, int] = {}
    for slot in range(len(students_by_run)):
        run = queue.begin_next_run()
        assert run is not None
        queue.mark_ended(run, 2.0)
        first_done.setdefault(students_by_run[run], slot)
    assert max(first_done.values()) < 2 * students
