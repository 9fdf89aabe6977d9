"""A study as its file describes it: fixed in advance, so that nothing can be chosen after the fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from benchwright_attempts.events.evidence import Exposure, Recording
from benchwright_attempts.terms import ClockDisplay, Machine, Solver
from benchwright_problems.problem import Difficulty
from benchwright_problems.reveal import Reveal
from benchwright_studies.plan.condition import Condition
from benchwright_studies.plan.people import EthicsReview, Organisers, Pay, Recruitment, TargetPopulation
from benchwright_studies.plan.study_part import Id, ProblemRef, Pseudonym, StudyPart
from benchwright_studies.plan.study_question import StudyQuestion
from benchwright_studies.plan.vocabulary import (
    AssignmentUnit,
    Drop,
    ExclusionCriterion,
    ForecastKind,
    Measure,
    Order,
    Population,
)

Minutes = Annotated[float, Field(gt=0, le=10_000)]


class Task(StudyPart):
    """One problem of a study."""

    problem: ProblemRef
    """`pack/id`, as `benchwright problems list` shows it."""
    difficulty: Difficulty | None = None
    """In place of the pack's own, for blocking."""
    time_minutes: Minutes | None = None
    """In place of the study's limit."""


def _task_from_ref(ref_or_task: object) -> object:
    return {"problem": ref_or_task} if isinstance(ref_or_task, str) else ref_or_task


class Randomisation(StudyPart):
    """Rules for who does what, in which order."""

    unit: AssignmentUnit = AssignmentUnit.TASK
    order: Order = Order.LATIN_SQUARE
    seed: int | None = Field(ge=0, lt=2**63)
    """The same seed gives the same plan, on every machine. Choose it by lot, once. Null only in the form that \
participants get."""


class Limits(StudyPart):
    """Limits that end an attempt."""

    time_minutes: Minutes | None = None
    """Active time for a task; none for any."""
    runs: int | None = Field(default=None, ge=1)
    """Runs of the hidden tests, or scored answers, for a task; none for any number."""


class Exclusion(StudyPart):
    """A rule that leaves data out, fixed before there are any."""

    when: ExclusionCriterion
    more_than: float | None = None
    less_than: float | None = None
    is_: Exposure | None = Field(default=None, alias="is")
    """Only with `prior_exposure`."""
    drop: Drop = Drop.ATTEMPT

    model_config = ConfigDict(populate_by_name=True)

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        bound_count = (self.more_than is not None) + (self.less_than is not None)
        if self.when is ExclusionCriterion.PRIOR_EXPOSURE:
            if self.is_ is None or self.is_ is Exposure.NONE or bound_count:
                raise ValueError("prior_exposure takes `is: similar` or `is: same`, and no bound")
        elif self.is_ is not None:
            raise ValueError(f"`is` does not go with {self.when.value}. Give more_than or less_than")
        elif self.when is ExclusionCriterion.EXTERNAL_HELP:
            if bound_count:
                raise ValueError("external_help takes no bound")
        elif bound_count != 1:
            raise ValueError(f"{self.when.value} needs either more_than or less_than")
        if self.when in _OF_A_PARTICIPANT and self.drop is Drop.ATTEMPT:
            raise ValueError(f"{self.when.value} is about a whole participant. Write drop: participant")
        return self


_OF_A_PARTICIPANT = (ExclusionCriterion.FAILED_ATTENTION, ExclusionCriterion.UNFINISHED_TASKS)


class Analysis(StudyPart):
    """Analysis that the study decides on, fixed before there are data. Everything else in a report is exploratory."""

    primary: Measure
    """The one outcome that the study decides on."""
    secondary: tuple[Measure, ...] = ()
    population: Population = Population.INTENTION_TO_TREAT
    """Of the primary analysis; the report shows both."""
    baseline: str = ""
    """The condition that others are compared with; the first one if empty."""
    hypothesis: str = ""
    """The expected result, in words. Participants don't see it."""

    @model_validator(mode="after")
    def _check_one_role_each(self) -> Self:
        if self.primary in self.secondary:
            raise ValueError(f"secondary has {self.primary.value}, which is the primary outcome. Remove it there")
        return self


class ConsentText(StudyPart):
    """The text that participants agree to before anything is recorded."""

    version: str = Field(min_length=1)
    """Raise it with every change of the text: who agreed to an older one is asked again."""
    text: Annotated[str, Field(min_length=20)] = ""
    """Markdown: who asks, what for, how to withdraw. Generated from `organisers` if it is not given."""


NOWHERE = "nowhere"
"""Records stay on the participant's machine until somebody exports them."""
AT_SERVICE = "service"
"""Records go to the bench service at which participants enrol."""


