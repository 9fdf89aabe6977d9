"""Progress of a long command where no terminal is: a line names the step, and how many there are."""

from __future__ import annotations

from benchwright_server.cli.terminal.progress import Meter


def test_a_line_names_the_step_and_counts_those_before_it() -> None:
    meter = Meter("report", 3, "steps")
    for step in ("reading", "horizon"):
        meter.show_next_step(step)
    assert meter.progress_line().startswith("report (horizon): 1 of 3 steps after ")


def test_a_meter_without_steps_counts_as_before() -> None:
    meter = Meter("checking", 3, "problems")
    meter.advance()
    assert meter.progress_line().startswith("checking: 1 of 3 problems after ")
