"""Documents about a study for people outside it, generated from its file: for candidates, ethics boards, who admits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_attempts.events.evidence import Recording
from benchwright_studies.plan.information import participant_information
from benchwright_studies.plan.study import Study
from benchwright_studies.plan.study_question import StudyQuestion
from benchwright_studies.plan.vocabulary import ForecastKind, QuestionKind

_RECORDED: Mapping[Recording, str] = {
    Recording.TIMING: (
        "when something is done, results of hidden tests, answers to forms, extensions and AI settings of the editor; "
        "no text and no file name of an edit"
    ),
    Recording.EDITS: (
        "when something is done, where and how much is edited, results of hidden tests, answers to forms, extensions "
        "and AI settings of the editor; none of the text that is written"
    ),
    Recording.FULL: (
        "when something is done, every change to the files of a task, results of hidden tests, answers to forms, "
        "extensions and AI settings of the editor; nothing outside a task's folder"
    ),
}
_ASKED: Mapping[ForecastKind, str] = {
    ForecastKind.MINUTES: "how long it takes",
    ForecastKind.DIFFICULTY: "how hard it is (1 to 5)",
    ForecastKind.PRIOR_EXPOSURE: "whether it was known before",
    ForecastKind.EXTERNAL_HELP: "whether anything outside the editor helped",
    ForecastKind.SUCCESS: "how probable it is to be right",
}


def study_documents(study: Study) -> dict[str, str]:
    """The documents, Markdown, by file name."""
    return {
        "recruitment.md": _recruitment_text(study),
        "consent.md": _consent_text(study),
        "screening.md": _screening_text(study),
    }


def _missing_field_note(field: str) -> str:
    return f"(`{field}` is not in the study file)"


def _recruitment_text(study: Study) -> str:
    organisers = study.organisers
    who = study.population.who if study.population is not None else _missing_field_note("population")
    opening = (
        f"{organisers.name} asks you to take part in a study, to {organisers.purpose}."
        if organisers is not None
        else _missing_field_note("organisers")
    )
    screened = (
        " Before you get a place, we ask you a few questions."
        if study.recruitment is not None and study.recruitment.screening
        else ""
    )
    practice = ", after one to practise" if study.practice is not None else ""
    drawn = " Which help you have is drawn by lot." if len(study.people_conditions) > 1 else ""
    lines = [
        f"# {study.title}",
        opening,
        f"**Who can take part.** We look for {who}.{screened}",
        f"**What you do.** You solve {len(study.problems)} problems of digital hardware design in an editor{practice}."
        f"{drawn}",
        *(sentence.text for sentence in participant_information(study)),
        *([f"**Pay.** {_missing_field_note('pay')}"] if study.pay is None else []),
        *([f"**Ethics review.** {_missing_field_note('ethics')}"] if study.ethics is None else []),
        "**Your choice.** Taking part is voluntary. You may stop at any time. Nothing is recorded before you agree.",
        f"**Contact.** {organisers.contact if organisers is not None else _missing_field_note('organisers')}",
    ]
    return "\n\n".join(lines) + "\n"


def _consent_text(study: Study) -> str:
    """What a participant reads and is asked, on one sheet."""
    consent = study.consent
    version = f", version {consent.version}" if consent is not None else ""
    forecasts = ", ".join(_ASKED[kind] for kind in study.forecasts) or "nothing"
    estimates = ", ".join(_ASKED[kind] for kind in study.self_estimates) or "nothing"
    lines = [
        f"# {study.title}: consent{version}",
        consent.text.strip() if consent is not None else _missing_field_note("consent"),
        "## What follows from the study file",
        "\n".join(
            [
                *(f"- {sentence.text}" for sentence in participant_information(study)),
                f"- Recorded: {_RECORDED[study.recording]}.",
            ]
        ),
        "## What is asked",
        f"- Before the conditions are drawn, of each problem: {forecasts}.\n- After each task: {estimates}.",
        "### At the end",
        _question_lines(study.questionnaire, with_admission=False),
    ]
    return "\n\n".join(lines) + "\n"


def _screening_text(study: Study) -> str:
    questions = study.recruitment.screening if study.recruitment is not None else ()
    lines = [
        f"# {study.title}: before somebody gets a place",
        "Ask this outside Benchwright, which records nothing before consent. Keep how many were asked, and how many "
        "got no place: readers of the results ask for it.",
        _question_lines(questions, with_admission=True) if questions else _missing_field_note("recruitment.screening"),
    ]
    return "\n\n".join(lines) + "\n"


def _question_lines(questions: Sequence[StudyQuestion], *, with_admission: bool) -> str:
    if not questions:
        return "Nothing."
    return "\n".join(
        f"{number}. {question.ask} ({_answer_form(question)})"
        + (
            f" — a place needs: {_expected_answer_text(question.expect)}"
            if with_admission and question.expect is not None
            else ""
        )
        for number, question in enumerate(questions, 1)
    )


def _answer_form(question: StudyQuestion) -> str:
    return ", ".join(question.choices) if question.kind is QuestionKind.CHOICE else question.kind.value


def _expected_answer_text(expected_answer: str | float | bool) -> str:
    return {True: "yes", False: "no"}[expected_answer] if isinstance(expected_answer, bool) else f"{expected_answer}"
