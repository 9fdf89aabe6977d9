"""A person's time with agents, divided by what each was doing."""

from __future__ import annotations

import random

import pytest

from benchwright_attempts.clock.time_with_agents import Interval, PresenceFold, TimeWithAgents, divide_time_with_agents

S = 1_000_000_000


def divided_time(
    end_s: float,
    person: tuple[float, ...] = (),
    agent: tuple[float, ...] = (),
    away: tuple[Interval, ...] = (),
    run_intervals: tuple[Interval, ...] = (),
) -> TimeWithAgents:
    def ns(intervals: tuple[Interval, ...]) -> list[Interval]:
        return [(begin * S, end * S) for begin, end in intervals]

    person_ns, agent_ns = ([round(act * S) for act in acts] for acts in (person, agent))
    return divide_time_with_agents(
        person_ns, agent_ns, ns(away), ns(run_intervals), round(end_s * S), idle_threshold_s=120
    )


def test_a_person_who_is_there_while_an_agent_is_active_supervises_it() -> None:
    assert divided_time(200, agent=(100, 130, 180)) == TimeWithAgents(120, 80, 0, 0)


def test_a_person_who_is_elsewhere_waits_for_the_agent_and_is_away_when_it_is_done() -> None:
    assert divided_time(200, agent=(50, 150), away=((60, 180),)) == TimeWithAgents(70, 10, 90, 30)


def test_what_the_person_writes_while_an_agent_is_active_is_work() -> None:
    assert divided_time(100, person=(40, 45), agent=(0, 100)) == TimeWithAgents(15, 85, 0, 0)


def test_hidden_tests_alone_are_waited_for() -> None:
    assert divided_time(100, agent=(0, 1), run_intervals=((50, 80),)) == TimeWithAgents(69, 1, 30, 0)


def test_agents_in_parallel_are_active_once() -> None:
    alone, parallel = divided_time(100, agent=(0, 100)), divided_time(100, agent=(0, 20, 40, 60, 80, 100))
    assert alone == parallel == TimeWithAgents(0, 100, 0, 0)


def test_a_long_silence_of_an_agent_counts_up_to_the_threshold() -> None:
    assert divided_time(1000, agent=(0, 1000)) == TimeWithAgents(880, 120, 0, 0)


def test_an_idle_minute_began_before_it_was_noticed_and_lost_focus_lasts_to_the_end() -> None:
    presence = PresenceFold()
    presence.add_idle_change(100 * S, 60.0, is_idle=True)
    presence.add_idle_change(150 * S, 0.0, is_idle=False)
    presence.add_focus_change(170 * S, is_focused=False)
    presence.add_run_start(10 * S, "r")
    presence.add_run_end(20 * S, "r")
    presence.add_run_start(30 * S, "died with its process")
    assert presence.away_intervals_until(200 * S) == [(40 * S, 150 * S), (170 * S, 200 * S)]
    assert presence.run_intervals_until(200 * S) == [(10 * S, 20 * S), (30 * S, 200 * S)]


@pytest.mark.parametrize("seed", range(40))
def test_the_parts_are_all_of_the_time_second_by_second(seed: int) -> None:
    """Against a count of whole seconds, one by one."""
    random_source = random.Random(seed)
    end = 300
    person = tuple(sorted(random_source.sample(range(1, end), random_source.randint(0, 8))))
    agent = tuple(sorted(random_source.sample(range(1, end), random_source.randint(0, 8))))
    away, run_intervals = (
        tuple((begin, min(end, begin + random_source.randint(1, 60))) for begin in random_source.sample(range(end), 4))
        for _ in range(2)
    )
    counts = {"working": 0, "supervising": 0, "waiting": 0, "away": 0}
    for second in range(end):
        later = [act for act in agent if act > second]
        active = bool(later) and agent[0] <= second and later[0] - second <= 120
        testing = any(begin <= second < stop for begin, stop in run_intervals)
        there = not any(begin <= second < stop for begin, stop in away)
        if any(act - 10 <= second < act for act in person) or (there and not active and not testing):
            counts["working"] += 1
        elif there and active:
            counts["supervising"] += 1
        elif active or testing:
            counts["waiting"] += 1
        else:
            counts["away"] += 1
    assert divided_time(end, person, agent, away, run_intervals) == TimeWithAgents(
        *(float(part) for part in counts.values())
    )
