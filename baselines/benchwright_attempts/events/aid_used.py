"""The event of an aid that the solver used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from pydantic import Field, FiniteFloat

from benchwright_attempts.events.event_body import EventBody
from benchwright_attempts.events.file_text import FilePath, Text
from benchwright_attempts.state import AttemptState, unchanged_in

_AGENT = "agent"
_through: ContextVar[str] = ContextVar("through", default="editor")


@contextmanager
def by_agent() -> Iterator[None]:
    """Whatever aid is used in this block, and in tasks that begin in it, an agent uses."""
    token = _through.set(_AGENT)
    try:
        yield
    finally:
        _through.reset(token)


class AidUsed(EventBody):
    """The solver used an aid: a hint, a schematic, a test of their own."""

    # What began while the clock ran may end after it stopped.
    transitions = unchanged_in(*(state for state in AttemptState if state is not AttemptState.OPEN))
    is_activity = True
    reveals_content = True

    type: Literal["aid_used"] = "aid_used"
    aid: str
    """A value of `Aid`."""
    feature: str
    """What of it, a stable word: `schematic`, `drivers`, `test_run` ..."""
    path: FilePath | None = None
    """The file it was asked about, if any."""
    detail: Text = ""
    """What exactly: a module, a signal, the name of a test, the id of a hint."""
    outcome: str = ""
    """The outcome, a stable word, of what has one: `passed`, `failed` ..."""
    cost: FiniteFloat = Field(default=0.0, ge=0)
    """Share of the problem's points that it costs, 0 to 1."""
    through: str = "editor"
    """`editor`, or `agent` if a model asked by a tool."""

    def without_text(self) -> AidUsed:
        """Which aid it was."""
        return self.model_copy(update={"detail": ""})

    def as_asked(self) -> AidUsed:
        """With `through` as `by_agent` says."""
        return self.model_copy(update={"through": _through.get()})
