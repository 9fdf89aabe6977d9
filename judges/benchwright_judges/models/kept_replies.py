"""Replies of a model, kept with the digest of what it was asked, so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from benchwright_foundation.stage_file import StageFile, StageOutput
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.prompt import data_prompt
from benchwright_problems.problem import Figure, digest

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import ModelEndpoint


class KeptReply(StageOutput):
    """Reply of a model. `made_from` is the digest of model, instructions, schema and data, without the random code."""

    model: str
    instructions: str
    """Name and SHA-256 of the instructions."""
    text: str
    cost_usd: float


class ModelWithKeptReplies:
    """A model that is asked about pieces of one kind of text.

    Args:
        endpoint: Serves it.
        replies_folder: Gets a file for each reply.
        budget: Pays.
        data_title: Name of the text in a prompt, in capitals.
        error_class: The error where there is no usable reply.
    """

    def __init__(
        self,
        endpoint: ModelEndpoint,
        replies_folder: Path,
        budget: JudgingBudget,
        data_title: str,
        error_class: type[Exception],
    ) -> None:
        self._endpoint = endpoint
        self._folder = replies_folder
        self._budget = budget
        self._data_title = data_title
        self._failure = error_class
        self.request_count = 0
        """Requests that were made; kept replies need none."""

    @property
    def name(self) -> str:
        """As configured."""
        return self._endpoint.settings.name

    async def kept_or_new_reply(
        self,
        instructions_name: str,
        file_topic: str,
        instructions: str,
        data_text: str,
        reply_schema: dict[str, JsonValue],
        figures: Sequence[Figure] = (),
    ) -> dict[str, Any]:
        """The JSON object of a reply.

        Args:
            instructions_name: Name of the instructions.
            file_topic: Subject of the request, for the name of the file.
            instructions: Text of the system's message.
            data_text: Hostile.
            reply_schema: Schema of the reply.
            figures: Shown with the text.

        Raises:
            OutOfBudgetError: The budget does not hold what the request may cost.
            Exception: `failure`: there is no usable reply; the message says why.
        """
        settings = self._endpoint.settings
        made_by = settings.model_dump(mode="json", include={"base_url", "model", "temperature", "seed", "max_tokens"})
        figure_data: list[JsonValue] = [figure.data for figure in figures]
        made_from = digest([made_by, instructions, reply_schema, data_text, figure_data])
        kept_reply = StageFile(self._folder / f"{instructions_name}-{file_topic}.json", KeptReply)
        reply = kept_reply.output_if_made_from(made_from)
        if reply is None:
            prompt = data_prompt(self._data_title, data_text, instructions, reply_schema, figures)
            answer = await self._endpoint.request_reply(prompt, seed_offset=0, budget=self._budget)
            self.request_count += 1
            if not answer.text:
                raise self._failure(f"{self.name} gave no reply about {file_topic}: {answer.error}")
            reply = kept_reply.write_output(
                KeptReply(
                    made_from=made_from,
                    model=self.name,
                    instructions=f"{instructions_name}@{digest(instructions)}",
                    text=answer.text,
                    cost_usd=answer.cost_usd,
                )
            )
        try:
            return read_only_object(reply.text)
        except ValueError as error:
            raise self._failure(f"{self.name} gave no usable reply about {file_topic}: {error}") from error
