"""`benchwright/hiddenWaveform`: the waveform of a failed hidden test, where the reveal policy shows everything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchwright_attempts.events.events import AidUsed
from benchwright_problems.aids import Aid
from benchwright_server.features.attempt import aids
from benchwright_server.features.editor.run_progress import cancellable
from benchwright_server.protocol.waveforms import HiddenWaveform, HiddenWaveformParams
from benchwright_server.waveforms.errors import WaveformError
from benchwright_server.waveforms.waves_folder import waves_folder

if TYPE_CHECKING:
    from benchwright_server.editor_server import EditorServer

_NAME = "hidden-tests.vcd"


async def hidden_waveform(server: EditorServer, params: HiddenWaveformParams) -> HiddenWaveform:
    """Runs the hidden tests that failed once more, and keeps the waveform of the solver's modules."""
    use = await aids.begin(server, params.uri, Aid.WAVEFORMS)
    if use is None:
        raise WaveformError("Hidden tests belong to problems. Open the workspace of one.")
    target = await asyncio.to_thread(waves_folder, use.session.workspace.folder) / _NAME
    outcome, test = "cancelled", ""
    try:
        task = asyncio.current_task()
        async with cancellable(server, "Waveform of the hidden tests", lambda: task and task.cancel()):
            kept = await use.session.attempt.runs.keep_waves(target)
        outcome, test = "kept", kept.test
    except Exception:
        outcome = "error"
        raise
    finally:
        event = AidUsed(aid=Aid.WAVEFORMS, feature="hidden_waveform", detail=test, outcome=outcome)
        await asyncio.shield(use.end(event))
    return HiddenWaveform(uri=target.as_uri(), test=kept.test, failed_at=kept.failed_at)
