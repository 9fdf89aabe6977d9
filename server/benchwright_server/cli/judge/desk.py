"""`benchwright judge desk`: grading for an editor's view, one JSON object a line over standard input and output.

Answer keys go to a grader, never to a solver: this is a program of its own, so that nothing of it passes through the
language server, whose messages a solver's editor may keep.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from benchwright_foundation.errors import explain_missing_extra
from benchwright_judges.errors import GradingError
from benchwright_problems.problem import Figure
from benchwright_server.cli.judge.grading import opened_grading, record_judgement_if_newest
from benchwright_server.cli.terminal.output import exit_on_expected_error
from benchwright_server.protocol.grading import (
    AnswerToGrade,
    GradeGiven,
    GradeRefused,
    GradeSkipped,
    GradingDone,
    GradingPicture,
)

if TYPE_CHECKING:
    # The database library takes a third of a second to import: every command would pay for this one.
    from benchwright_judges.people.human_grading import GradableAnswer, HumanGrading
    from benchwright_judges.records.records import Records

_SAID: TypeAdapter[GradeGiven | GradeSkipped] = TypeAdapter(GradeGiven | GradeSkipped)


def desk(
    grader: Annotated[str, typer.Option(help="The pseudonym under which grades are recorded.")],
    includes_judged: Annotated[bool, typer.Option("--all", help="Also answers that models have judged.")] = False,
) -> None:
    """Serve an editor's grading view over standard input and output."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge desk`", "judges"):
        asyncio.run(_serve_grading_view(grader, includes_judged))


async def _serve_grading_view(grader_pseudonym: str, includes_judged: bool) -> None:
    async with opened_grading(graders_per_answer=2, includes_judged=includes_judged) as (grading, records):
        graded_count = 0
        skipped: set[str] = set()
        while True:
            grading_items = await grading.gradable_answers(grader_pseudonym)
            waiting_items = [item for item in grading_items if item.id not in skipped] or grading_items
            if not waiting_items:
                _write_message(GradingDone(type="done", graded=graded_count))
                return
            _write_message(_answer_message(waiting_items[0], len(grading_items)))
            grade_reply = await _record_next_grade_or_skip(grading, records, grader_pseudonym)
            if grade_reply is None:
                return
            if isinstance(grade_reply, GradeGiven):
                graded_count += 1
            elif len(waiting_items) > 1:
                skipped.add(waiting_items[0].id)
            else:
                skipped.clear()


async def _record_next_grade_or_skip(
    grading: HumanGrading, records: Records, grader_pseudonym: str
) -> GradeGiven | GradeSkipped | None:
    """The grade or skip that the person gives, recorded when this returns; None if the editor has gone."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            grade_reply = _SAID.validate_json(line)
            if isinstance(grade_reply, GradeGiven):
                judgement = await grading.store_grade_and_judgement_if_decided(
                    grade_reply.id, grader_pseudonym, grade_reply.label, grade_reply.difficulty, grade_reply.comment
                )
                await record_judgement_if_newest(records, grade_reply.id, judgement)
            return grade_reply
        except ValidationError:
            _write_message(
                GradeRefused(
                    type="refused",
                    reason="That is not a grade. Close this page and open it again.",
                )
            )
        except GradingError as error:
            _write_message(GradeRefused(type="refused", reason=f"{error}."))
    return None


def _answer_message(grading_item: GradableAnswer, left_count: int) -> AnswerToGrade:
    problem, key = grading_item.problem, grading_item.problem.hidden.answer
    question = problem.public.question
    pictures = (*problem.public.figures, *(key.figures if key else ()))
    return AnswerToGrade(
        type="answer",
        id=grading_item.id,
        title=problem.title,
        language=question.language if question else "en",
        question=problem.public.statement,
        reference="\n\n".join((key.value, *key.alternatives)) if key else "",
        notes=_joined_notes(key.rubric, key.explanation) if key else "",
        guidance=grading_item.rubric.prompt,
        answer=grading_item.answer,
        labels=grading_item.rubric.scale.labels,
        pictures=tuple(_picture_message(figure) for figure in pictures),
        left=left_count,
    )


def _picture_message(figure: Figure) -> GradingPicture:
    return GradingPicture(path=figure.path, media_type=figure.media_type.value, data=figure.data)


def _joined_notes(*note_parts: str) -> str:
    return "\n\n".join(filter(None, note_parts))


def _write_message(desk_message: AnswerToGrade | GradingDone | GradeRefused) -> None:
    sys.stdout.write(desk_message.model_dump_json(by_alias=True) + "\n")
    sys.stdout.flush()
