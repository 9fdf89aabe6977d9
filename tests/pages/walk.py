"""A reader who does what a page says: in a home of their own, block by block, and compares what is printed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchwright_foundation.home import Home
from benchwright_foundation.workspaces_folder import DEFAULT_FOLDER_NAME

from .page import Block, blocks, is_as_printed

PATIENCE_S = 600.0
_T = TypeVar("_T")
Step = Callable[["Reader"], None]


@dataclass
class Reader:
    """Somebody with a page, a shell, and an empty home folder."""

    folder: Path
    """Home folder, and where commands are typed."""
    words: dict[str, str] = field(default_factory=dict)
    """Words that a reader writes for those of the page: names, addresses, ids."""
    environment: dict[str, str] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)
    """Text that is typed once a block runs, by words of the block."""
    servers: dict[str, Callable[[str], bool]] = field(default_factory=dict)
    """Blocks that start a server, by words of the block, with whether what a script started is ready."""
    last_output: str = ""
    """Output that was printed last."""

    def __post_init__(self) -> None:
        outer = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHWRIGHT_", "XDG_"))}
        own_variables = {
            "HOME": str(self.folder),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "BENCHWRIGHT_CACHE": str(Home.from_environment().cache),
            "COLUMNS": "200",
        }
        self.environment = {**outer, **own_variables, **self.environment}

    @property
    def home(self) -> Home:
        """Home folder of this reader's data."""
        local = self.folder / ".local"
        return Home(
            data=local / "share/benchwright",
            state=local / "state/benchwright",
            workspaces=self.folder / DEFAULT_FOLDER_NAME,
            cache=Home.from_environment().cache,
        )

    def reworded(self, text: str) -> str:
        """A text of the page in this reader's words."""
        for old_words, new_words in self.words.items():
            text = text.replace(old_words, new_words)
        return text

    def write(self, name: str, text: str) -> Path:
        """A file of the reader's."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, script: str, typed: str = "") -> str:
        """Types a script; what it prints.

        Raises:
            AssertionError: The script failed.
        """
        shell_run = subprocess.run(
            ["/bin/sh", "-e", "-c", script],
            cwd=self.folder,
            env=self.environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert shell_run.returncode == 0, (
            f"exit status {shell_run.returncode} of\n{script}\n{shell_run.stdout}{shell_run.stderr}"
        )
        self.last_output = shell_run.stdout
        return shell_run.stdout

    @contextlib.contextmanager
    def serving(self, script: str, is_ready: Callable[[str], bool]) -> Iterator[None]:
        """Starts a server, and ends it afterwards."""
        log = self.folder / "server.log"
        with log.open("ab") as stream:
            process = subprocess.Popen(
                ["/bin/sh", "-c", script],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not is_ready(script):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text(encoding="utf-8")
                time.sleep(0.1)
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)


@dataclass(frozen=True)
class Walk:
    """Course of a walk through a page. Blocks are named by words that occur in them alone."""

    prepare: Step | None = None
    """Step that prepares what the reader has before the page begins."""
    steps_before: Mapping[str, Step] = field(default_factory=dict)
    """Steps that the page tells the reader to do by hand before a block."""
    steps_after: Mapping[str, Step] = field(default_factory=dict)
    """Steps that check what must be true after a block."""
    not_run: Mapping[str, str] = field(default_factory=dict)
    """Blocks that are not run, with the reason."""

    def reason_against(self, block: Block) -> str | None:
        """Reason why a block is not run."""
        return _entry_for(self.not_run, block)

    def go(self, page: str, page_reader: Reader) -> None:
        """Walks through a page.

        Raises:
            AssertionError: A block fails or prints something else; the message names it.
        """
        if self.prepare:
            self.prepare(page_reader)
        with contextlib.ExitStack() as server_stack:
            for block in blocks(page):
                if block.is_commands and self.reason_against(block) is None:
                    self._run(block, page_reader, server_stack)

    def _run(self, block: Block, page_reader: Reader, server_stack: contextlib.ExitStack) -> None:
        if step := _entry_for(self.steps_before, block):
            step(page_reader)
        script = page_reader.reworded(block.script)
        if is_ready := _entry_for(page_reader.servers, block):
            server_stack.enter_context(page_reader.serving(script, is_ready))
            return
        try:
            output = page_reader.run(script, _entry_for(page_reader.typed, block) or "")
            expected_output = page_reader.reworded(block.prints) if block.prints else None
            assert expected_output is None or is_as_printed(expected_output, output), (
                f"printed:\n{output}\nthe page has:\n{expected_output}"
            )
            if step := _entry_for(self.steps_after, block):
                step(page_reader)
        except AssertionError as error:
            raise AssertionError(f"{block.location}: {error}") from error


def _entry_for(by_words: Mapping[str, _T], block: Block) -> _T | None:
    matches = [value for words, value in by_words.items() if words in block.text]
    assert len(matches) <= 1, f"{block.location}: two of {list(by_words)} name this block"
    return matches[0] if matches else None
