"""Time that the driver of inline-completion servers adds to each request.

Run as `.venv/bin/python -m tests.benchmarks.inline_driver`; prints a Markdown table. A server that answers at once
notes when it got each question and when it had answered. From an answer to the next question all time is the driver's:
reading, deciding, changing the document, linting where the policy does, and the pipes.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.dialects.lsp import StandardDialect
from benchwright_subjects.inline.run import visible_files
from benchwright_subjects.inline.server.server_process import ServerLaunch
from benchwright_subjects.inline.site_run import InlineSubject, PlayRules, play_site
from benchwright_subjects.inline.sites import SiteKind, SiteSelection, sites_of_problem

from ..support.models.inline_hearing import Hearing

ROUNDS = 5
PROBLEMS = ("uart-parity", "sync-fifo", "lint-stream-stats")
KINDS = (SiteKind.EMPTY_BODY, SiteKind.TYPE_THROUGH)
SERVER = Path(__file__).parents[1] / "support" / "models" / "plain_inline_server.py"


async def gaps(kind: SiteKind, policy: AcceptPolicy, folder: Path, hearing: Hearing) -> list[float]:
    """Milliseconds from each answer to the next question at the same site."""
    store = Store(Home.from_environment())
    command = (sys.executable, str(SERVER), "good", str(hearing.socket_path))
    subject = InlineSubject(ServerLaunch(command), StandardDialect(), os.environ, folder / "places")
    for name in PROBLEMS:
        problem = store.unseal(f"starter/{name}")
        (site,) = sites_of_problem(f"starter/{name}", problem, SiteSelection([kind]))
        await play_site(site, visible_files(problem, has_statement=True), subject, policy, PlayRules())
    hearing.params_of("")
    heard = [message for message in hearing.heard_messages if message.method == "textDocument/inlineCompletion"]
    hearing.heard_messages.clear()
    return [
        (second_message.params["asked_ns"] - first_message.params["answered_ns"]) / 1e6
        for first_message, second_message in pairwise(heard)
        if first_message.home == second_message.home
    ]


def main() -> None:
    print("| sites | policy | requests | p50 (ms) | p95 (ms) | most (ms) |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as name, Hearing(Path(name) / "socket") as hearing:
        for kind in KINDS:
            for policy in (AcceptPolicy.NEVER, AcceptPolicy.ALWAYS, AcceptPolicy.SURVIVES_LINT):
                if kind is SiteKind.TYPE_THROUGH and policy is not AcceptPolicy.NEVER:
                    continue
                delays = []
                for _ in range(ROUNDS):
                    delays += asyncio.run(gaps(kind, policy, Path(name), hearing))
                p95 = statistics.quantiles(delays, n=20)[-1]
                row_cells = (len(delays), f"{statistics.median(delays):.1f}", f"{p95:.1f}", f"{max(delays):.1f}")
                print(f"| {kind} | {policy} | {' | '.join(map(str, row_cells))} |")


if __name__ == "__main__":
    main()
