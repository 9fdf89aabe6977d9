"""The report's sections: what passed, what was saved, what was offered, how fast, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright_analysis.completion.beside_people import replayed_pauses_section
from benchwright_analysis.completion.latency import Latencies, summarise_latencies
from benchwright_analysis.completion.numbers import (
    PassShares,
    funnel,
    offer_likeness,
    pass_shares_if_graded,
    typing_saved,
)
from benchwright_analysis.completion.played_runs import PlayedRun, SiteGroup
from benchwright_analysis.completion.tables import estimate_or_dash, latency_table
from benchwright_analysis.completion.tokens import tokens_section
from benchwright_analysis.report import charts
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable, counted
from benchwright_foundation.number_text import percent
from benchwright_judges.agreement.estimators import Estimate
from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import SiteRecord
from benchwright_subjects.inline.sites import SiteKind

_NAMES = ("subject", "sites", "policy")
_BOUNDS = {AcceptPolicy.NEVER: "floor", AcceptPolicy.MATCHES: "ceiling"}
_FEW = "Fewer than four problems give no interval."


def completion_sections(runs: Sequence[PlayedRun], site_groups: Sequence[SiteGroup], *, seed: int) -> list[Section]:
    """All sections, in order."""
    passed_by_part = {id(site_group): pass_shares_if_graded(site_group) for site_group in site_groups}
    graded_groups = [
        (site_group, passed_part)
        for site_group in site_groups
        if (passed_part := passed_by_part[id(site_group)]) is not None
    ]
    return [
        _answer_section(runs, graded_groups),
        _pass_share_section(graded_groups),
        _typing_saved_section(site_groups),
        _funnel_section(site_groups),
        _likeness_section(site_groups),
        replayed_pauses_section(runs),
        _latency_section(runs, seed),
        tokens_section(site_groups, _NAMES),
        _failures_section(runs),
        _conditions_section(runs),
    ]


def _answer_section(runs: Sequence[PlayedRun], graded_groups: Sequence[tuple[SiteGroup, PassShares]]) -> Section:
    lead = []
    for run in runs:
        sites = len({record.site for record in run.records})
        problems = len({record.problem for record in run.records})
        unplayed_sites = run.settings.sites - sites
        lead.append(_played_sentence(run.label, sites, problems, unplayed_sites))
        for site_group, passed_part in graded_groups:
            if site_group.run is run:
                bound = f" ({_BOUNDS[site_group.policy]})" if site_group.policy in _BOUNDS else ""
                at_end = estimate_or_dash(passed_part.at_end, as_share=True)
                lead.append(
                    f"{run.label}, {site_group.kind}, policy {site_group.policy}{bound}: {at_end} passed at the end."
                )
    return Section("answer", "The answer", lead, is_list=True, empty_reason="" if runs else "There are no runs.")


def _played_sentence(run_label: str, site_count: int, problem_count: int, unplayed_count: int) -> str:
    unplayed_note = f"; {counted(unplayed_count, 'site')} not played yet" if unplayed_count else ""
    return f"{run_label}: {counted(site_count, 'site')} of {counted(problem_count, 'problem')}{unplayed_note}."


def _pass_share_section(graded_groups: Sequence[tuple[SiteGroup, PassShares]]) -> Section:
    title = "Hidden tests passed"
    if not graded_groups:
        return Section("passed", title, empty_reason="Nothing was graded.")
    steps = sorted({int(accepts) for _, passed_part in graded_groups for accepts in passed_part.after})
    columns = (*_NAMES, "graded", "undecided", *(f"after {accepts}" for accepts in steps), "at the end")
    rows: list[Sequence[Cell]] = [
        (
            *site_group.name_cells,
            passed_part.graded,
            passed_part.undecided,
            *(
                estimate_or_dash(passed_part.after.get(str(accepts), passed_part.at_end), as_share=True)
                for accepts in steps
            ),
            estimate_or_dash(passed_part.at_end, as_share=True),
        )
        for site_group, passed_part in graded_groups
    ]
    note = (
        "Share of the sites whose file passed after this many accepted offers, unfinished as it was, or at the end if "
        f"there were fewer. The policy `never` is the floor, `matches` the ceiling. {_FEW}"
    )
    if any(site_group.run.settings.mode is RefusalConsequence.ASSISTED for site_group, _ in graded_groups):
        note += " In the mode assisted, what is missing is typed: what does not pass at the end is what offers broke."
    table = SortableTable("Passed, by accepted offers", columns, rows, note)
    named_shares = {_joined_group_name(site_group): passed_part for site_group, passed_part in graded_groups}
    return Section("passed", title, pictures=_pass_share_pictures(graded_groups, table), numbers=named_shares)


def _pass_share_pictures(
    graded_groups: Sequence[tuple[SiteGroup, PassShares]], table: SortableTable
) -> list[SectionPicture]:
    groups = list(dict.fromkeys(_run_and_policy_label(site_group) for site_group, _ in graded_groups))
    shown_groups = groups[: charts.MOST_GROUPS]
    rows = [
        {
            "label": site_group.kind.value,
            "group": _run_and_policy_label(site_group),
            **_value_and_bounds(passed_part.at_end),
        }
        for site_group, passed_part in graded_groups
        if _run_and_policy_label(site_group) in shown_groups and passed_part.at_end is not None
    ]
    alt = "Share of sites passed at the end, by kind of site. " + " ".join(
        f"{row['group']}, {row['label']}: {percent(float(row['value'] or 0))}." for row in rows
    )
    svg = charts.interval_chart(rows, shown_groups, x_title="passed at the end", y_title="")
    return [
        SectionPicture(
            "passed-at-end", "Passed at the end", alt + charts.note_if_omitted(shown_groups, groups), svg, table
        )
    ]


def _typing_saved_section(site_groups: Sequence[SiteGroup]) -> Section:
    part_characters = [
        (site_group, typing_saved(site_group)) for site_group in site_groups if site_group.kind is not SiteKind.REPLAY
    ]
    rows: list[Sequence[Cell]] = [
        (
            *site_group.name_cells,
            part_counts.expected,
            estimate_or_dash(part_counts.saved, as_share=True),
            estimate_or_dash(part_counts.typed_as_offered, as_share=True),
            estimate_or_dash(part_counts.retained, as_share=True),
            estimate_or_dash(part_counts.golf),
        )
        for site_group, part_counts in part_characters
    ]
    note = (
        "Characters without white space. Saved: accepted ones that stay when somebody corrects the text to the "
        "reference, less those that have to be deleted, as a share of the reference's. Typed as offered: those that "
        "were typed by hand although the offer that had just been refused begins with them, as a share of the "
        "reference's. Retained: those that stay, as a "
        f"share of the accepted. Golf: 0 if each line took one accept, 1 if everything was typed. {_FEW}"
    )
    table = SortableTable(
        "Characters", (*_NAMES, "expected", "saved", "typed as offered", "retained", "golf"), rows, note
    )
    named_counts = {_joined_group_name(site_group): part_counts for site_group, part_counts in part_characters}
    empty_note = "" if part_characters else "No site of a reference was played."
    return Section(
        "characters", "How much typing it saved", tables=[table], numbers=named_counts, empty_reason=empty_note
    )


def _funnel_section(site_groups: Sequence[SiteGroup]) -> Section:
    part_funnels = [(site_group, funnel(site_group)) for site_group in site_groups]
    rows: list[Sequence[Cell]] = [
        (
            *site_group.name_cells,
            len(site_group.records),
            part_funnel.requests,
            estimate_or_dash(part_funnel.shown, as_share=True),
            estimate_or_dash(part_funnel.accepted, as_share=True),
            estimate_or_dash(part_funnel.partly, as_share=True),
            estimate_or_dash(part_funnel.repeats_suffix, as_share=True),
            part_funnel.next_edits,
            part_funnel.next_edits_taken,
            part_funnel.cancelled,
        )
        for site_group, part_funnel in part_funnels
    ]
    columns = (
        *(*_NAMES, "played", "requests", "shown", "accepted", "partly", "repeat the suffix"),
        *("next edits", "next edits taken", "given up"),
    )
    note = (
        "Shown: share of the requests that were answered with an offer in time. Accepted, in whole or in part, and the "
        f"two after it: share of the shown. Next edits are asked for with --next-edits, after accepted offers. {_FEW}"
    )
    table = SortableTable("From request to accepted offer", columns, rows, note)
    return Section(
        "funnel",
        "What was offered",
        tables=[table],
        numbers={_joined_group_name(site_group): part_funnel for site_group, part_funnel in part_funnels},
    )


def _likeness_section(site_groups: Sequence[SiteGroup]) -> Section:
    part_likenesses = [
        (site_group, likeness) for site_group in site_groups if (likeness := offer_likeness(site_group)).sites
    ]
    rows: list[Sequence[Cell]] = [
        (
            *site_group.name_cells,
            likeness.sites,
            estimate_or_dash(likeness.exact, as_share=True),
            estimate_or_dash(likeness.edit_similarity),
            estimate_or_dash(likeness.identifier_f1),
            estimate_or_dash(likeness.parses, as_share=True),
            estimate_or_dash(likeness.lines_kept, as_share=True),
        )
        for site_group, likeness in part_likenesses
    ]
    columns = (*_NAMES, "offers", "exact", "edit similarity", "identifier F1", "parses", "lines the author wrote")
    note = (
        "The first offer at each site beside the reference, or in a replay beside what its author wrote next. A replay "
        "is counterfactual: it shows agreement, not time saved. Likeness does not show that a design works."
    )
    table = SortableTable("First offers", columns, rows, note)
    empty_note = "" if part_likenesses else "Nothing was offered."
    named_likenesses = {_joined_group_name(site_group): likeness for site_group, likeness in part_likenesses}
    return Section("alike", "How like the reference", tables=[table], numbers=named_likenesses, empty_reason=empty_note)


def _latency_section(runs: Sequence[PlayedRun], seed: int) -> Section:
    latencies_by_label: dict[str, Latencies] = {}
    for run in runs:
        at_wire = [(value, record.problem) for record in run.records for value in record.times.latencies_ms]
        at_text = [(value, record.problem) for record in run.records for value in record.times.drawn_ms]
        for label, timed_problems in ((run.label, at_wire), (f"{run.label}, drawn", at_text)):
            label_latencies = summarise_latencies(
                [value for value, _ in timed_problems], [problem for _, problem in timed_problems], seed=seed
            )
            if label_latencies is not None:
                latencies_by_label[label] = label_latencies
    table = latency_table(latencies_by_label)
    return Section(
        "latency",
        "How fast",
        tables=[table],
        numbers=latencies_by_label,
        empty_reason="" if latencies_by_label else "Nothing was asked.",
    )


def _failures_section(runs: Sequence[PlayedRun]) -> Section:
    failures_by_run = {
        run.label: Counter(record.failure.value for record in run.records if record.failure is not None) for run in runs
    }
    ends_by_run = {
        run.label: Counter(
            (record.failure.value, _server_end_words(record)) for record in run.records if record.failure is not None
        )
        for run in runs
    }
    rows: list[Sequence[Cell]] = [
        (label, name, end, amount)
        for label, counts in ends_by_run.items()
        for (name, end), amount in sorted(counts.items())
    ]
    columns = ("subject", "failure", "who ended it", "sites")
    table = SortableTable("Sites that a failure of the server ended", columns, rows)
    empty_note = "" if rows else "No site was ended by a failure of the server."
    return Section("failures", "What went wrong", tables=[table], numbers=failures_by_run, empty_reason=empty_note)


def _server_end_words(record: SiteRecord) -> str:
    return "unknown" if record.server_end is None else record.server_end.sentence


def _conditions_section(runs: Sequence[PlayedRun]) -> Section:
    rows: list[Sequence[Cell]] = [
        (
            run.label,
            " ".join(run.settings.command),
            run.settings.dialect,
            run.settings.model or "unknown",
            run.settings.mode.value,
            run.settings.seed,
            f"{run.settings.timeout_s:g} s",
            run.settings.statement,
            run.settings.confined,
            run.settings.configuration[:12],
        )
        for run in runs
    ]
    columns = (
        *("subject", "command", "dialect", "model", "after a refusal", "seed", "time-out"),
        *("sees the statement", "confined", "configuration"),
    )
    note = (
        "Each site had a process, a home and a document of its own, and a workspace with the problem's public files. "
        "What a service behind a server remembers is not known here."
    )
    numbers: Mapping[str, object] = {run.label: run.settings for run in runs}
    return Section(
        "conditions", "Under which conditions", tables=[SortableTable("Runs", columns, rows, note)], numbers=numbers
    )


def _value_and_bounds(estimate: Estimate | None) -> dict[str, float | None]:
    return {} if estimate is None else {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _run_and_policy_label(site_group: SiteGroup) -> str:
    return f"{site_group.run.label}, {site_group.policy}"


def _joined_group_name(site_group: SiteGroup) -> str:
    return " | ".join(site_group.name_cells)
