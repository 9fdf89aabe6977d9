"""A step of the set-up, and the programs it runs: logged, ended with us, explained if they fail."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_TAIL_LINES = 20
_UNREACHABLE = re.compile(
    r"name resolution|could not resolve|connection (refused|reset|broken|error|timed out)|network is unreachable"
    r"|max retries|failed to establish|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|self.signed",
    re.IGNORECASE,
)


class Stopped(Exception):  # noqa: N818
    """The set-up ends for a reason that somebody else reports; the step's programs have been ended."""


class SetupError(Exception):
    """Set-up can't continue. The message names what failed and the next step, for the person at the terminal."""


@dataclass(frozen=True)
class NetworkPlace:
    """A place on the network that set-up fetches from."""

    name: str
    """Its common name, for messages."""
    advice: str
    """Advice on what to check if it does not answer."""


@dataclass(frozen=True)
class SetupStep:
    """One part of the set-up."""

    title: str
    ready: Callable[[], bool]
    """True if there is nothing to do; cheap, because every start asks."""
    carry_out: Callable[["Tools"], None]
    """Does the step, whatever an interrupted earlier try left behind."""
    needs: tuple[str, ...] = ()
    """Titles of the steps that come before it, where they are to be done at all."""
    seconds: float = 1.0
    """About how long it takes on two quiet cores, for the remaining time that is shown."""


class Tools:
    """Runs the programs of one step, with their output in the step's log.

    Args:
        log: The step's log.
        stop: Once set, the program that runs is ended.
    """

    def __init__(self, log: Path, stop: threading.Event) -> None:
        self.log = log
        self.asks = False
        """True if a program may be asking the user something now."""
        self._stop = stop
        self._started = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the step began."""
        return time.monotonic() - self._started

    def run(
        self,
        command: Sequence[str | Path],
        *,
        failure: str,
        service: NetworkPlace | None = None,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Runs a program until it exits.

        Args:
            command: The program and its arguments.
            failure: Meaning of a failure for the user, with the next step.
            service: The network service that the program needs.
            cwd: Folder to run it in.
            environment: Its whole environment; by default ours.

        Raises:
            SetupError: The program failed.
            Stopped: The set-up ends.
        """
        with self.log.open("ab") as log:
            log.write(f"$ {' '.join(map(str, command))}\n".encode())
            log.flush()
            output_start = log.tell()
            try:
                process = subprocess.Popen(
                    command,
                    cwd=cwd,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    # What is made is for other accounts as well: sandboxes drop to one.
                    umask=0o022,
                    # Its own group, so that an interrupt ends all of it; the same session, so that sudo still knows us.
                    process_group=0,
                )
            except OSError as error:
                raise SetupError(f"{failure}\n({error})") from error
            with _ended_with_us(process):
                while True:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(timeout=0.2)
                        break
                    if self._stop.is_set():
                        raise Stopped
        if process.returncode:
            output = self.log.read_bytes()[output_start:].decode(errors="replace")
            raise SetupError(self._failure_message(output, failure, service))

    def run_at_terminal(self, command: Sequence[str | Path], *, failure: str) -> None:
        """Runs a program that may ask the user something.

        Raises:
            SetupError: The program failed.
        """
        self.asks = True
        clear_line()
        if subprocess.run(command, check=False).returncode:
            raise SetupError(failure)
        self.asks = False

    def _failure_message(self, output: str, failure: str, service: NetworkPlace | None) -> str:
        tail = "\n".join(f"    {line}" for line in output.splitlines()[-_TAIL_LINES:])
        if service is not None and _UNREACHABLE.search(output):
            failure = f"{service.name} could not be reached. Next step: {service.advice}"
        return f"The last lines of {self.log}:\n{tail}\n\n{failure}"


def heed_stop_signals() -> None:
    """Lets a closed terminal and SIGTERM end everything as Ctrl+C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        # Under nohup, SIGHUP is ignored on purpose.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)


def clear_line() -> None:
    """Clears the progress line from the terminal."""
    if sys.stdout.isatty():
        sys.stdout.write("\r\x1b[2K")
        sys.stdout.flush()


@contextlib.contextmanager
def _ended_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # A program started through sudo belongs to root: it is not ours to end.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
