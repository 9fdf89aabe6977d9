"""A worker that is silent for too long loses its run."""

from __future__ import annotations

from benchwright_service.runs.leases import Leases


class Clock:
    time_s = 1_000.0

    def __call__(self) -> float:
        return self.time_s


def test_a_lease_lasts_its_term_and_every_word_renews_it() -> None:
    clock = Clock()
    leases = Leases(clock, term_s=60)
    leases.begin("run", "lease", "w1")
    clock.time_s += 50
    leases.renew("run")
    clock.time_s += 59
    assert leases.expired_runs() == []
    clock.time_s += 2
    assert leases.expired_runs() == ["run"]
    assert leases.end_if_any("run")
    assert not leases.end_if_any("run")
    assert leases.expired_runs() == []


def test_only_the_lease_itself_is_valid() -> None:
    leases = Leases(Clock())
    leases.begin("run", "one", "w1")
    assert leases.is_valid("run", "one")
    assert not leases.is_valid("run", "other")
    assert not leases.is_valid("else", "one")


def test_the_runs_of_a_worker_are_found_by_its_name() -> None:
    leases = Leases(Clock())
    leases.begin("a", "1", "w1")
    leases.begin("b", "2", "w2")
    leases.begin("c", "3")
    assert leases.runs_of_worker("w1") == ["a"]
    assert leases.runs_of_worker("") == []
