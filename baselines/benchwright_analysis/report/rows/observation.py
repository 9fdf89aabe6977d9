"""One attempt as one row: everything that the statistics take, derived from its events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import ConfigDict

from benchwright_attempts.clock.time_source import TimeSource
from benchwright_foundation.model import Model

GRACE_S = 60.0
"""A verdict may come as much later than the time limit that its work was in time for, in seconds."""
CensoredBy = Literal["", "gave_up", "timed_out", "handed_in_unsolved", "not_decided", "still_open"]


PEOPLE = ("human", "human+copilot", "human+agent")
"""Solvers of whom one is a person."""
ZERO_SHOT, FORM_UNKNOWN = "zero-shot", "form unknown"
"""The usual way to ask a model, and what is said where the way was not recorded."""
_OWN_PROMPTS = "benchwright"


class Observation(Model):
    """One attempt. Times are seconds; an empty cell means that there is no value."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    attempt: str
    """Id of the attempt."""
    study: str
    """Id of the study; empty outside studies."""
    participant: str
    """Pseudonym of a person, or the name of a model."""
    cluster: str = ""
    """Site or section of the participant, as the study file groups them: what its members have in common counts as \
chance. Empty for none."""
    problem: str
    """`pack/id`."""
    pack: str
    """The problem's pack."""
    family: str
    """Problems that vary one task belong together: of questions the group, of others the id without a number at \
its end; else the problem itself."""
    title: str
    """The problem's title; its id if the pack is not on this machine."""
    kind: str
    """`design`, `text` or `question`; empty if the pack is not on this machine."""
    category: str
    """CVDP's category id, such as `cid003`."""
    difficulty: str
    """`easy`, `medium`, `hard`: as the study's plan has it, or the pack."""
    format: str
    """Of a question: `multiple-choice`, `open-ended` …"""
    skill: str
    """Of a question: `recall`, `analyze`, `design`, `implement`."""
    topic: str
    """Of a question."""
    language: str
    """Of a question: ISO 639 code."""
    domain: str = ""
    """Of a question: the field that its data set sorts it under, such as `Computer Network`."""
    subdomain: str = ""
    """The part of that field, such as `Transport Layer`."""
    tag: str = ""
    """The data set's own label of a question: `Knowledge` or `Reasoning` in CS-Bench."""
    published: str = ""
    """Date when the first of the pack's problems could be read in public: `YYYY-MM-DD` or `YYYY-MM`; empty if it is \
unknown, or if the pack is not on this machine."""
    condition: str
    """Name of the condition in the study file; outside studies the same as `solver`."""
    solver: str
    """The condition that follows from who made the attempt's changes and requests: `human`, `human+copilot`, \
`human+agent`, `model`, `agent`, or `unknown`."""
    assigned_solver: str = ""
    """The most help that a study's condition allows: `human`, `human+copilot`, `human+agent`, or `model`, `agent`; \
empty outside studies."""
    actors: str = ""
    """Who made the changes and requests (`person`, `completion`, `chat`, `agent`, `terminal`, `outside`, `unknown`), \
how that is known, and how much each did; joined by `; `."""
    inserted_by_unknown: int = 0
    """Code points put in by nobody knows whom: from outside the editor, or by an edit whose maker is not known."""
    model: str
    """Model that was used, as the provider names it; several joined by a space."""
    position: int | None
    """Position in the participant's order, from 1; 0 for practice; empty outside studies."""
    practice: bool
    """Practice is never analysed."""
    recording: str
    """`full`, `edits` or `timing`."""
    started: str
    """Wall time of the first start (ISO 8601, UTC), or of an answer from a file, when it was read; empty if the clock \
never ran."""
    state: str
    """`open`, `running`, `paused`, `submitted`, `abandoned`, `timed_out`."""
    standing: str = ""
    """The attempt's standing, in the words of every page: `passed`, `failed`, `waiting for a judge`, `undecided`, \
`out of time`, `given up`, `withdrawn`; before the end also `open`, `running`, `files changed`; empty of rows from a \
table."""
    time_source: str = TimeSource.NONE.value
    """Where the time comes from: `clock` (a clock ran before the person, or while the model worked), `reported` (a \
file that was read states it), `none` (nothing measured it: there is no time)."""
    clock_s: float | None
    """Time the clock ran. Like all that a clock measures, it is empty if `time_source` is not `clock`."""
    elapsed_s: float | None
    """Wall time from the first start to the newest event."""
    active_60_s: float | None
    """Time the clock ran, of each gap without activity no more than 60 s."""
    active_120_s: float | None
    """The same with 120 s."""
    active_300_s: float | None
    """The same with 300 s."""
    active_s: float | None
    """The same with the study's own threshold (`idle_minutes`; 2 minutes outside studies). Of models the clock, since \
the newest start of a sample that was tried again."""
    unfocused_s: float | None
    """Time the clock ran while another window had focus."""
    working_s: float | None = None
    """Of the time the clock ran, what a person with agents worked: up to ten seconds before each change or request of \
the person's, and being there while no agent was active and no hidden tests ran. Empty without agents."""
    supervising_s: float | None = None
    """The person was there while an agent was active. Empty without agents."""
    waiting_s: float | None = None
    """An agent was active or hidden tests ran while the person was not there, or only hidden tests while the person \
was. Empty without agents."""
    away_s: float | None = None
    """The person was not there (no focus, or no input for a minute), and nothing was going on. Empty without agents."""
    time_s: float | None
    """The time that is analysed: `active_s` until the first pass, or until the end if there was none; or what a file \
reports."""
    limit_s: float | None
    """The study's time limit."""
    passed: bool
    """True if a run or an answer ever passed; `final` says whether what was submitted does."""
    outcome: str
    """Of the newest verdict: `passed`, `failed`, `error` (undecided); empty if there was none."""
    final: str
    """The verdict on the work as it was submitted, or as it was when a limit ended the attempt; empty if nothing was \
submitted."""
    tries_to_pass: int | None
    """Decided verdicts up to and including the first pass; empty if it did not pass."""
    first_pass_s: float | None
    """Analysed time at the first pass."""
    first_pass_clock_s: float | None
    """Time on the clock at the first pass."""
    censored_by: CensoredBy
    """Reason for no time to a pass: `gave_up`, `timed_out`, `handed_in_unsolved`, `not_decided` (the verdict on \
what was submitted is undecided), `still_open`; empty if it passed."""
    reason: str
    """Of the newest verdict, a stable word: `tests_failed`, `timeout`, `tool_missing` …"""
    score: float | None
    """Best score of a decided verdict, 0 to 1: 1 for a pass, else the judge's score or the share of hidden tests that \
passed; empty if nothing was decided."""
    tests_passed: int | None
    """Hidden tests passed in the newest run that counted them."""
    tests_total: int | None
    """Hidden tests of that run."""
    runs: int
    """Verdicts: runs of the hidden tests, or answers judged."""
    undecided_runs: int
    """Of these, still undecided: the machinery failed, or a judge has not decided."""
    submissions: int
    """1 if the work was submitted."""
    pauses: int
    """Number of pauses."""
    suspensions: int
    """Number of times the computer slept while the clock ran."""
    edits: int
    """Edits recorded."""
    inserted: int
    """Code points inserted by edits."""
    inserted_typed: int
    """Of these, typed."""
    inserted_paste: int
    """Pasted."""
    inserted_completion: int
    """Inline completions of an assistant, whole or in part."""
    inserted_own_completion: int
    """Completions of Benchwright's own provider."""
    inserted_chat: int
    """Written by a chat or an agent in the editor."""
    inserted_tool: int
    """List of suggestions, snippets, formatter, rename."""
    inserted_other: int
    """Undo and redo, changes from outside, unknown."""
    share_by_assistant: float | None
    """Share of what was put in that came from completions or chat."""
    guessed_share: float | None
    """Share of what was put in whose source is a guess from the edit's shape."""
    classifier: str
    """Version of the rules by which the sources were found."""
    shown: int
    """Completions offered."""
    accepted: int
    """Code points of completions and chat edits that were taken."""
    reached_30s: int | None
    """Of `accepted`, those inserted at least 30 s before the end; empty if the text was not recorded."""
    survived_30s: int | None
    """Of `reached_30s`, still there then."""
    reached_120s: int | None
    """Of `accepted`, what was followed for 2 min."""
    survived_120s: int | None
    """Of `reached_120s`, still there then."""
    survived_end: int | None
    """Of `accepted`, still there at the end."""
    forecast_minutes: float | None
    """Expected before the start, for the attempt's own condition."""
    forecast_without_ai_minutes: float | None = None
    """Expected if no model helps."""
    forecast_with_ai_minutes: float | None = None
    """Expected with the assistants that the study allows."""
    forecast_blind_minutes: float | None = None
    """The forecast that models of time adjust for: that of the time without AI (with AI if only that was asked), made \
before the condition was shown. Empty if it was made later."""
    forecast_difficulty: int | None
    """1 to 5."""
    forecast_success: float | None
    """Probability of solving it, 0 to 1."""
    prior_exposure: str
    """`none`, `similar`, `same`: the most of what was said before and after."""
    self_minutes: float | None
    """Estimated afterwards."""
    self_difficulty: int | None
    """1 to 5."""
    self_success: float | None
    """Probability that the work is right."""
    external_help: bool | None
    """True if anything outside the editor helped."""
    calls: int
    """Calls of models."""
    input_tokens: int
    """Tokens sent."""
    output_tokens: int
    """Tokens received."""
    reasoning_tokens: int = 0
    """Of the tokens received, those that the provider says were for reasoning."""
    total_tokens: int
    """As the provider counts."""
    cost_usd: float | None
    """Of the models' calls; empty if it is unknown."""
    prompts: str
    """Name of the prompt set that a model was asked with, and the beginning of its digest; empty if it is unknown."""
    shots: int | None = None
    """Solved questions that a model was shown before this one; empty if it is unknown."""
    steps: bool | None = None
    """True if a model was asked for steps before its answer; empty if it is unknown."""
    statement: str = ""
    """`refined by` and the model that wrote the statement that was asked; empty if it is the problem's own."""
    knowledge_cutoff: str = ""
    """The end of what the model was trained on, as it was stated or as Inspect knew it: `YYYY-MM-DD` or `YYYY-MM`; \
the latest of several models; empty if it is unknown."""
    violations: int
    """Violations of the condition that were flagged."""
    violation_rules: str
    """Rules that were violated, joined by a space."""
    hints: int = 0
    """Hints of the problem that were taken; 0 if the recording level is `timing`."""
    hints_cost: float = 0.0
    """Share of the problem's points that they cost together."""
    judge_method: str
    """`deterministic`, `model`, `person`; empty for designs."""
    judge_votes: str
    """Of the newest judgement: `judge=label` of each vote, joined by `; `."""
    judge_rubric: str = ""
    """Of the newest judgement: the rubric's name and content hash, or name and version of the rules that read the \
answer; empty for designs and for rules before version 2."""
    judge_cost_usd: float
    """Of all judgements."""
    problem_digest: str
    """Digest of the problem as it was opened."""
    toolchain: str
    """Digest of the toolchain that the newest run was made with."""
    sandbox: str
    """Of the newest run."""
    change_reasons: bool | None
    """True if the editor reports the reason for each edit; empty if unknown."""
    study_sha256: str = ""
    """Digest of the study file under which the attempt was made; empty outside studies."""
    intended: bool = False
    """True if it counts by intention to treat: a person's attempt at a task whose condition was drawn, whatever the \
study's rules leave out; never practice, nor an attempt that is still open."""
    excluded_by: str = ""
    """Rules of the study file that leave it out, joined by `; `; also `practice` and `still_open`."""

    @property
    def minutes(self) -> float:
        """The time that is analysed, of an attempt that has one.

        Raises:
            ValueError: It has none.
        """
        if self.time_s is None:
            raise ValueError(f"Attempt {self.attempt} has no time.")
        return self.time_s / 60

    @property
    def is_analysed(self) -> bool:
        """True if it counts."""
        return not self.excluded_by

    @property
    def is_person(self) -> bool:
        """True if a person worked; in a study, if its condition demands a person."""
        return (self.assigned_solver or self.solver) in PEOPLE

    @property
    def subject_name(self) -> str:
        """Its condition; outside studies the model's name too, and a statement of its own."""
        if self.study or self.is_person:
            return self.condition
        variant = f", statements {self.statement}" if self.statement else ""
        return f"{self.condition}: {self.participant}{variant}"

    @property
    def asking_way(self) -> str:
        """Way a model was asked, such as `zero-shot` or `5-shot, steps`, with the prompts' name if they are a paper's.

        Passages and tools that it was given are named too.

        `form unknown` if it was not recorded, empty for people.
        """
        if self.is_person:
            return ""
        if self.shots is None or self.steps is None:
            return FORM_UNKNOWN
        shots_text = f"{self.shots}-shot" if self.shots else ZERO_SHOT
        prompts, *aids = self.prompts.partition(" ")[0].split("+")
        prompts_name = "" if prompts in ("", _OWN_PROMPTS) else f"{prompts} prompts"
        return ", ".join(filter(None, (shots_text, "steps" if self.steps else "", prompts_name, *aids)))

    @property
    def group(self) -> str:
        """Group that it is compared as: the solver, and the way it was asked unless that is the usual way.

        Answers to the same question that was asked in two ways are no two samples of one answer.
        """
        usual = self.study or self.asking_way in ("", ZERO_SHOT, FORM_UNKNOWN)
        return self.subject_name if usual else f"{self.subject_name}, {self.asking_way}"


def forecasts_unadjusted_reason(observations: Sequence[Observation]) -> str:
    """Reason why a model of times does not adjust for the forecasts of these attempts, as a sentence."""
    if any(observation.forecast_minutes and not observation.forecast_blind_minutes for observation in observations):
        return (
            "some were made after the condition was shown, so that they hold part of its effect, and adjusting for "
            "them would take that part away."
        )
    return "not every attempt has one that was made before the condition was shown."
