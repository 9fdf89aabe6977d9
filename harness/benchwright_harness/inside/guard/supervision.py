"""Speaking with the supervisor: one JSON value a line, over a socket that only programs can reach.

A design can open files, but no socket; and what it prints goes nowhere near this one.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket

VARIABLE = "BENCHWRIGHT_SUPERVISOR"
HIDDEN = "BENCHWRIGHT_HIDDEN"
"""The folders that hold the harness, parted by colons."""

_MAX_SAID = 4000
MISSING, BROKEN, UNLOADABLE, REFUSED = "missing", "broken", "unloadable", "refused"
REMARK, STANDSTILL = "remark", "standstill"
"""Things that the harness's side can tell: a missing program, a program of its own that ended in an error, tests
that can't be loaded, an option or command that a tool of ours does not take, what readers of a verdict must know, and
that a simulation stood still.
"""


class Session:
    """A connection to the supervisor.

    Raises:
        OSError: There is no supervisor.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._socket.connect("\0" + os.environ[VARIABLE])
        self._stream = self._socket.makefile("rwb")

    def tell(self, **message: object) -> None:
        """Send a message."""
        self._stream.write(json.dumps(message).encode() + b"\n")
        self._stream.flush()

    def ask(self, **message: object) -> None:
        """Send a message, and wait until the supervisor has acted on it."""
        self.tell(**message)
        if not self._stream.readline():
            raise ConnectionError("the supervisor is gone")

    def close(self) -> None:
        """End the connection."""
        self._stream.close()
        self._socket.close()


def report_harness_fault(fault_kind: str, fault_text: str) -> None:
    """Tell something of the harness, where there is a supervisor that can be reached."""
    if VARIABLE in os.environ:
        with contextlib.suppress(OSError):
            session = Session()
            try:
                session.ask(harness=fault_kind, said=fault_text[-_MAX_SAID:])
            finally:
                session.close()


def await_supervisor() -> None:
    """Wait until the supervisor has seen the end of every simulation that has ended."""
    if VARIABLE in os.environ:
        session = Session()
        try:
            session.ask(synchronise=True)
        finally:
            session.close()
