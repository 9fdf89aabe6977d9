"""Errors about waveforms; each message is a sentence with the next step."""

from __future__ import annotations

from benchwright_server.errors import ServerError


class WaveformError(ServerError):
    """A waveform can't be opened, read or shown."""
