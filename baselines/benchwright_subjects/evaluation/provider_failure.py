"""Failures of a model's provider, named for people: nothing of them says anything about the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

from inspect_ai.model import ModelOutput

from benchwright_attempts.errors import EvaluationError

MOST_RETRIES = 6
"""Times that a request is sent again after a failure that may pass, with pauses of 3, 6, 12 … seconds: some minutes."""
_MOST_QUOTED = 300
"""Characters of a provider's words."""
_REQUEST_STATUSES = frozenset({400, 413, 422})
_STATUS_HINTS = {
    401: ": it does not accept the key",
    402: ": the account is out of money",
    403: ": the key may not use this model",
    404: ": there is no such model or address",
    429: ": there were too many requests",
}


class ProviderError(EvaluationError):
    """A model's provider failed, so that nothing is known of the model.

    Args:
        sentence: What it did. Nothing in it quotes the provider, so it may be recorded.
        quotation: The provider's own words, for who asked.
        status: HTTP status; None if there was none.
    """

    def __init__(self, sentence: str, quotation: str = "", status: int | None = None) -> None:
        super().__init__(f"{sentence} It said: {quotation}" if quotation else sentence)
        self.sentence = sentence
        self.is_about_request = status in _REQUEST_STATUSES
        """True if the provider only refused what it was asked, such as a conversation that is too long."""


@dataclass(frozen=True)
class FailedRequest:
    """A request that is sent again."""

    exception_type: str
    """Name of the client's exception; empty if it is unknown."""
    status: int | None
    """HTTP status; None if there was none."""

    @property
    def sentence(self) -> str:
        """What the provider did."""
        return _failure_sentence(self.exception_type, self.status)


def provider_error(error: BaseException) -> ProviderError:
    """The failure of a request to a model, for people.

    Args:
        error: As Inspect raises it, with its causes.
    """
    errors = list(_causes_outermost_first(error))
    status = next((code for cause in errors if isinstance(code := getattr(cause, "status_code", None), int)), None)
    if status is None:
        return ProviderError(_failure_sentence(type(errors[-1]).__name__, None))
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in str(errors[-1])).split())
    return ProviderError(_failure_sentence("", status), words[:_MOST_QUOTED], status)


def refuse_missing_reply(output: ModelOutput) -> None:
    """Notice a reply that is none: empty, without a reason to stop, and without a count of tokens.

    Raises:
        ProviderError: It is.
    """
    is_empty = not output.completion.strip() and not (output.choices and output.message.tool_calls)
    if is_empty and output.stop_reason == "unknown" and not (output.usage and output.usage.output_tokens):
        raise ProviderError("The model's provider sent an empty reply, and no reason for its end.")


def no_reply_error(limit_s: float, failed_requests: list[FailedRequest]) -> ProviderError:
    """The failure of a provider that has not replied once when the time limit of an attempt is over.

    Args:
        limit_s: The limit in seconds.
        failed_requests: Requests that were sent again.
    """
    sentence = f"The model's provider gave no reply in {limit_s:g} s of active time"
    return ProviderError(f"{sentence}. {failed_requests[-1].sentence}" if failed_requests else f"{sentence}.")


def _causes_outermost_first(error: BaseException) -> Iterator[BaseException]:
    """An error of Inspect's retries, and what it was made of, outermost first."""
    yielded_ids: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in yielded_ids:
        yielded_ids.add(id(cause))
        yield cause
        last_attempt = getattr(cause, "last_attempt", None)
        cause = last_attempt.exception() if last_attempt is not None else cause.__cause__


def _failure_sentence(exception_type: str, status: int | None) -> str:
    if status is not None:
        phrase = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else "unknown"
        return f"The model's provider answered with status {status} ({phrase}){_STATUS_HINTS.get(status, '')}."
    if "Timeout" in exception_type:
        return "The model's provider did not answer in time."
    if exception_type in ("ConnectError", "OSError", "gaierror"):
        return "The model's provider could not be reached."
    if any(word in exception_type for word in ("Connection", "Protocol", "Read", "Transport", "Network")):
        return "The model's provider closed the connection before it had replied."
    return f"The model's provider sent what is no reply ({exception_type or 'unknown'})."
