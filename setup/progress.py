"""Steps of the set-up: shown while they run, skipped if already done, stopped with one clear message."""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from folders import SETUP_STATE

_SPINNER = "|/-\\"
_PLAIN_HEARTBEAT_S = 30.0
_TAIL_LINES = 20
_UNREACHABLE = re.compile(
    r"name resolution|could not resolve|connection (refused|reset|broken|error|timed out)|network is unreachable"
    r"|max retries|failed to establish|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|self.signed",
    re.IGNORECASE,
)


class SetupError(Exception):
    """Set-up can't continue. The message names what failed and the next step, for the person at the terminal."""


@dataclass(frozen=True)
class Service:
    """A place on the network that set-up fetches from."""

    name: str
    """Its common name, for messages."""
    advice: str
    """What to check if it does not answer."""


@dataclass(frozen=True)
class Step:
    """One part of the set-up."""

    title: str
    ready: Callable[[], bool]
    """Whether there is nothing to do; cheap, because every start asks."""
    work: Callable[["Tools"], None]
    """Does the step, whatever an interrupted earlier try left behind."""
    note: str = ""
    """What the user should know while waiting."""


class Tools:
    """Runs the programs of one step, with their output in the step's log and a progress line on the terminal."""

    def __init__(self, heading: str, log: Path) -> None:
        self._heading = heading
        self._log = log
        self._started = time.monotonic()
        self._next_heartbeat = _PLAIN_HEARTBEAT_S
        self._ticks = 0

    @property
    def elapsed_s(self) -> float:
        """Seconds since the step began."""
        return time.monotonic() - self._started

    def run(
        self,
        command: Sequence[str | Path],
        *,
        failure: str,
        service: Service | None = None,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Runs a program until it exits.

        Args:
            command: The program and its arguments.
            failure: What a failure means for the user, with the next step.
            service: The network service that the program needs.
            cwd: Where to run it.
            environment: Its whole environment; by default ours.

        Raises:
            SetupError: The program failed.
        """
        with self._log.open("ab") as log:
            log.write(f"$ {' '.join(map(str, command))}\n".encode())
            log.flush()
            begin = log.tell()
            try:
                process = subprocess.Popen(
                    command,
                    cwd=cwd,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
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
                    self._show_life()
        clear_line()
        if process.returncode:
            output = self._log.read_bytes()[begin:].decode(errors="replace")
            raise SetupError(self._explain(output, failure, service))

    def run_at_terminal(self, command: Sequence[str | Path], *, failure: str) -> None:
        """Runs a program that may ask the user something.

        Raises:
            SetupError: The program failed.
        """
        clear_line()
        if subprocess.run(command, check=False).returncode:
            raise SetupError(failure)

    def _show_life(self) -> None:
        if sys.stdout.isatty():
            self._ticks += 1
            spinner = _SPINNER[self._ticks % len(_SPINNER)]
            line = f"{self._heading} {spinner} {self.elapsed_s:.0f} s  {_last_line(self._log)}"
            sys.stdout.write(f"\r\x1b[2K{line[: shutil.get_terminal_size().columns - 1]}")
            sys.stdout.flush()
        elif self.elapsed_s >= self._next_heartbeat:
            self._next_heartbeat += _PLAIN_HEARTBEAT_S
            print(f"{self._heading} … {self.elapsed_s:.0f} s", flush=True)

    def _explain(self, output: str, failure: str, service: Service | None) -> str:
        tail = "\n".join(f"    {line}" for line in output.splitlines()[-_TAIL_LINES:])
        if service is not None and _UNREACHABLE.search(output):
            failure = f"{service.name} could not be reached. Next step: {service.advice}"
        return f"The last lines of {self._log}:\n{tail}\n\n{failure}"


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


def run_steps(steps: Sequence[Step], locks: Sequence[Path]) -> None:
    """Makes every step ready, in order.

    Args:
        steps: What to do.
        locks: Files to lock while something is changed, so that two set-ups don't meet.

    Raises:
        SetupError: A step failed; those before it stay done.
    """
    logs = SETUP_STATE / "logs"
    with contextlib.ExitStack() as stack:
        locked = False
        for number, step in enumerate(steps, start=1):
            heading = f"[{number}/{len(steps)}] {step.title}"
            if not step.ready() and not locked:
                for lock in locks:
                    stack.enter_context(_lock(lock))
                locked = True
            if step.ready():
                print(f"{heading}: ready", flush=True)
                continue
            _make_log_folder(logs)
            log = logs / f"{re.sub('[^a-z0-9]+', '-', step.title.lower()).strip('-')}.log"
            log.write_bytes(b"")
            tools = Tools(heading, log)
            print(f"{heading} … {step.note}(log: {log})", flush=True)
            try:
                step.work(tools)
            except OSError as error:
                raise SetupError(
                    f"{step.title}: {error.strerror or error}: {error.filename or ''}\n"
                    "Next step: make sure that this folder can be written to and its disk has room, "
                    "then start the same command again."
                ) from error
            finally:
                clear_line()
            print(f"{heading}: done in {tools.elapsed_s:.0f} s", flush=True)


def _make_log_folder(logs: Path) -> None:
    logs.mkdir(parents=True, exist_ok=True)
    (SETUP_STATE / ".gitignore").write_text("*\n", encoding="utf-8")


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise SetupError(
            f"The folder {path.parent} can't be written to ({error.strerror}). Next step: make it writable for "
            "this account, or choose another cache folder with the environment variable BENCHWRIGHT_CACHE."
        ) from error
    with file:
        if not _try_lock(file):
            print("Another set-up is running; waiting for it to end …", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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


def _last_line(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 1000))
        lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
