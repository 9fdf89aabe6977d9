"""Output of `benchwright study init`: a study, but for the words in <ANGLE BRACKETS>, with the choices beside."""

from __future__ import annotations

from benchwright_problems.reveal import Reveal

TEMPLATE = """\
# yaml-language-server: $schema=./study.schema.json
# Check it with `benchwright study validate {name}`. Every field: docs/reference/study-file.md.
study: {study}
title: A study of my own
problems:
  - starter/sync-fifo
  - starter/round-robin-arbiter
  - problem: starter/uart-parity
    time_minutes: 20
  - starter/skid-buffer-bug
practice: starter/saturating-counter
conditions:
  - name: alone
    solver: human # human, human+copilot, human+agent, model, agent
  - name: copilot
    solver: human+copilot
    assistants: [benchwright] # its own completion; extensions such as github.copilot need an editor that has them
participants: 16 # P01 to P16, or a list of pseudonyms; `study validate` says which numbers balance
randomisation:
  unit: task # task: everybody works under every condition; person: under one; cluster: so does everybody of a site
  order: latin-square # latin-square, blocked, random
  seed: {seed}
limits:
  time_minutes: 30
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
consent:
  version: "1"
  text: |
    <NAME AND INSTITUTION> asks you to take part, to <PURPOSE>.

    Below, Benchwright says what is recorded, where it goes, how many tasks there are and how long they may
    take, as this study sets it.

    You may stop at any time and have your data deleted: `benchwright study delete`, or write to <CONTACT>.
data:
  to: nowhere # or service, or an absolute folder, or postgresql://HOST/DATABASE; participants are told
  # kept_months: 120 # after the end of the study; participants are told
  # seen_by: [the researchers of Example Lab]
""".replace("{policies}", ", ".join(Reveal))
