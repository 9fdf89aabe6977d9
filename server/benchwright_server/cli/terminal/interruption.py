"""Ctrl+C, SIGTERM and SIGHUP end a command alike: what it started is ended and removed, and it says how to go on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

from benchwright_server.cli.terminal.exit_status import of_signal
from benchwright_server.cli.terminal.output import err

_SIGNALS = ("SIGTERM", "SIGHUP")


@contextmanager
def interruptible(go_on: str) -> Iterator[None]:
    """End what runs inside in good order when a signal asks the process to end.

    Args:
        go_on: The sentence that says how to go on.
    """
    received = [signal.SIGINT]

    def end(number: int, frame: FrameType | None) -> None:
        received.append(signal.Signals(number))
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            # So it is in the background of a script.
            raise KeyboardInterrupt
        # This is the one for which asyncio cancels what runs, once, and waits for it.
        signal.raise_signal(signal.SIGINT)

    handled = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    # `nohup` means that a closed terminal is to be ignored.
    before = {one: signal.signal(one, end) for one in handled if signal.getsignal(one) is not signal.SIG_IGN}
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"Interrupted. {go_on}", markup=False, soft_wrap=True)
        raise typer.Exit(of_signal(received[-1])) from None
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
