"""A model that is asked about an exam."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from benchwright_exams.errors import ExamError
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.kept_replies import ModelWithKeptReplies
from benchwright_problems.problem import Figure

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import ModelEndpoint


class ExamModel(ModelWithKeptReplies):
    """See `ModelWithKeptReplies`; its failures are `ExamError`s.

    Args:
        endpoint: Serves it.
        exam_folder: Gets a file for each reply.
        budget: Pays.
    """

    def __init__(self, endpoint: ModelEndpoint, exam_folder: Path, budget: JudgingBudget) -> None:
        super().__init__(endpoint, exam_folder, budget, "EXAM", ExamError)

    async def kept_or_new_object(
        self,
        instructions_kind: str,
        file_topic: str,
        request_text: str,
        reply_schema: dict[str, JsonValue],
        figures: Sequence[Figure] = (),
    ) -> dict[str, Any]:
        """The JSON object of a reply.

        Args:
            instructions_kind: Kind of instructions: `lines`, `figure` or `check`.
            file_topic: Subject of the request, for the name of the file.
            request_text: Hostile.
            reply_schema: JSON schema of the reply.
            figures: Shown with the text.

        Raises:
            OutOfBudgetError: The budget does not hold what the request may cost.
            ExamError: No usable reply came; the message says why.
        """
        instructions = (resources.files("benchwright_exams.model") / f"{instructions_kind}.txt").read_text("utf-8")
        return await self.kept_or_new_reply(
            instructions_kind, file_topic, instructions, request_text, reply_schema, figures
        )
