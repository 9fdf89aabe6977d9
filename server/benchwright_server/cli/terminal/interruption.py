"""Ctrl+C, SIGTERM and SIGHUP end a command alike: what it started is ended and removed, and it says how to go on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from benchwright_server.cli.terminal.exit_status import signal_exit_status
from benchwright_server.cli.terminal.output import err

_SIGNALS = ("SIGTERM", "SIGHUP")


@contextmanager
def end_cleanly_on_signal(resume_hint: str) -> Iterator[None]:
    """End what runs inside in good order when a signal asks the process to end.

    Args:
        resume_hint: The sentence that says how to go on.
    """
    received_signals = [signal.SIGINT]

    def end(number: int, frame: FrameType | None) -> None:
        received_signals.append(signal.Signals(number))
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            # So it is in the background of a script.
            raise KeyboardInterrupt
        # This is the one for which asyncio cancels what runs, once, and waits for it.
        signal.raise_signal(signal.SIGINT)

    handled = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    # `nohup` means that a closed terminal is to be ignored.
    previous_handlers = {
        handled_signal: signal.signal(handled_signal, end)
        for handled_signal in handled
        if signal.getsignal(handled_signal) is not signal.SIG_IGN
    }
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"Interrupted. {resume_hint}", markup=False, soft_wrap=True)
        raise typer.Exit(signal_exit_status(received_signals[-1])) from None
    finally:
        for handled_signal, handler in previous_handlers.items():
            signal.signal(handled_signal, handler)
