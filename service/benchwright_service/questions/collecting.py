"""All that collects questions, opened together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from benchwright_foundation.database import Database
from benchwright_problems.storage.store import Store
from benchwright_service.questions.exam_readings import ExamReadings
from benchwright_service.questions.notices import Notices
from benchwright_service.questions.pictures import PictureReader
from benchwright_service.questions.publishing import Publishing
from benchwright_service.questions.question_statistics import QuestionStatistics
from benchwright_service.questions.reviewing import Reviews
from benchwright_service.questions.takedowns import Takedowns
from benchwright_service.questions.trying import ModelTries, QuestionModels
from benchwright_service.questions.unfinished import UnfinishedQuestions
from benchwright_service.questions.writing import Questions


@dataclass(frozen=True)
class QuestionCollecting:
    """Parts of collecting questions that pages call."""

    questions: Questions
    unfinished: UnfinishedQuestions
    exams: ExamReadings
    tries: ModelTries
    reviews: Reviews
    statistics: QuestionStatistics
    publishing: Publishing
    takedowns: Takedowns
    notices: Notices
    pictures: PictureReader

    @classmethod
    def from_database(cls, database: Database, store: Store, models: QuestionModels | None) -> Self:
        """The parts over an open database; `tries` and `exams` have to be closed in the end.

        Args:
            database: Database of the service.
            store: Gets the packs.
            models: Models on which questions are tried.

        Raises:
            ConfigurationError: The variable of a model's key is not set.
        """
        questions, takedowns = Questions(database), Takedowns(database)
        unfinished = UnfinishedQuestions(database)
        return cls(
            questions,
            unfinished,
            ExamReadings(unfinished),
            ModelTries(database, models),
            Reviews(database),
            QuestionStatistics(database),
            Publishing(database, questions, takedowns, store),
            takedowns,
            Notices(database),
            PictureReader(),
        )
