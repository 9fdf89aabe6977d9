"""The operations of hints and explanations; see `operations`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchwright_server.attempts.sessions import Sessions
from benchwright_server.operations.operation import Operation, session_of
from benchwright_server.protocol.aids import HintParams, HintsView
from benchwright_server.protocol.messages import WorkspaceParams

if TYPE_CHECKING:
    from benchwright_attempts.hint_ladder import Hints


async def _hints(sessions: Sessions, params: WorkspaceParams) -> HintsView:
    return _view(await (await session_of(sessions, params)).hints.shown())


async def _hint(sessions: Sessions, params: HintParams) -> HintsView:
    session = await session_of(sessions, params)
    view = _view(await session.hints.take(params.number))
    session.changed()
    return view


def _view(hints: Hints) -> HintsView:
    return HintsView.model_validate(asdict(hints))


AID_OPERATIONS: tuple[Operation[Sessions, Any, Any], ...] = (
    Operation(
        "hints",
        WorkspaceParams,
        HintsView,
        "Returns the hints that were taken, and what the next one costs and waits for.",
        _hints,
    ),
    Operation(
        "hint",
        HintParams,
        HintsView,
        "Takes the problem's next hint, which is recorded before it is shown.",
        _hint,
    ),
)
"""Every operation of this kind, in the order of `features.registry.COMMANDS`."""