class DataHandling(StudyPart):
    """Destination of the data."""

    to: str = NOWHERE
    """`nowhere`: they stay on the participant's machine until somebody exports them. \
`service`: to the bench service that conducts the study. \
Or an absolute folder, or a `postgresql://` address without a password."""
    kept_months: float | None = Field(default=None, gt=0, le=1200)
    """For how many months after the end of the study records are kept at most. Null: the file does not say, and \
participants are told nothing of it by Benchwright."""
    seen_by: tuple[str, ...] = ()
    """Who sees the records, in words for participants, such as `the researchers of Example Lab`. Empty: the file does \
not say."""

    @model_validator(mode="after")
    def _check_destination(self) -> Self:
        if self.to in (NOWHERE, AT_SERVICE) or self.to.startswith("/") or self.to.startswith("postgresql://"):
            return self
        raise ValueError(
            f"{self.to!r} is neither nowhere, nor service, nor an absolute folder, nor a postgresql:// address"
        )


def _checked_feedback(value: object) -> object:
    if value not in (known_values := ("none", *Reveal)):
        # Pydantic would name only the values of one type.
        raise ValueError(f"{value!r} is not {', '.join(known_values)}. Write one of these.")
    return value


class Study(StudyPart):
    """A study file."""

    study: Id
    """Its id, in records and file names."""
    title: str = Field(min_length=1)
    description: str = ""
    format: Literal[1] = 1
    """Version of this file format."""
    problems: tuple[Annotated[Task, BeforeValidator(_task_from_ref, json_schema_input_type=ProblemRef | Task)], ...] = (
        Field(min_length=1)
    )
    """`pack/id`, or an object where more is to be said."""
    practice: ProblemRef | None = None
    """A problem to get used to everything with; its data are marked and never analysed."""
    conditions: tuple[Condition, ...] = Field(min_length=1)
    participants: int | tuple[Pseudonym, ...] = 0
    """Number of participants, then named `P01` …; or their pseudonyms. 0 where only models work."""
    clusters: Mapping[Id, Annotated[tuple[Pseudonym, ...], Field(min_length=1)]] = {}
    """Sites or sections with the pseudonyms of their participants; everybody is in one, or there are none."""
    randomisation: Randomisation
    limits: Limits = Limits()
    feedback: Annotated[Reveal | Literal["none"], BeforeValidator(_checked_feedback)] = Reveal.FULL
    """The part of a run that a participant gets to see; never more than the problem itself allows."""
    clock: ClockDisplay = ClockDisplay.HIDDEN
    """Display of the clock, and of times in summaries, until the participant's self-estimate of the task is in."""
    show_distribution: bool = False
    """True if a participant sees how others did at a task that the participant has finished."""
    clock_stops_for: tuple[Machine, ...] = ()
    """Machines that stop the clock while they work."""
    recording: Recording = Recording.FULL
    forecasts: tuple[ForecastKind, ...] = (ForecastKind.MINUTES, ForecastKind.DIFFICULTY, ForecastKind.PRIOR_EXPOSURE)
    """Asked of every problem before anything of the assignment is shown; minutes without and with AI, as far as the \
conditions have it."""
    self_estimates: tuple[ForecastKind, ...] = (
        ForecastKind.MINUTES,
        ForecastKind.DIFFICULTY,
        ForecastKind.EXTERNAL_HELP,
    )
    """Asked when a task is done."""
    questionnaire: tuple[StudyQuestion, ...] = ()
    """Asked at the end; questions with `expect` are attention checks."""
    idle_minutes: Annotated[Minutes, Field(le=60)] = 2
    """From how long a gap on time does not count as active in the main analysis; 1, 2 and 5 are reported too."""
    exclusions: tuple[Exclusion, ...] = ()
    analysis: Analysis | None = None
    """Needed by `study register`."""
    organisers: Organisers | None = None
    """Who conducts the study and what for."""
    consent: ConsentText | None = None
    """Needed as soon as there are participants."""
    data: DataHandling = DataHandling()
    problem_choice: str = ""
    """How the problems were chosen, in words."""
    population: TargetPopulation | None = None
    """The people that the results are meant to hold for. This and the next three fields are for readers of the \
results: `benchwright study checklist` shows them."""
    recruitment: Recruitment | None = None
    pay: Pay | None = None
    ethics: EthicsReview | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_generated_consent(cls, stated_fields: object) -> object:
        if not isinstance(stated_fields, dict) or not isinstance(consent := stated_fields.get("consent"), dict):
            return stated_fields
        if "text" in consent or stated_fields.get("organisers") is None:
            return stated_fields
        try:
            organisers = Organisers.model_validate(stated_fields["organisers"])
        except ValidationError:
            # It is reported with its own field.
            return stated_fields
        return {**stated_fields, "consent": {**consent, "text": organisers.consent_text}}

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        _refuse_repeated_name("problems", [task.problem for task in self.problems])
        _refuse_repeated_name("conditions", [condition.name for condition in self.conditions])
        _refuse_repeated_name("questionnaire", [question.id for question in self.questionnaire])
        if isinstance(self.participants, tuple):
            _refuse_repeated_name("participants", self.participants)
        elif not 0 <= self.participants <= 100_000:
            raise ValueError("participants is not between 0 and 100000")
        self._check_clusters()
        if self.practice in [task.problem for task in self.problems]:
            raise ValueError(f"practice {self.practice} is also one of the problems. Practise with another one")
        names = [condition.name for condition in self.conditions]
        if self.analysis is not None and self.analysis.baseline not in ("", *names):
            raise ValueError(f"analysis.baseline {self.analysis.baseline} is none of the conditions {', '.join(names)}")
        for condition in self.conditions:
            if unknown_problems := set(condition.problems) - {task.problem for task in self.problems}:
                raise ValueError(f"{condition.name} has {min(unknown_problems)}, which is none of the study's problems")
        person_conditions = [condition for condition in self.conditions if condition.solver.is_person]
        if bool(self.pseudonyms) != bool(person_conditions):
            raise ValueError(
                "participants and conditions do not fit: a condition with solver human, human+copilot or human+agent"
                " needs participants, and participants need such a condition"
            )
        if person_conditions and self.consent is None:
            raise ValueError("consent is missing. Say in consent.text what participants agree to")
        if self.consent is not None and not self.consent.text:
            raise ValueError("consent has no text. Write one, or give organisers, from which it is generated")
        if ForecastKind.EXTERNAL_HELP in self.forecasts:
            raise ValueError(
                "forecasts can't ask for external_help, which is known only afterwards. Ask in self_estimates"
            )
        return self

    @property
    def pseudonyms(self) -> tuple[str, ...]:
        """Every participant."""
        if isinstance(self.participants, tuple):
            return self.participants
        digits = max(2, len(str(self.participants)))
        return tuple(f"P{number:0{digits}}" for number in range(1, self.participants + 1))

    @property
    def cluster_by_participant(self) -> Mapping[str, str]:
        """Site or section of each participant; empty if there are none."""
        return {pseudonym: name for name, members in self.clusters.items() for pseudonym in members}

    def _check_clusters(self) -> None:
        members = [pseudonym for names in self.clusters.values() for pseudonym in names]
        _refuse_repeated_name("clusters", members)
        if unknown := set(members) - set(self.pseudonyms):
            raise ValueError(f"clusters has {min(unknown)}, who is none of the participants. Remove the name")
        if members and (missing := set(self.pseudonyms) - set(members)):
            raise ValueError(f"clusters lacks {min(missing)}. Put each participant into one")
        if self.randomisation.unit is AssignmentUnit.CLUSTER and not members:
            raise ValueError("randomisation.unit is cluster, and there are no clusters. Say there who is in which")

    @property
    def problem_refs(self) -> tuple[str, ...]:
        """Every problem, practice included, as `pack/id`."""
        return (*(task.problem for task in self.problems), *((self.practice,) if self.practice else ()))

    @property
    def people_conditions(self) -> tuple[Condition, ...]:
        """Conditions under which participants work."""
        return tuple(condition for condition in self.conditions if condition.solver.is_person)

    @property
    def forecast_fields(self) -> tuple[str, ...]:
        """Parts of a blind forecast that are required: fields of `Forecast`."""
        solvers = {condition.solver for condition in self.people_conditions}
        minutes = [
            field
            for field, with_ai in (
                ("minutes_without_ai", {Solver.HUMAN}),
                ("minutes_with_ai", {Solver.HUMAN_COPILOT, Solver.HUMAN_AGENT}),
            )
            if with_ai & solvers
        ]
        field_groups = [
            minutes if forecast is ForecastKind.MINUTES else [forecast.value] for forecast in self.forecasts
        ]
        return tuple(field for fields in field_groups for field in fields)

    def condition(self, condition_name: str) -> Condition:
        """The condition of this name.

        Raises:
            KeyError: No condition has this name.
        """
        for condition in self.conditions:
            if condition.name == condition_name:
                return condition
        raise KeyError(condition_name)

    def problems_of(self, condition: Condition) -> tuple[str, ...]:
        """Problems that are asked under a condition, practice left out, in the study's order."""
        return tuple(
            task.problem for task in self.problems if not condition.problems or task.problem in condition.problems
        )

    def time_limit_s(self, problem: str) -> float | None:
        """Active time for a problem, in seconds."""
        own_minutes = next((task.time_minutes for task in self.problems if task.problem == problem), None)
        minutes = own_minutes if own_minutes is not None else self.limits.time_minutes
        return None if minutes is None else minutes * 60

    @property
    def expected_answer_by_question(self) -> Mapping[str, str | int | float | bool]:
        """Expected answers by the question's id."""
        return {question.id: question.expect for question in self.questionnaire if question.expect is not None}


def _refuse_repeated_name(field: str, names: tuple[str, ...] | list[str]) -> None:
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise ValueError(f"{field} has {twice} twice. Remove one")
