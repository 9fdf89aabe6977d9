"""`benchwright completion run`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_harness.sandbox.registry import DEFAULT_SANDBOX
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_server.cli.completion.report import print_report_and_write_page
from benchwright_server.cli.completion.server import ServerOptions
from benchwright_server.cli.terminal import options
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.output import err, exit_on_expected_error
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.sites import SiteKind, SiteSelection, kinds_of_names

if TYPE_CHECKING:
    # What talks to a server takes half a second to import: only a run pays.
    from benchwright_subjects.inline.grading import GradingPlace
    from benchwright_subjects.inline.record import SiteRecord
    from benchwright_subjects.inline.run import SitePlan
    from benchwright_subjects.inline.run_folder import RunFolder
    from benchwright_subjects.inline.site_run import PlayRules

_GO_ON = "What was played is kept: the same command continues where it stopped."
_CUT = ",".join(kind for kind in SiteKind if kind not in (SiteKind.REPLAY, SiteKind.TYPE_THROUGH))


@dataclass(frozen=True)
class SiteOptions:
    """Options that choose the sites and their problems."""

    pack: Annotated[str, typer.Option(help="A pack with design problems; needed unless --study is given.")] = ""
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
    study: Annotated[
        str,
        typer.Option(
            metavar="ID", help="Replay all attempts of people in this closed study; no other sites are played."
        ),
    ] = ""
    pause_ms: Annotated[int, typer.Option(min=1, help="Milliseconds without an edit that make a pause.")] = 1000
    seed: Annotated[int, typer.Option(min=0, help="Draws the holes.")] = 1

    @property
    def site_kinds(self) -> list[SiteKind]:
        """The kinds of sites that are played.

        Raises:
            EvaluationError: A kind is unknown.
        """
        if self.study:
            return [SiteKind.REPLAY]
        return kinds_of_names([name.strip() for name in self.sites.split(",") if name.strip()])


@dataclass(frozen=True)
class PlayOptions:
    """Options for playing the sites."""

    policy: Annotated[
        list[AcceptPolicy] | None, typer.Option(help="What is accepted; may be repeated; `first-line` if not given.")
    ] = None
    bounds: Annotated[bool, typer.Option(help="Play the policies `never` (floor) and `matches` (ceiling) too.")] = True
    mode: Annotated[
        RefusalConsequence,
        typer.Option(help="After a refusal, type the reference's next line (assisted), or stop (alone)."),
    ] = RefusalConsequence.ASSISTED
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Ask as an editor does while somebody types, not as if asked by a key.")
    ] = False
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds after which a request is given up.")] = 10.0
    most_asks: Annotated[int, typer.Option(min=1, help="Most requests at a site in the mode alone.")] = 100
    next_edits: Annotated[
        bool,
        typer.Option(
            "--next-edits", help="After each accepted offer, ask for next edits too; the policy takes them or not."
        ),
    ] = False
    statement: Annotated[bool, typer.Option(help="Put the problem's statement into the workspace.")] = True

    @property
    def played_policies(self) -> tuple[AcceptPolicy, ...]:
        """All that are played, in the order of the enumeration."""
        chosen_policies = {
            *(self.policy or [AcceptPolicy.FIRST_LINE]),
            *((AcceptPolicy.NEVER, AcceptPolicy.MATCHES) if self.bounds else ()),
        }
        return tuple(policy for policy in AcceptPolicy if policy in chosen_policies)

    @property
    def play_rules(self) -> PlayRules:
        """As a site is played by."""
        from benchwright_subjects.inline.dialects.lsp import Trigger
        from benchwright_subjects.inline.site_run import PlayRules

        trigger = Trigger.AUTOMATIC if self.automatic else Trigger.INVOKED
        return PlayRules(self.mode, trigger, self.timeout, self.most_asks, self.next_edits)


def run_command(
    server: ServerOptions,
    sites: SiteOptions,
    playing: PlayOptions,
    output: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the run; only you can read it.")],
    grade: Annotated[bool, typer.Option(help="Run the hidden tests on what was written.")] = True,
    most_tested: Annotated[
        int, typer.Option(min=0, help="Most wrong offers of replays that the hidden tests run on; --seed draws them.")
    ] = 100,
    sandbox: options.Sandbox = DEFAULT_SANDBOX,
    jobs: options.Jobs = None,
    json_output: options.Json = False,
) -> None:
    """Ask an inline-completion server at holes of reference solutions, accept by a fixed policy, and grade the result.

    The server sees a copy that never held what belongs in the hole. The same command continues an interrupted run.
    Exit status: 0 all is played, 1 the server or its model's provider failed at some sites, 2 the run could not begin
    or go on.
    """
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright completion run`", "baselines"),
        end_cleanly_on_signal(_GO_ON),
    ):
        from benchwright_server.cli.completion.attempts import OfferTestOptions, hindsight_on_offers
        from benchwright_subjects.inline.grading import GradingPlace
        from benchwright_subjects.inline.run_folder import RunFolder
        from benchwright_subjects.inline.server.confinement import missing_protection_remark, secret_folders

        home, folder = Home.from_environment(), RunFolder(output)
        sites = _with_attempts_of_study(sites)
        problems = _unsealed_problems_by_ref(Store(home), sites)
        plan = _site_plan(server, sites, playing, problems, secret_folders(home, output))
        if remark := missing_protection_remark():
            err.print(remark)
        with folder.open_for_writing(plan.settings):
            records = _play_with_progress(plan, folder)
            grading_place = GradingPlace(home, sandbox, jobs)
            if grade:
                _grade_with_progress(records, problems, grading_place, folder)
            if SiteKind.REPLAY in plan.settings.kinds:
                tested_offers = OfferTestOptions(grading_place, most_tested, sites.seed) if grade else None
                folder.replace_hindsights(
                    hindsight_on_offers(plan.sites, records, problems, sites.pause_ms, tested_offers)
                )
        _print_unanswered_requests(records)
        print_report_and_write_page([output], json_output=json_output)
        missing_count = len(plan.site_turns) - len(records)
        if missing_count:
            err.print(
                f"{missing_count} of {len(plan.site_turns)} sites have no result, because the model's provider failed. "
                "The same command plays them again.",
                soft_wrap=True,
            )
        if missing_count or any(record.failure for record in records):
            raise typer.Exit(1)


def _with_attempts_of_study(site_options: SiteOptions) -> SiteOptions:
    """With the attempts of the study, if one is given."""
    if not site_options.study:
        if not site_options.pack:
            raise ServerError("Give --pack PACK, or --study ID to replay a closed study.")
        return site_options
    if site_options.pack or site_options.problem or site_options.attempt:
        raise ServerError("--study replays all of a study: leave out --pack, --problem and --attempt.")
    from benchwright_server.cli.completion.attempts import recorded_attempt_ids_of_study

    return replace(site_options, attempt=recorded_attempt_ids_of_study(site_options.study))


def _unsealed_problems_by_ref(store: Store, site_options: SiteOptions) -> dict[str, Problem]:
    if site_options.study:
        from benchwright_server.cli.completion.attempts import problem_refs_of_attempts

        return {ref: store.unseal(ref) for ref in problem_refs_of_attempts(site_options.attempt or ())}
    names = site_options.problem or [problem.id for problem in store.public_pack(site_options.pack).problems]
    return {f"{site_options.pack}/{name}": store.unseal(f"{site_options.pack}/{name}") for name in names}


def _site_plan(
    server_options: ServerOptions,
    site_options: SiteOptions,
    play_options: PlayOptions,
    problems_by_ref: Mapping[str, Problem],
    secret_folders: tuple[Path, ...],
) -> SitePlan:
    from benchwright_server.cli.completion.attempts import replayed_sites
    from benchwright_subjects.inline.dialects.registered import DIALECTS
    from benchwright_subjects.inline.run import SitePlan, problem_digest_for_run, sites_of_problems
    from benchwright_subjects.inline.run_folder import RunSettings
    from benchwright_subjects.inline.server.configuration import configuration_digest
    from benchwright_subjects.inline.server.confinement import can_confine, workplaces_folder_of
    from benchwright_subjects.inline.site_run import InlineSubject

    launch = server_options.server_launch(secret_folders)
    site_kinds = site_options.site_kinds
    chosen_sites = (
        sites_of_problems(
            problems_by_ref, SiteSelection(site_kinds, site_options.per_kind, site_options.longest, site_options.seed)
        )
        if not site_options.study
        else []
    )
    if SiteKind.REPLAY in site_kinds:
        chosen_sites += replayed_sites(site_options.attempt, problems_by_ref, site_options.pause_ms)
    if not chosen_sites and site_options.study:
        raise ServerError(
            f"Nobody paused for {site_options.pause_ms} ms in a design of the study {site_options.study}."
        )
    if not chosen_sites:
        raise ServerError("There are no sites of these kinds. Choose other --sites.")
    used_problems = {site.problem for site in chosen_sites}
    settings = RunSettings(
        command=launch.command,
        dialect=server_options.dialect,
        configuration=configuration_digest(launch, server_options.dialect, server_options.initialization_options),
        model=server_options.model,
        pack=site_options.pack,
        pack_version=Store(Home.from_environment()).public_pack(site_options.pack).version if site_options.pack else "",
        problems={
            ref: problem_digest_for_run(problem) for ref, problem in problems_by_ref.items() if ref in used_problems
        },
        kinds=tuple(site_kinds),
        attempts=tuple(site_options.attempt or ()),
        study=site_options.study,
        pause_ms=site_options.pause_ms if SiteKind.REPLAY in site_kinds else None,
        per_kind=site_options.per_kind,
        longest=site_options.longest,
        seed=site_options.seed,
        policies=play_options.played_policies,
        mode=play_options.mode,
        trigger=play_options.play_rules.trigger,
        timeout_s=play_options.timeout,
        most_asks=play_options.most_asks,
        next_edits=play_options.next_edits,
        statement=play_options.statement,
        confined=can_confine(),
        sites=len(chosen_sites),
    )
    dialect = DIALECTS[server_options.dialect](server_options.initialization_options)
    subject = InlineSubject(
        launch,
        dialect,
        os.environ,
        workplaces_folder_of(Home.from_environment()),
        server_options.served_model(site_options.seed),
    )
    return SitePlan(problems_by_ref, chosen_sites, subject, play_options.play_rules, settings)


def _play_with_progress(plan: SitePlan, run_folder: RunFolder) -> list[SiteRecord]:
    from benchwright_subjects.inline.run import play_unplayed_turns

    with progress("asking", len(plan.site_turns), "sites") as meter:
        return asyncio.run(play_unplayed_turns(plan, run_folder, meter.show_counts))


def _print_unanswered_requests(site_records: list[SiteRecord]) -> None:
    uses = [record.model_use for record in site_records if record.model_use is not None]
    request_count, answer_count = sum(use.requests for use in uses), sum(use.answered for use in uses)
    if request_count > answer_count:
        err.print(
            f"{request_count - answer_count} of {request_count} requests to the model were given up or failed.",
            soft_wrap=True,
        )


def _grade_with_progress(
    site_records: list[SiteRecord],
    problems_by_ref: Mapping[str, Problem],
    grading_place: GradingPlace,
    run_folder: RunFolder,
) -> None:
    from benchwright_subjects.inline.grading import grade_snapshots_of_records

    snapshots = sum(len(record.snapshots) for record in site_records)
    with progress("grading", snapshots, "runs") as meter:
        verdicts = asyncio.run(
            grade_snapshots_of_records(
                site_records,
                problems_by_ref,
                grading_place,
                lambda run_progress: meter.show_counts(
                    run_progress.finished_runs, run_progress.planned_runs, run_progress.known_runs
                ),
            )
        )
    run_folder.replace_verdicts(verdicts)
