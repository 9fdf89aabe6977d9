"""Output of `benchwright study init`: a study, but for the words in <ANGLE BRACKETS>, with the choices beside."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_problems.reveal import Reveal

_PROBLEMS = """\
problems:
  - starter/sync-fifo
  - starter/round-robin-arbiter
  - problem: starter/uart-parity
    time_minutes: 20
  - starter/skid-buffer-bug
practice: starter/saturating-counter
"""
_COPILOT = """\
  - name: copilot
    solver: human+copilot
    assistants: [{assistants}] # benchwright is its own; github.copilot and others need an editor that has them
"""
_LATER = """\
  # A second condition, once benchwright.assistant is set up in the settings of the editor:
  # - name: copilot
  #   solver: human+copilot
  #   assistants: [benchwright]
"""


def study_template(
    file_name: str,
    study: str,
    seed: int,
    problem_fields_yaml: str = _PROBLEMS,
    *,
    assistants: Sequence[str] = ("benchwright",),
    participant_count: int = 16,
    time_minutes: float = 30,
) -> str:
    """The text of a study file.

    Args:
        file_name: The file's name.
        study: The study's id.
        seed: Of the plan.
        problem_fields_yaml: The fields `problem_fields_yaml` and `practice` as they are written in the file.
        assistants: Those of a second condition; without any there is only people's work alone.
        participant_count: Number of participants.
        time_minutes: The limit of a task that has none of its own.
    """
    return _TEMPLATE.format(
        name=file_name,
        study=study,
        seed=seed,
        problems=problem_fields_yaml,
        copilot=_COPILOT.format(assistants=", ".join(assistants)) if assistants else _LATER,
        participant_count=participant_count,
        time_minutes=f"{time_minutes:g}",
    )


_TEMPLATE = """\
# yaml-language-server: $schema=./study.schema.json
# Check it with `benchwright study validate {name}`. Every field: docs/reference/study-file.md.
study: {study}
title: A study of my own
{problems}conditions:
  - name: alone
    solver: human # human, human+copilot, human+agent, model, agent
{copilot}participants: {participant_count} # P01, P02 …, or a list; `study validate` says which numbers balance
randomisation:
  unit: task # task: everybody works under every condition; person: under one; cluster: so does everybody of a site
  order: latin-square # latin-square, blocked, random
  seed: {seed}
limits:
  time_minutes: {time_minutes}
  runs: 20
feedback: messages # none, {policies}
clock: hidden # until the self-estimate is in; remaining shows what is left of the limit, shown all of it
clock_stops_for: [harness] # harness, judge; [] lets it run on
recording: full # timing, edits, full
forecasts: [minutes, difficulty, prior_exposure] # before anybody knows the condition
self_estimates: [minutes, difficulty, external_help]
questionnaire:
  - id: years
    ask: For how many years have you written Verilog or SystemVerilog?
    kind: number
  - id: attention
    ask: To show that you read this, choose "sometimes".
    kind: choice
    choices: [never, sometimes, always]
    expect: sometimes
idle_minutes: 2
exclusions: # fixed before there are data; the report applies them and counts what they leave out
  - when: failed_attention
    more_than: 0
    drop: participant
  - when: prior_exposure
    is: same
  - when: external_help
  - when: violations
    more_than: 0
analysis: # what the study decides on; `study register` freezes it, and all else is exploratory
  primary: time # time, solved, score
  secondary: [solved]
  population: intention-to-treat # or per-protocol
  baseline: alone
organisers: # participants read it; the consent text is generated from it
  name: <NAME AND INSTITUTION>
  purpose: <PURPOSE> # completes "… asks you to take part, to …"
  contact: <CONTACT> # completes "or write to …"
consent:
  version: "1" # raise it with every change of the text; `text: |` below it takes words of your own
data:
  to: nowhere # or service, or an absolute folder, or postgresql://HOST/DATABASE; participants are told
  # kept_months: 120 # after the end of the study; participants are told
  # seen_by: [the researchers of Example Lab]
# For readers of the results (`benchwright study checklist`). What is left out is named there as empty.
# population:
#   who: people who design digital hardware for a living
#   criteria: [expertise, language]
# recruitment:
#   sampling: convenience # crowdsourced, convenience, random, stratified, other
#   where: a mailing list of the department
#   has_team_members: false
#   screening: # asked before somebody gets a place; `expect` admits
#     - {{id: writes_rtl, ask: "Do you write SystemVerilog at least once a month?", kind: yes-no, expect: true}}
# pay: # participants read the amount and the bonus
#   amount: 25 EUR an hour
#   practice: like the tasks
#   bonus: none
#   differences: none
# ethics: # participants read it
#   outcome: approved # approved, exempt, pending, not-reviewed
#   board: Ethics Committee of Example University
#   reference: 2026-017
""".replace("{policies}", ", ".join(Reveal))
