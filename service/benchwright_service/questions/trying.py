"""Models that answer a question while it is written: what they say, and how many are wrong."""

from __future__ import annotations

import asyncio
import logging
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError
from sqlalchemy import delete, insert, select, update

from benchwright_authoring.answers_of_models import ask_model
from benchwright_foundation.database import Database
from benchwright_foundation.model import Model
from benchwright_judges.models.budget import JudgingBudget, OutOfBudgetError
from benchwright_judges.models.model_settings import ModelSettings
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.figures import DAY_S, read_pictures_by_digest
from benchwright_service.questions.tables import QUESTIONS, TRIES
from benchwright_service.questions.writing import CHANGEABLE, QuestionState, VersionedQuestion, require_open_call

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import ModelEndpoint

TRIES_PER_DAY = 10
"""Largest number of versions that one person may try within a day, so that nobody tunes a question to one model."""
_LOST_S = 900.0
"""After this long a model that has not answered never will: the service was restarted meanwhile."""


class QuestionModel(ModelSettings):
    """One of them."""

    images: bool = False
    """True if its endpoint takes pictures; without, it is not asked about questions that show some."""


class QuestionModels(Model):
    """The models that questions are tried on, and what they may cost."""

    model: Annotated[tuple[QuestionModel, ...], Field(min_length=1, max_length=8)]
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    """For all tries until the service ends; no limit if not given."""


def read_question_models(file: Path) -> QuestionModels:
    """Reads a file with a `[[model]]` for each, with the fields of a judge in `judges.toml`.

    Raises:
        BenchServiceError: The file can't be read, or a field is wrong.
    """
    try:
        models = QuestionModels.model_validate(tomllib.loads(file.read_text("utf-8")))
    except OSError as error:
        raise BenchServiceError(f"{file} can't be read: {error.strerror}") from error
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first_error["loc"]))
        raise BenchServiceError(f"{file}: field {field}: {first_error['msg'].removeprefix('Value error, ')}") from None
    except ValueError as error:
        raise BenchServiceError(f"{file} is not TOML: {error}") from error
    names = [model.name for model in models.model]
    if len(set(names)) < len(names):
        raise BenchServiceError(f"{file}: two models have the same name")
    return models


@dataclass(frozen=True)
class ModelTry:
    """Answer of one model to a version."""

    model: str
    said: str | None
    """None until it has answered."""
    answer: str
    """The letter, truth or words that fill the blank; empty if none can be read, and for answers in words."""
    is_right: bool | None
    """By rule; None until it has answered, and for answers in words."""
    why: str
    """Reason why there is no reply; empty if there is one."""
    is_lost: bool
    """True if no answer will come."""

    @property
    def is_waiting(self) -> bool:
        """True if an answer may still come."""
        return self.said is None and not self.why and not self.is_lost


