"""The study file of the made-up study."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.demo.subjects import conditions_text


def study_text(
    study: str, problems: Sequence[str], designs: Sequence[str], people: int, seed: int, limit_min: float
) -> str:
    """The study file.

    Args:
        study: The study's id.
        problems: As `pack/id`.
        designs: Those of them that ask for Verilog.
        people: How many take part.
        seed: Of the randomisation.
        limit_min: Active minutes for a task.
    """
    listed = "\n".join(f"  - {problem}" for problem in problems)
    return f"""\
study: {study}
title: A made-up study of {people} people with and without a copilot
problems:
{listed}
conditions:
  - name: alone
    solver: human
  - name: copilot
    solver: human+copilot
    assistants: [github.copilot]
    subject: {{name: github.copilot, version: "1.400.0"}}
{conditions_text(designs)}
participants: {people}
randomisation:
  unit: task
  order: latin-square
  seed: {seed}
limits:
  time_minutes: {limit_min:g}
feedback: messages
show_distribution: true
forecasts: [minutes, difficulty, prior_exposure, success]
self_estimates: [minutes, difficulty, external_help, success]
questionnaire:
  - id: attention
    ask: To show that you read this, choose "sometimes".
    kind: choice
    choices: [never, sometimes, always]
    expect: sometimes
analysis:
  primary: time
  secondary: [solved]
  hypothesis: People are faster with the copilot.
exclusions:
  - when: failed_attention
    more_than: 0
    drop: participant
  - when: external_help
consent:
  version: "1"
  text: Nobody takes part in this study; its data are made up by a program.
"""
