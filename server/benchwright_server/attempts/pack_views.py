"""Views of packs, problems and questions."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_attempts.attempts import Attempts, ProblemRecord
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.grading.grading import ANSWER, judged_paths
from benchwright_attempts.standing import AttemptView, summary_view
from benchwright_foundation.home import Home
from benchwright_judges.score import read_selection, selectable_values
from benchwright_problems.problem import Problem, Question
from benchwright_problems.storage.store import Store
from benchwright_server.attempts.assistance_rule_text import statement_with_assistance_rule
from benchwright_server.attempts.session import EditorSession, quality_lines, standing_view
from benchwright_server.attempts.solutions import ShownSolution, author_solution_to_show, solutions_best_first
from benchwright_server.protocol.messages import (
    BestSolution,
    Choice,
    LanguageVariant,
    PackList,
    PackSummary,
    PastAttempt,
    ProblemPage,
    ProblemSummary,
    QuestionView,
    ReferenceFile,
)


def pack_list(store: Store, attempts: Attempts, views_by_open_attempt_id: Mapping[str, AttemptView]) -> PackList:
    """All packs, with this user's record on each problem; assignments first, by their due dates. Blocks on the disk.

    Args:
        store: Has the packs.
        attempts: This user's.
        views_by_open_attempt_id: Attempt → its standing, of those that are open here.
    """
    records = attempts.person_records_outside_studies(views_by_open_attempt_id)
    packs = []
    for name in store.pack_names():
        assignment = store.assignment_if_any(name)
        if assignment is not None and assignment.study:
            continue
        pack = store.public_pack(name)
        problem_summaries = [_problem_summary(name, problem, records) for problem in pack.problems]
        packs.append(
            PackSummary(
                name=name,
                title=pack.title,
                version=pack.version,
                license=pack.license,
                problems=problem_summaries,
                service=assignment.service if assignment is not None else "",
                due=assignment.due.isoformat() if assignment is not None and assignment.due is not None else None,
                assistance=assignment.assistance.rule_and_check_notice
                if assignment is not None and assignment.assistance is not None
                else None,
            )
        )
    packs.sort(key=lambda pack: (not pack.service, pack.due is None, pack.due))
    return PackList(packs=packs)


def other_language_variants(store: Store, problem_ref: str, question: Question) -> list[LanguageVariant]:
    """The problems that are the same question in another language. Blocks on the disk."""
    if not question.group:
        return []
    pack = problem_ref.partition("/")[0]
    return [
        LanguageVariant(problem=f"{pack}/{problem.id}", language=variant.language)
        for problem in store.public_pack(pack).problems
        if (variant := problem.public.question) is not None
        and variant.group == question.group
        and variant.language != question.language
    ]


def question_view(session: EditorSession, question: Question, language_variants: list[LanguageVariant]) -> QuestionView:
    """The view of a question for an answer form, and the current selection."""
    texts = {choice.letter: choice.text for choice in question.choices}
    choice_views = [
        Choice(value=value, text=texts.get(value, value.capitalize())) for value in selectable_values(question)
    ]
    text = (session.workspace.read(ANSWER) or b"").decode("utf-8", "replace")
    return QuestionView(
        title=session.problem.title,
        format=question.format.value,
        question=statement_with_assistance_rule(session.problem.public.statement, session.terms.assistance),
        choices=choice_views,
        answer=(session.workspace.folder / ANSWER).as_uri(),
        selected=read_selection(question, text),
        draft=session.draft,
        language=question.language,
        languages=language_variants,
        scored_on_save=session.is_scored_on_save,
    )


def _problem_summary(
    pack_name: str, problem: Problem, records_by_problem_ref: dict[str, ProblemRecord]
) -> ProblemSummary:
    problem_record = records_by_problem_ref.get(f"{pack_name}/{problem.id}", ProblemRecord())
    question = problem.public.question
    if problem.category is not None:
        category, category_name = problem.category.value, problem.category.label
    else:
        category = question.format.value if question else problem.kind.value
        category_name = category.capitalize()
    return ProblemSummary(
        ref=f"{pack_name}/{problem.id}",
        id=problem.id,
        title=problem.title,
        kind=problem.kind.value,
        category=category,
        category_name=category_name.replace("-", " "),
        difficulty=problem.difficulty.value,
        state=problem_record.view.standing,
        sign=problem_record.view.sign,
        run=problem_record.view.run,
        best_time_s=problem_record.best_active_s,
        passed_with_agent=problem_record.has_passed_only_with_agent,
        attempts=problem_record.attempts,
        has_unfinished=problem_record.has_unfinished_attempt,
    )


def problem_page(
    home: Home,
    store: Store,
    attempts: Attempts,
    views_by_open_attempt_id: Mapping[str, AttemptView],
    problem_ref: str,
    *,
    is_in_open_study: bool,
) -> ProblemPage:
    """Everything that this user may see of a problem without opening it. Blocks on the disk.

    Args:
        home: Home with the verdicts.
        store: Has the packs.
        attempts: This user's.
        views_by_open_attempt_id: Attempt → its standing, of those that are open here.
        problem_ref: `pack/id`.
        is_in_open_study: True if a study will ask the problem: then nothing hidden is shown.

    Raises:
        UnknownProblemError: No pack has such a problem.
    """
    problem = store.problem(problem_ref)
    public = problem.public
    assignment = store.assignment_if_any(problem_ref.partition("/")[0])
    assistance = assignment.assistance if assignment is not None else None
    summaries = attempts.person_summaries_outside_studies(problem_ref)
    solutions = solutions_best_first(home, problem, summaries)
    author_solution = (
        ShownSolution()
        if is_in_open_study
        else author_solution_to_show(store, problem_ref, problem, solutions, summaries)
    )
    past_attempts = [
        PastAttempt(
            attempt=header.id,
            view=standing_view(views_by_open_attempt_id.get(header.id) or summary_view(summary)),
            begun=header.created.isoformat(),
            active_s=summary.clock.active_s if summary.has_clock else None,
            runs=summary.verdicts.count,
            ended=summary.state.ended,
            has_texts=header.recording is Recording.FULL,
        )
        for header, summary in summaries
    ]
    statement = statement_with_assistance_rule(public.statement, assistance).removeprefix(f"# {problem.title}\n")
    return ProblemPage(
        statement=statement,
        expected=list(judged_paths(problem)),
        attempts=past_attempts,
        solutions=len(solutions),
        best=BestSolution(attempt=solutions[0].header.id, quality=quality_lines(solutions[0].quality))
        if solutions
        else None,
        reference=[ReferenceFile(path=path, text=text) for path, text in author_solution.reference.items()]
        if author_solution.reference is not None
        else None,
        explanation=author_solution.explanation or None,
    )
