"""`benchwright completion run`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchwright_harness.sandboxes import DEFAULT_SANDBOX
from benchwright_problems.errors import needs
from benchwright_problems.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.store import Store
from benchwright_server.cli import options
from benchwright_server.cli.completion_report import show
from benchwright_server.cli.completion_server import Server
from benchwright_server.cli.interruption import interruptible
from benchwright_server.cli.option_groups import grouped
from benchwright_server.cli.output import err, plain_errors
from benchwright_server.cli.progress import progress
from benchwright_server.cli.study_log import opened_attempts
from benchwright_server.errors import ServerError
from benchwright_subjects.inline.configuration import configuration_digest
from benchwright_subjects.inline.confinement import can_confine, places_in, secret_folders
from benchwright_subjects.inline.dialects.lsp import Trigger
from benchwright_subjects.inline.dialects.registered import DIALECTS
from benchwright_subjects.inline.grading import Where, grade_records
from benchwright_subjects.inline.policies import Policy, Refusal
from benchwright_subjects.inline.record import SiteRecord
from benchwright_subjects.inline.recorded import recorded_sites
from benchwright_subjects.inline.run import Plan, cut_sites, digest_of, run
from benchwright_subjects.inline.run_folder import RunFolder, Settings
from benchwright_subjects.inline.site_run import Rules, Subject
from benchwright_subjects.inline.sites import Cutting, Site, SiteKind, check_kinds

_GO_ON = "What was played is kept: the same command continues where it stopped."
_CUT = ",".join(kind for kind in SiteKind if kind not in (SiteKind.REPLAY, SiteKind.TYPE_THROUGH))


@dataclass(frozen=True)
class Sites:
    """Which sites of which problems."""

    pack: Annotated[str, typer.Option(help="A pack with design problems.")]
    problem: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this problem of the pack; may be repeated.")
    ] = None
    sites: Annotated[str, typer.Option(metavar="KINDS", help=f"Separated by commas: {', '.join(SiteKind)}.")] = _CUT
    per_kind: Annotated[int, typer.Option(min=1, help="Most holes of a kind in a file.")] = 3
    longest: Annotated[int, typer.Option(min=1, help="Characters that a type-through covers.")] = 600
    attempt: Annotated[
        list[str] | None,
        typer.Option(metavar="ATTEMPT", help="Replay this one, by the beginning of its id; all if not given."),
    ] = None
    pause_ms: Annotated[int, typer.Option(min=1, help="Milliseconds without an edit that make a pause.")] = 1000
    seed: Annotated[int, typer.Option(min=0, help="Draws the holes.")] = 1


@dataclass(frozen=True)
class Playing:
    """How they are played."""

    policy: Annotated[
        list[Policy] | None, typer.Option(help="What is accepted; may be repeated; `first-line` if not given.")
    ] = None
    bounds: Annotated[bool, typer.Option(help="Play the policies `never` (floor) and `matches` (ceiling) too.")] = True
    mode: Annotated[
        Refusal, typer.Option(help="After a refusal, type the reference's next line (assisted), or stop (alone).")
    ] = Refusal.ASSISTED
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Ask as an editor does while somebody types, not as if asked by a key.")
    ] = False
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds after which a request is given up.")] = 10.0
    most_asks: Annotated[int, typer.Option(min=1, help="Most requests at a site in the mode alone.")] = 100
    next_edits: Annotated[
        bool, typer.Option("--next-edits", help="After each accepted offer, ask for next edits too; they are counted.")
    ] = False
    statement: Annotated[bool, typer.Option(help="Put the problem's statement into the workspace.")] = True

    @property
    def policies(self) -> tuple[Policy, ...]:
        """All that are played, in the order of the enumeration."""
        wanted = {*(self.policy or [Policy.FIRST_LINE]), *((Policy.NEVER, Policy.MATCHES) if self.bounds else ())}
        return tuple(one for one in Policy if one in wanted)

    @property
    def rules(self) -> Rules:
        """As a site is played by."""
        trigger = Trigger.AUTOMATIC if self.automatic else Trigger.INVOKED
        return Rules(self.mode, trigger, self.timeout, self.most_asks, self.next_edits)


def add_to(completion: typer.Typer) -> None:
    """Add the command to `benchwright completion`."""
    completion.command("run")(grouped(run_command))


def run_command(
    server: Server,
    sites: Sites,
    playing: Playing,
    output: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the run; only you can read it.")],
    grade: Annotated[bool, typer.Option(help="Run the hidden tests on what was written.")] = True,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    jobs: options.Jobs = None,
    json_output: options.Json = False,
) -> None:
    """Ask an inline-completion server at holes of reference solutions, accept by a fixed policy, and grade the result.

    The server sees a copy that never held what belongs in the hole. The same command continues an interrupted run.
    Exit status: 0 all is played, 1 the server failed at some sites, 2 the run could not begin or go on.
    """
    with plain_errors(), needs("`benchwright completion run`", "baselines"), interruptible(_GO_ON):
        home, folder = Home.find(), RunFolder(output)
        problems = _problems(Store(home), sites)
        plan = _plan(server, sites, playing, problems, secret_folders(home, output))
        if not can_confine():
            err.print("The server runs without protection: bubblewrap is missing, so it can read the hidden tests.")
        with folder.writing(plan.settings):
            records = _play(plan, folder)
            if grade:
                _grade(records, problems, Where(home, sandbox, jobs), folder)
        show([output], json_output=json_output)
        if any(record.failure for record in records):
            raise typer.Exit(1)


def _problems(store: Store, sites: Sites) -> dict[str, Problem]:
    names = sites.problem or [problem.id for problem in store.public(sites.pack).problems]
    return {f"{sites.pack}/{name}": store.unseal(f"{sites.pack}/{name}") for name in names}


def _plan(
    server: Server, sites: Sites, playing: Playing, problems: Mapping[str, Problem], secrets: tuple[Path, ...]
) -> Plan:
    launch = server.launch(secrets)
    kinds = check_kinds([name.strip() for name in sites.sites.split(",") if name.strip()])
    found = cut_sites(problems, Cutting(kinds, sites.per_kind, sites.longest, sites.seed))
    if SiteKind.REPLAY in kinds:
        found += _replayed(sites, problems)
    if not found:
        raise ServerError("There are no sites of these kinds. Choose other --sites.")
    used = {site.problem for site in found}
    settings = Settings(
        command=launch.command,
        dialect=server.dialect,
        configuration=configuration_digest(launch, server.dialect, server.options),
        pack=sites.pack,
        pack_version=Store(Home.find()).public(sites.pack).version,
        problems={ref: digest_of(problem) for ref, problem in problems.items() if ref in used},
        kinds=tuple(kinds),
        attempts=tuple(sites.attempt or ()),
        pause_ms=sites.pause_ms if SiteKind.REPLAY in kinds else None,
        per_kind=sites.per_kind,
        longest=sites.longest,
        seed=sites.seed,
        policies=playing.policies,
        mode=playing.mode,
        trigger=playing.rules.trigger,
        timeout_s=playing.timeout,
        most_asks=playing.most_asks,
        next_edits=playing.next_edits,
        statement=playing.statement,
        confined=can_confine(),
        sites=len(found),
    )
    subject = Subject(launch, DIALECTS[server.dialect](server.options), os.environ, places_in(Home.find()))
    return Plan(problems, found, subject, playing.rules, settings)


def _replayed(sites: Sites, problems: Mapping[str, Problem]) -> list[Site]:
    with opened_attempts() as log:
        if sites.attempt:
            headers = [log.find(name) for name in sites.attempt]
            if other := next((header for header in headers if header.problem not in problems), None):
                raise ServerError(f"The attempt {other.id} is at {other.problem}, which this run leaves out.")
        else:
            headers = [header for ref in problems for header in reversed(log.headers(problem=ref))]
        return [
            site
            for header in headers
            for site in recorded_sites(header.problem, header.id, log.events(header.id), sites.pause_ms)
        ]


def _play(plan: Plan, folder: RunFolder) -> list[SiteRecord]:
    with progress("asking", len(plan.turns), "sites") as meter:
        return asyncio.run(run(plan, folder, meter.show))


def _grade(records: list[SiteRecord], problems: Mapping[str, Problem], where: Where, folder: RunFolder) -> None:
    snapshots = sum(len(record.snapshots) for record in records)
    with progress("grading", snapshots, "runs") as meter:
        verdicts = asyncio.run(
            grade_records(records, problems, where, lambda now: meter.show(now.done, now.planned, now.known))
        )
    folder.keep_verdicts(verdicts)
