"""The reporting checklist for human baselines, filled from a study's file and log.

Topics and numbers are those of K. L. Wei et al., "Position: Human baselines in model evaluations need rigor and
transparency (with recommendations & reporting checklist)", ICML 2025, arXiv:2506.13776.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import exclusion_count_by_words, rule_sentence
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import counted
from benchwright_attempts.errors import StudyError
from benchwright_foundation.distribution import version
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.vocabulary import ExclusionCriterion, QuestionKind

_SECTIONS: Mapping[str, str] = {
    "0": "The evaluation",
    "1": "Design",
    "2": "Recruitment",
    "3": "Execution",
    "4": "Analysis",
    "5": "Documentation",
}
_NOTES = "--notes"
"""Where to say what neither a study file nor a log can know."""


@dataclass(frozen=True)
class ChecklistItem:
    """One thing that readers of a human baseline ask."""

    number: str
    """As in the paper."""
    topic: str
    answer: str
    """Empty if nothing says it."""
    source: str
    """A field of the study file, `log`, `program` (it is so in every study of Benchwright) or `--notes`. Of an empty \
item, where to say it."""

    @property
    def section(self) -> str:
        """The heading that it is shown below."""
        return _SECTIONS[self.number[0]]


def checklist_items(
    data: Dataset, note_by_item_number: Mapping[str, str], *, pilot_people_count: int
) -> list[ChecklistItem]:
    """All items, in the paper's order.

    Args:
        data: Attempts of a study and models' at its problems.
        note_by_item_number: What the lab says, by number of the item; it goes before everything else.
        pilot_people_count: People who finished the study's pilot.

    Raises:
        StudyError: A note is for an item that does not exist.
    """
    study = data.study
    if study is None:
        raise StudyError("A reporting checklist is about a study.")
    listed_items = [
        *_evaluation_items(data, study),
        *_design_items(data, study, pilot_people_count),
        *_recruitment_items(data, study),
        *_execution_items(data, study),
        *_analysis_items(data),
        *_documentation_items(data, study),
    ]
    numbers = [listed_item.number for listed_item in listed_items]
    if unknown := [number for number in note_by_item_number if number not in numbers]:
        raise StudyError(f"There is no item {unknown[0]}. The notes may have: {', '.join(numbers)}.")
    return [
        ChecklistItem(listed_item.number, listed_item.topic, note_by_item_number[listed_item.number], _NOTES)
        if listed_item.number in note_by_item_number
        else listed_item
        for listed_item in listed_items
    ]


def read_notes(file: Path) -> dict[str, str]:
    """Reads the lab's notes: YAML, `"number": text`.

    Raises:
        StudyError: The file can't be read, or is no list of notes.
    """
    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise StudyError(f"{file} can't be read as YAML: {error}") from error
    if not isinstance(value, dict) or not all(isinstance(note, str) for note in value.values()):
        raise StudyError(
            f'{file} is no list of notes. Write each as "2.3.2": text, with the number in quotation marks.'
        )
    return {str(number): note for number, note in value.items()}


def checklist_markdown(title: str, listed_items: Sequence[ChecklistItem]) -> str:
    """The checklist as a page."""
    unanswered_items = [listed_item.number for listed_item in listed_items if not listed_item.answer]
    lines = [
        f"# {title}: reporting checklist",
        "",
        "Items and numbers follow the reporting checklist of Wei et al., *Human Baselines in Model Evaluations Need "
        "Rigor and Transparency*, ICML 2025, [arXiv:2506.13776](https://arxiv.org/abs/2506.13776), in our own words. "
        f"Filled in by Benchwright {version()} from the study file and the log.",
        "",
        f"{len(listed_items) - len(unanswered_items)} of {len(listed_items)} items have an answer. "
        + (f"Empty: {', '.join(unanswered_items)}." if unanswered_items else "None is empty."),
    ]
    section = ""
    for listed_item in listed_items:
        if listed_item.section != section:
            section = listed_item.section
            lines += ["", f"## {section}", "", "| item | | answer | from |", "| --- | --- | --- | --- |"]
        answer = " ".join(listed_item.answer.split()).replace("|", "\\|") or "**empty**"
        source = listed_item.source if listed_item.answer else f"say it in {_source_markdown(listed_item.source)}"
        lines.append(f"| {listed_item.number} | {listed_item.topic} | {answer} | {source} |")
    return "\n".join(lines) + "\n"


def _source_markdown(source: str) -> str:
    return source if source == _NOTES else f"`{source}`"


def _study_people_observations(data: Dataset) -> list[Observation]:
    return [row for row in data.observations if row.is_person and row.study and not row.practice]


def _program_observations(data: Dataset) -> list[Observation]:
    return [row for row in data.observations if not row.is_person]


def _range_text(counts: Sequence[int]) -> str:
    if not counts:
        return ""
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _yes_no_or_empty(answer: bool | None) -> str:
    return "" if answer is None else "yes" if answer else "no"


def _evaluation_items(data: Dataset, study: Study) -> Iterator[ChecklistItem]:
    model_observations = _program_observations(data)
    kinds = Counter(facts.kind or "unknown" for ref, facts in data.problem_facts.items() if ref in study.problem_refs)
    kinds_text = ", ".join(f"{amount} {kind}" for kind, amount in kinds.items())
    yield ChecklistItem("0.5", "kind of evaluation", f"capabilities: {kinds_text} problems of hardware design", "log")
    yield ChecklistItem("0.6", "mode", "text: statements, source files, answers", "program")
    packs = ", ".join(sorted({ref.partition("/")[0] for ref in study.problem_refs}))
    yield ChecklistItem("0.8", "items of the whole data set", "", _NOTES)
    tried = len({row.problem for row in model_observations})
    yield ChecklistItem(
        "0.9", "items that models were asked", f"{tried} of {packs}" if model_observations else "no model", "log"
    )
    samples = _range_text(list(Counter((row.group, row.problem) for row in model_observations).values()))
    yield ChecklistItem("0.10", "samples of a model for each item", samples or "no model", "log")


def _design_items(data: Dataset, study: Study, pilot_people_count: int) -> Iterator[ChecklistItem]:
    people = _study_people_observations(data)
    names = {row.participant for row in people}
    yield ChecklistItem("1.1", "people", f"{len(names)} of {len(study.pseudonyms)} planned have made an attempt", "log")
    yield ChecklistItem("1.2", "items that people were asked", counted(len(study.problems), "problem"), "problems")
    yield ChecklistItem("1.2.1", "how these items were chosen", study.problem_choice, "problem_choice")
    yield ChecklistItem(
        "1.3",
        "people's answers to each item",
        _range_text(list(Counter(row.problem for row in people).values())),
        "log",
    )
    yield ChecklistItem(
        "1.4", "items of each person", _range_text(list(Counter(row.participant for row in people).values())), "log"
    )
    adjusted = (
        "People and models get the same statement and files, and the same hidden tests or key decides; people work in "
        "an editor, models get a prompt or tools."
    )
    yield ChecklistItem(
        "1.5", "made for people and models alike", adjusted if _program_observations(data) else "no model", "program"
    )
    pilot = (
        f"pilot of {counted(pilot_people_count, 'person', 'people')} by the same rules" if pilot_people_count else ""
    )
    yield ChecklistItem("1.6", "pilot or other trial of the design", pilot, _NOTES if not pilot else "log")
    yield ChecklistItem("1.7", "effort of people and models", _effort_limits_text(study), "limits")
    yield ChecklistItem("1.8", "power analysis before the study", "", _NOTES)
    yield ChecklistItem("1.8.1", "smallest effect to detect, and power", "", _NOTES)
    yield ChecklistItem("1.9", "ethics review", study.ethics.text if study.ethics else "", "ethics")
    registration = data.registration
    registered = (
        f"yes, {registration.date[:10]}, digest {registration.digest}; deviations: "
        f"{' '.join(registration.deviations) or 'none'}"
        if registration is not None
        else "no"
    )
    yield ChecklistItem("1.10", "preregistration", registered, "log")


def _effort_limits_text(study: Study) -> str:
    minutes = sorted({limit_s / 60 for task in study.problems if (limit_s := study.time_limit_s(task.problem))})
    time_text = f"active time of a task: {', '.join(f'{limit:g}' for limit in minutes)} minutes" if minutes else ""
    run_limit_text = f"{study.limits.runs} runs of the hidden tests" if study.limits.runs else ""
    limits = "; ".join(filter(None, (time_text, run_limit_text)))
    return f"the same limits for people, models and agents ({limits})" if limits else "no limits"


def _recruitment_items(data: Dataset, study: Study) -> Iterator[ChecklistItem]:
    population, recruitment, pay = study.population, study.recruitment, study.pay
    yield ChecklistItem(
        "2.1", "people that the results are for", population.who if population else "", "population.who"
    )
    criteria = ", ".join(population.criteria) if population else ""
    yield ChecklistItem("2.1.1", "what delimits them", criteria, "population.criteria")
    sampling = recruitment.sampling.value if recruitment and recruitment.sampling else ""
    where = recruitment.where if recruitment else ""
    yield ChecklistItem("2.2", "sampling", ": ".join(filter(None, (sampling, where))), "recruitment.sampling")
    screening = recruitment.screening if recruitment else ()
    admission = "; ".join(
        f"{question.ask}{'' if question.expect is None else f' (admits: {question.expect})'}" for question in screening
    )
    yield ChecklistItem("2.3", "quality control of recruitment", "yes" if screening else "", "recruitment.screening")
    yield ChecklistItem("2.3.1", "what admits", admission, "recruitment.screening")
    yield ChecklistItem("2.3.2", "how many were not admitted", "", _NOTES)
    team = _yes_no_or_empty(recruitment.has_team_members if recruitment else None)
    yield ChecklistItem("2.4", "members of the team took part", team, "recruitment.has_team_members")
    yield ChecklistItem("2.5", "people who knew the items", _prior_exposure_text(data, study), "log")
    practice = f"yes: {study.practice}, not analysed" if study.practice else "no"
    yield ChecklistItem("2.6", "training", practice, "practice")
    yield ChecklistItem(
        "2.6.1", "kind of training", "one problem in the study's own editor" if study.practice else "none", "practice"
    )
    practice_pay = (pay.practice if pay else "") if study.practice else "no training"
    yield ChecklistItem("2.6.2", "pay for training", practice_pay, "pay.practice")
    yield ChecklistItem("2.7", "pay", pay.amount if pay else "", "pay.amount")
    yield ChecklistItem("2.7.2", "bonus", pay.bonus if pay else "", "pay.bonus")
    yield ChecklistItem("2.7.3", "differences of pay", pay.differences if pay else "", "pay.differences")


def _prior_exposure_text(data: Dataset, study: Study) -> str:
    rules = [rule for rule in study.exclusions if rule.when is ExclusionCriterion.PRIOR_EXPOSURE]
    exposures = Counter(row.prior_exposure for row in _study_people_observations(data) if row.prior_exposure)
    told = ", ".join(f"{exposure} {amount}" for exposure, amount in exposures.items())
    asked = f"asked of each problem ({told})" if told else "nobody was asked"
    return f"{asked}; rules: {', '.join(map(rule_sentence, rules)) or 'none'}"


def _execution_items(data: Dataset, study: Study) -> Iterator[ChecklistItem]:
    people, model_observations = _study_people_observations(data), _program_observations(data)
    task_count_text = counted(len(study.problems), "task")
    yield ChecklistItem(
        "3.1", "items in a session", f"{task_count_text} in all; people may pause and close between them", "log"
    )
    yield ChecklistItem("3.1.1", "order of the items", f"{study.randomisation.order.value}, by lot", "randomisation")
    checks = counted(len(study.expected_answer_by_question), "attention check")
    rules = ", ".join(map(rule_sentence, study.exclusions)) or "no rules"
    yield ChecklistItem("3.2", "quality control of execution", f"{checks}; {rules}", "exclusions")
    reasons = exclusion_count_by_words(people)
    left_out = ", ".join(f"{reason} {amount}" for reason, amount in reasons.items()) or "none"
    excluded = sum(not row.is_analysed for row in people)
    yield ChecklistItem("3.2.2", "attempts left out", f"{excluded} of {len(people)} ({left_out})", "log")
    solvers = ", ".join(sorted({row.solver for row in model_observations}))
    interface = f"people: editor with language server; {solvers}: text or tools, without the editor"
    yield ChecklistItem("3.3", "same interface", interface if model_observations else "no model", "program")
    prompts = ", ".join(sorted({row.prompts for row in model_observations if row.prompts}))
    wording = f"the same statement; models also get prompts ({prompts or 'not recorded'})"
    yield ChecklistItem("3.4", "same instructions", wording if model_observations else "no model", "log")
    tools = "; ".join(
        f"{condition.name}: {condition.solver.value}"
        + (f" with {', '.join(condition.assistants)}" if condition.assistants else "")
        for condition in study.conditions
    )
    yield ChecklistItem("3.5", "tools", tools, "conditions")
    violations = sum(row.violations > 0 for row in people)
    watched = f"editor and edits are recorded, violations flagged: in {violations} of {len(people)} attempts"
    yield ChecklistItem("3.5.1", "enforcement", f"{watched}; what happens outside the editor is not seen", "log")
    free_text_count = sum(question.kind is QuestionKind.TEXT for question in study.questionnaire)
    explanations = (
        f"{counted(free_text_count, 'question')} with free answers at the end" if free_text_count else "not asked"
    )
    yield ChecklistItem("3.6", "explanations by people", explanations, "questionnaire")


def _analysis_items(data: Dataset) -> Iterator[ChecklistItem]:
    has_several_groups = len(data.groups) > 1
    test = "differences with p-values, Holm's correction over all pairs (report, section `success`)"
    yield ChecklistItem(
        "4.1", "test of differences", test if has_several_groups else "one group: nothing is compared", "program"
    )
    yield ChecklistItem(
        "4.2", "uncertainty", "95 % intervals over people and problems, of models over problems", "program"
    )
    yield ChecklistItem("4.2.1", "kind of estimate", "points with intervals; each attempt is in the package", "program")
    metric = "yes: solved, score and active time are worked out alike for all"
    yield ChecklistItem("4.3", "same metric for people and models", metric, "program")
    yield ChecklistItem("4.4", "same criteria", "yes: the same hidden tests, key or rubric", "program")
    methods = ", ".join(sorted({row.judge_method or "hidden tests" for row in data.observations}))
    yield ChecklistItem("4.5", "same way of scoring", f"yes: {methods}", "log")
    robust = "by intention to treat and per protocol, side by side (report, section `populations`)"
    yield ChecklistItem("4.6", "robust to exclusions", robust, "program")


def _documentation_items(data: Dataset, study: Study) -> Iterator[ChecklistItem]:
    people = _study_people_observations(data)
    asked = "; ".join(question.ask for question in study.questionnaire if question.expect is None)
    yield ChecklistItem("5.1.1", "who the people were", "", f"{_NOTES} (asked: {asked})" if asked else _NOTES)
    instructions = "statements in the packs; the study file has all that people are told"
    yield ChecklistItem("5.1.2", "instructions", instructions, "program")
    timed = sum(row.time_s is not None for row in people)
    yield ChecklistItem("5.1.3", "time to completion", f"`time_s` of {timed} of {len(people)} attempts", "log")
    yield ChecklistItem("5.1.4", "versions of AI tools", _ai_tools_text(data, study), "log")
    finished = Counter(row.participant for row in people if row.state in ("submitted", "timed_out", "abandoned"))
    complete = sum(amount >= len(study.problems) for amount in finished.values())
    begun = len({row.participant for row in people})
    yield ChecklistItem("5.1.5", "completion", f"{complete} of {begun} who began have ended every task", "log")
    yield ChecklistItem("5.2", "where the data are published", "", _NOTES)
    yield ChecklistItem("5.2.1", "data of each person", "yes, under a new pseudonym, in the package", "program")
    yield ChecklistItem("5.3", "where the materials are published", "", _NOTES)
    code = f"Benchwright {version()}, Apache-2.0; the registration has the digest of the analysis"
    yield ChecklistItem("5.4", "code of the analysis", code, "program")


def _ai_tools_text(data: Dataset, study: Study) -> str:
    names = [
        f"{condition.name}: {condition.subject.name} {condition.subject.version or '(version not fixed)'}"
        for condition in study.conditions
        if condition.subject is not None
    ]
    models = sorted({row.model for row in data.observations if row.model})
    return "; ".join([*names, *models]) or "no AI tool was allowed or recorded"