class ModelTries:
    """Asks models.

    Args:
        database: Database of the service.
        models: Models to ask; None for none.
        clock: Seconds since 1970.

    Raises:
        ConfigurationError: The variable of a model's key is not set.
    """

    def __init__(
        self, database: Database, models: QuestionModels | None, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._now = clock
        self._budget = JudgingBudget(models.budget_usd if models is not None else None)
        self._endpoints = _model_endpoints(models)
        self._sees = {model.name for model in models.model if model.images} if models is not None else set()
        self._going: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Ends what models are asked now."""
        for task in self._going:
            task.cancel()
        await asyncio.gather(*self._going, return_exceptions=True)
        for endpoint in self._endpoints:
            await endpoint.close()

    @property
    def models(self) -> Sequence[str]:
        """Their names."""
        return [endpoint.settings.name for endpoint in self._endpoints]

    def askable_models(self, question: VersionedQuestion) -> Sequence[str]:
        """The names of those that can be asked about a question: those that see its figures, if it has some."""
        return [name for name in self.models if name in self._sees or not question.content.figures]

    async def begin_asking_models(self, course: str, question: VersionedQuestion) -> None:
        """Has every model answer the newest version, beside what else the service does; those that failed, again.

        Raises:
            BenchServiceError: No models are set, the version can't be tried now, or the author tried too many today.
        """
        if not self._endpoints:
            raise BenchServiceError("this service has no models to try questions on")
        if not self.askable_models(question):
            raise BenchServiceError("none of the models of this service takes pictures")
        current_time = self._now()
        condition = (TRIES.c.question == question.id) & (TRIES.c.number == question.number)
        today = (
            select(TRIES.c.question, TRIES.c.number)
            .join(QUESTIONS, QUESTIONS.c.id == TRIES.c.question)
            .where(QUESTIONS.c.author == question.author, TRIES.c.at > current_time - DAY_S)
            .distinct()
        )
        async with self._database.write_transaction() as connection:
            # Two windows of one author wait for each other here.
            lock = update(QUESTIONS).where(QUESTIONS.c.author == question.author).values(author=question.author)
            await connection.execute(lock)
            await require_open_call(connection, course, current_time)
            question_row = (await connection.execute(select(QUESTIONS).where(QUESTIONS.c.id == question.id))).one()
            if QuestionState(question_row.state) not in CHANGEABLE or question_row.number != question.number:
                raise BenchServiceError("this version can't be tried any more")
            failed_condition = condition & (
                (TRIES.c.why != "") | (TRIES.c.said.is_(None) & (TRIES.c.at < current_time - _LOST_S))
            )
            tried_versions = {tuple(row) for row in await connection.execute(today)}
            if (question.id, question.number) not in tried_versions and len(tried_versions) >= TRIES_PER_DAY:
                raise BenchServiceError(f"you tried {TRIES_PER_DAY} versions today; try this one tomorrow")
            await connection.execute(delete(TRIES).where(failed_condition))
            known_models = set((await connection.execute(select(TRIES.c.model).where(condition))).scalars())
            names = {*self.askable_models(question)} - known_models
            endpoints = [endpoint for endpoint in self._endpoints if endpoint.settings.name in names]
            try_rows = [
                {
                    "question": question.id,
                    "number": question.number,
                    "model": endpoint.settings.name,
                    "at": current_time,
                }
                for endpoint in endpoints
            ]
            for row in try_rows:
                await connection.execute(insert(TRIES).values(row | {"answer": "", "why": ""}))
        for endpoint in endpoints:
            task = asyncio.create_task(self._ask_model(endpoint, question, current_time))
            self._going.add(task)
            task.add_done_callback(self._going.discard)

    async def answers_of_models(self, question: VersionedQuestion) -> Sequence[ModelTry]:
        """Returns the answers of models to the newest version."""
        conditions = TRIES.c.question == question.id, TRIES.c.number == question.number
        async with self._database.read_transaction() as connection:
            rows = (await connection.execute(select(TRIES).where(*conditions).order_by(TRIES.c.model))).all()
        lost = self._now() - _LOST_S
        return [
            ModelTry(
                row.model,
                row.said,
                row.answer,
                question.content.is_right_by_rule(row.answer) if row.said is not None else None,
                row.why,
                row.said is None and not row.why and row.at < lost,
            )
            for row in rows
        ]

    async def _ask_model(self, endpoint: ModelEndpoint, question: VersionedQuestion, begin_time: float) -> None:
        try:
            values = await self._answer_values(endpoint, question)
        except Exception as error:
            # Its message may quote the question.
            logging.getLogger(__name__).warning("A model could not be asked: %s", type(error).__name__)
            values = {"said": None, "why": "the service failed"}
        conditions = TRIES.c.question == question.id, TRIES.c.number == question.number, TRIES.c.at == begin_time
        of_model = TRIES.c.model == endpoint.settings.name
        async with self._database.write_transaction() as connection:
            await connection.execute(update(TRIES).where(*conditions, of_model).values(values))

    async def _answer_values(self, endpoint: ModelEndpoint, question: VersionedQuestion) -> dict[str, Any]:
        async with self._database.read_transaction() as connection:
            pictures = await read_pictures_by_digest(connection, {question.id: question.content})
        problem = await asyncio.to_thread(question.content.as_problem, pictures)
        try:
            model_answer = await ask_model(endpoint, problem, self._budget)
        except OutOfBudgetError:
            return {"said": None, "why": "the budget of this service for models is spent"}
        return {"said": model_answer.reply, "why": model_answer.error, "answer": model_answer.answer}


def _model_endpoints(models: QuestionModels | None) -> Sequence[ModelEndpoint]:
    if models is None:
        return ()
    # The client library takes most of a second to import.
    from benchwright_judges.models.endpoint import ModelEndpoint

    return [ModelEndpoint(settings) for settings in models.model]
