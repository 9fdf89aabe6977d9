"""`benchwright lsp`: the language server over standard input and output."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from benchwright_problems.home import Home

from benchwright_server.errors import ServerError
from benchwright_server.runs.grading import DEFAULT_SANDBOX, choose_sandbox


def serve(arguments: Sequence[str]) -> None:
    """Serve one client until it says `exit` or goes away."""
    parser = argparse.ArgumentParser(prog="benchwright lsp", description="Language server over stdio.")
    parser.add_argument("--sandbox", default=DEFAULT_SANDBOX, help="bwrap, or native without protection")
    parser.add_argument("--stdio", action="store_true", help="accepted, and always so")
    options = parser.parse_args(arguments)
    # pygls prints whole messages at INFO and DEBUG; nothing that was said goes into a log.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        sandbox = choose_sandbox(options.sandbox)
    except ServerError as error:
        parser.error(str(error))
    from benchwright_server.server import BenchwrightServer

    BenchwrightServer(Home.find(), sandbox).start_io()
