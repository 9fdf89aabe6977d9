"""What figures of time leave out, and why: attempts without a time, and those whose time has another source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, counted
from benchwright_attempts.clock.time_source import TimeSource

SOURCE_WORDS = {TimeSource.CLOCK: "on the clock", TimeSource.REPORTED: "as reported", TimeSource.NONE: "unknown"}
"""Source → its words after a time."""


def left_out_counts_by_reason(observations: Iterable[Observation], shown_time_source: TimeSource) -> dict[str, int]:
    """Reason → how many of these attempts a figure of time leaves out.

    Args:
        observations: The attempts that the figure is about.
        shown_time_source: The source of the times that it takes.
    """
    left_out: dict[str, int] = {}
    for observation in observations:
        source = TimeSource(observation.time_source)
        if source is shown_time_source and observation.time_s:
            continue
        reason = _REASONS[source] if source is not shown_time_source else "their clock did not run"
        left_out[reason] = left_out.get(reason, 0) + 1
    return left_out


_REASONS = {
    TimeSource.CLOCK: "their time is on a clock, and kept apart from reported times",
    TimeSource.REPORTED: "their time is reported by a file, and kept apart from times on the clock",
    TimeSource.NONE: "nothing measured their time, and no file states it",
}


def left_out_sentences(
    observations: Iterable[Observation], shown_time_source: TimeSource, figure_phrase: str = "of these times"
) -> list[str]:
    """The same as sentences; none if every attempt has such a time."""
    return [
        f"Left out {figure_phrase}: {counted(amount, 'attempt')}, since {reason}."
        for reason, amount in left_out_counts_by_reason(observations, shown_time_source).items()
    ]


def reported_times_sentences(shown_time_source: TimeSource) -> list[str]:
    """The remark that times are reported; none if they are on the clock."""
    if shown_time_source is not TimeSource.REPORTED:
        return []
    return ["Times are as a file reports them: no clock of Benchwright's ran, and nobody checked them."]


def section_by_time_source(data: Dataset, make_section: Callable[[Dataset], Section]) -> Section:
    """A section of figures of time; if times have two sources, those of the second are in tables of their own.

    Args:
        data: Everything.
        make_section: Makes the section from the times of one source.
    """
    main_part = make_section(data)
    other_parts = {
        source: make_section(data.with_time_source(source))
        for source in data.time_sources
        if data.times is None and source is not data.shown_time_source
    }
    filled_parts = {source: section_part for source, section_part in other_parts.items() if not section_part.is_empty}
    if main_part.is_empty and filled_parts:
        section_part = next(iter(filled_parts.values()))
        return replace(section_part, lead=[main_part.empty_reason, *section_part.lead])
    if not filled_parts:
        return main_part
    return replace(
        main_part,
        tables=[
            *main_part.tables,
            *(
                replace(table, title=f"{table.title}, times {SOURCE_WORDS[source]}", id="")
                for source, section_part in filled_parts.items()
                for table in section_part.all_tables
            ),
        ],
        numbers={
            **main_part.numbers,
            **{source.value: section_part.numbers for source, section_part in filled_parts.items()},
        },
    )
