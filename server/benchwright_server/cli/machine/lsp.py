"""`benchwright lsp`: the language server over standard input and output."""

from __future__ import annotations

import argparse
import atexit
import gc
import logging
import os
import sys
import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from benchwright_foundation.registration import alternatives_phrase
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX, SANDBOXES, open_sandbox, sandbox_names
from benchwright_server.initialize_exchange import read_and_answer_initialize

if TYPE_CHECKING:
    import typer


_STACK = 16 * 1024**2
"""Stack of a thread, in bytes."""


class _AnsweredErrorFilter(logging.Filter):
    """Drops what pygls logs of errors that were answered to a request: the client has shown them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True if the record is to be logged."""
        from pygls.exceptions import JsonRpcException

        return record.exc_info is None or not isinstance(record.exc_info[1], JsonRpcException)


def serve(arguments: Sequence[str]) -> None:
    """Serve one client until it says `exit` or goes away."""
    parser = argparse.ArgumentParser(prog="benchwright lsp", description="Language server over stdio.")
    parser.add_argument(
        "--sandbox", choices=sandbox_names(), default=DEFAULT_SANDBOX, help=alternatives_phrase(SANDBOXES)
    )
    parser.add_argument("--judge-url", default="", metavar="URL", help="have questions judged by this judge service")
    parser.add_argument("--stdio", action="store_true", help="accepted, and always so")
    options = parser.parse_args(arguments)
    # pygls prints whole messages at INFO and DEBUG; nothing that was said goes into a log.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(_AnsweredErrorFilter())
    # slang parses and elaborates recursively, in threads too; the default may be as little as 2 MB.
    threading.stack_size(_STACK)
    # Nothing may be read ahead: what follows is the server's.
    stdin = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    exchange = read_and_answer_initialize(stdin, sys.stdout.buffer)
    if exchange is None:
        sys.exit(1)
    # Looking for garbage among what modules define takes a tenth of the time in which they are loaded.
    gc.disable()
    # Only now what takes long to load: the editor has its answer.
    from benchwright_foundation.home import Home
    from benchwright_server.protocol_types import import_protocol_types

    home = Home.from_environment()
    import_protocol_types(home.cache)
    from benchwright_server.server import BenchwrightServer

    # Registered first, so it runs last.
    atexit.register(lambda: _exit_without_leak_report(0 if server.is_shut_down else 1))
    server = BenchwrightServer(home, partial(open_sandbox, options.sandbox), exchange)
    gc.enable()
    if options.judge_url and not exchange.settings.judge.url:
        server.set_judge_service(options.judge_url)
    server.serve(stdin, sys.stdout.buffer)
    # pygls leaves with 0 in any case; LSP 3.17, `exit`: 1 where no `shutdown` came first.
    sys.exit(0 if server.is_shut_down else 1)


def _exit_without_leak_report(exit_status: int) -> None:
    """End before nanobind does: it prints every object of slang that is still referred to as a leak."""
    logging.shutdown()
    os._exit(exit_status)


def add_to(parent: typer.Typer) -> None:
    """Show the command in the help of `benchwright`; `cli.main` runs it before any of this is loaded."""
    parent.command("lsp", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(_run_server)


def _run_server() -> None:
    """Run the language server over standard input and output. Options: --sandbox NAME, --judge-url URL."""
