"""A run: every site with every policy, each kept as soon as it is played, none played twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.problem import Problem
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.record import SiteRecord, golf_score
from benchwright_subjects.inline.run_folder import RunFolder, RunSettings, problem_digest, subject_of_server
from benchwright_subjects.inline.site_run import InlineSubject, PlayedSite, PlayRules, play_site, policy_for_site
from benchwright_subjects.inline.sites import Site, SiteKind, SiteSelection, can_be_cut, sites_of_problem
from benchwright_subjects.inline.text import measures
from benchwright_subjects.inline.workplace import remove_abandoned_workplaces

STATEMENT = "README.md"
"""The file that states the task, as in a person's workspace."""


@dataclass(frozen=True)
class SitePlan:
    """The sites to play, and how."""

    problems: Mapping[str, Problem]
    """PACK/ID → with its hidden part."""
    sites: Sequence[Site]
    subject: InlineSubject
    rules: PlayRules
    settings: RunSettings

    @property
    def site_turns(self) -> list[tuple[Site, AcceptPolicy]]:
        """Each site with each policy that differs there, problem by problem."""
        return [
            (site, policy)
            for site in self.sites
            for policy in dict.fromkeys(
                policy_for_site(site, requested_policy) for requested_policy in self.settings.policies
            )
        ]


def sites_of_problems(problems: Mapping[str, Problem], cutting: SiteSelection) -> list[Site]:
    """The sites of problems.

    Raises:
        EvaluationError: The problems have no sites.
    """
    usable = {ref: problem for ref, problem in problems.items() if can_be_cut(problem)}
    if not usable:
        raise EvaluationError(
            "None of these problems is a design with a reference solution, into which holes could be cut."
        )
    sites = [site for ref, problem in usable.items() for site in sites_of_problem(ref, problem, cutting)]
    if not sites and set(cutting.site_kinds) - {SiteKind.REPLAY}:
        raise EvaluationError("The references of these problems have no site of these kinds. Choose other --sites.")
    return sites


async def play_unplayed_turns(
    plan: SitePlan, folder: RunFolder, report_progress: Callable[[int, int, int], None]
) -> list[SiteRecord]:
    """Play what is not kept yet.

    Args:
        plan: Plan of what is played.
        folder: Folder in which it is kept; entered for writing.
        report_progress: Called with how many turns are done, how many there are, and how many were kept before.

    Returns:
        All records, in the order of the plan, without the turns at which the model's provider failed: those are not
        kept, so that they are played the next time.

    Raises:
        SubjectError: The server would fail at every site.
    """
    remove_abandoned_workplaces(plan.subject.workplaces_folder)
    kept_records = {(record.site, record.policy): record for record in folder.records()}
    turns = plan.site_turns
    earlier_count = sum((site.id, policy) in kept_records for site, policy in turns)
    done_count = earlier_count
    report_progress(done_count, len(turns), earlier_count)
    for site, policy in turns:
        if (site.id, policy) in kept_records:
            continue
        files = visible_files(plan.problems[site.problem], has_statement=plan.settings.statement)
        played_site = await play_site(site, files, plan.subject, policy, plan.rules)
        if played_site.provider_error is not None:
            continue
        record = _site_record(plan, site, policy, played_site)
        folder.append_record(record)
        kept_records[site.id, policy] = record
        done_count += 1
        report_progress(done_count, len(turns), earlier_count)
    return [kept_records[turn_key] for site, policy in turns if (turn_key := (site.id, policy)) in kept_records]


def visible_files(problem: Problem, *, has_statement: bool) -> dict[str, str]:
    """Files of a server's workspace besides the file that it is asked in: public files alone."""
    files = dict(problem.public.files)
    if has_statement:
        files[STATEMENT] = problem.public.statement
    return files


def problem_digest_for_run(problem: Problem) -> str:
    """SHA-256 over all of a problem that a run depends on."""
    return problem_digest(problem.public_digest, problem.harness_digest, dict(problem.hidden.reference))


def _site_record(plan: SitePlan, site: Site, policy: AcceptPolicy, played_site: PlayedSite) -> SiteRecord:
    efforts = measures.measure_efforts(site, played_site)
    bare = SiteRecord(
        site=site.id,
        problem=site.problem,
        problem_digest=plan.settings.problems[site.problem],
        path=site.path,
        kind=site.kind,
        unit=site.unit,
        subject=subject_of_server(plan.settings, played_site.server_name.name, played_site.server_name.version),
        dialect=plan.subject.dialect.name,
        policy=policy,
        mode=plan.rules.refusal,
        seed=plan.settings.seed,
        steps=tuple(played_site.steps),
        cancelled=sum(latency is None for latency in played_site.latencies_ms),
        failure=None if played_site.failure is None else played_site.failure.failure,
        failure_code=None if played_site.failure is None else played_site.failure.code,
        server_end=None if played_site.failure is None else played_site.failure.end,
        likeness=measures.offer_likeness(site, played_site),
        efforts=efforts,
        golf=None,
        snapshots=tuple(played_site.snapshots),
        model_use=played_site.model_use,
        times=played_site.times,
    )
    if site.kind is SiteKind.REPLAY:
        return bare
    golf = golf_score(efforts, bare.accepts, measures.filled_line_count(site.expected_text))
    return bare.model_copy(update={"golf": None if golf is None else round(golf, 6)})
