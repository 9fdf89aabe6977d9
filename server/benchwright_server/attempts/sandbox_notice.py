"""The message at the first start on a machine where no hidden test can run."""

from __future__ import annotations

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.sandbox.registry import sandbox_kind

_SHOWN_FILE = "sandbox-notice.txt"


def sandbox_notice_unless_shown(home: Home, sandbox_name: str) -> str:
    """Why the sandbox does not work here and what to do, unless it was shown before; empty if it works.

    Blocks: it starts a program.
    """
    shown_file = home.state / _SHOWN_FILE
    try:
        sandbox_kind(sandbox_name).check()
    except SandboxUnavailableError as error:
        sentence = (
            f"Hidden tests can't run on this machine: {error}. Next step: {error.hint}. Until then no hidden test runs "
            "here; the language, questions that a rule decides, and problems of a bench service work."
        )
    else:
        shown_file.unlink(missing_ok=True)
        return ""
    try:
        if shown_file.read_text(encoding="utf-8") == sentence:
            return ""
    except (OSError, UnicodeError):
        pass
    shown_file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(shown_file, sentence.encode())
    return sentence
