"""Models that answer a question while somebody writes it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from benchwright_server.errors import ServerError
from benchwright_server.features.authoring.question_form import question_folder_or_error
from benchwright_server.features.editor.run_progress import cancellable_progress
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.authoring import AuthoredParams
from benchwright_server.protocol.question_form import ModelReply, QuestionModels, TriedQuestion, TryQuestionParams

if TYPE_CHECKING:
    from benchwright_problems.problem import Problem
    from benchwright_server.editor_server import EditorServer

_MOST_MODELS = 8


def register_question_tries(server: EditorServer) -> None:
    """Serves it; a part of the feature `authoring`."""
    for operation in QUESTION_TRY_OPERATIONS:
        register_operation(server, operation, lambda: server)


async def _configured_models_unless_offline(server: EditorServer, params: AuthoredParams) -> QuestionModels:
    from benchwright_judges.models.configuration import read_settings

    settings = await asyncio.to_thread(read_settings)
    return QuestionModels(models=[] if settings.offline else [model.name for model in settings.models])


async def _answer_question_by_models(server: EditorServer, params: TryQuestionParams) -> TriedQuestion:
    from benchwright_judges.models.budget import OutOfBudgetError

    problem = await asyncio.to_thread(_read_problem, params)
    if not params.models or len(params.models) > _MOST_MODELS:
        raise ServerError(f"Choose from one to {_MOST_MODELS} models of judges.toml.")
    try:
        return await _ask_models(server, problem, list(dict.fromkeys(params.models)))
    except OutOfBudgetError as error:
        raise ServerError("The budget of judges.toml does not suffice. Choose fewer models, or raise it.") from error


def _read_problem(params: TryQuestionParams) -> Problem:
    from benchwright_problems.storage.pack_folder import read_pack_toml, read_problem

    folder = question_folder_or_error(params.uri)
    return read_problem(folder, read_pack_toml(folder.parent))


async def _ask_models(server: EditorServer, problem: Problem, model_names: list[str]) -> TriedQuestion:
    from benchwright_authoring.answers_of_models import ask_every_model
    from benchwright_server.authoring.model_endpoints import model_endpoints

    done_count, task = 0, asyncio.current_task()
    async with (
        cancellable_progress(server, f"Asking models about {problem.id}", lambda: task and task.cancel()) as report,
        model_endpoints(model_names, None) as (endpoints, spending),
    ):

        def advance() -> None:
            nonlocal done_count
            done_count += 1
            report(f"{done_count} of {len(model_names)} answers", round(100 * done_count / len(model_names)))

        tried_questions = await ask_every_model([problem], endpoints, spending, advance)
    return TriedQuestion(
        answers=[
            ModelReply(
                model=tried_question.model,
                said=tried_question.said or "",
                answer=tried_question.answer,
                is_right=tried_question.is_right,
                why=tried_question.why,
            )
            for tried_question in tried_questions
        ]
    )


QUESTION_TRY_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "questionModels",
        AuthoredParams,
        QuestionModels,
        "Names the models of `judges.toml` that a question can be tried on.",
        _configured_models_unless_offline,
    ),
    Operation(
        "tryQuestion",
        TryQuestionParams,
        TriedQuestion,
        "Has models answer a question of a pack's folder, without its key; cancelled by `$/cancelRequest` or progress.",
        _answer_question_by_models,
    ),
)
"""Every operation of it."""
