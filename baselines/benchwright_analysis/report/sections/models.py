"""Models on the same problems: pass@k, what they cost, and the length of task that they still manage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SectionPicture,
    SortableTable,
    counted,
    interval_text,
    text_with_interval,
)
from benchwright_analysis.report.sections.times_left_out import (
    left_out_counts_by_reason,
    left_out_sentences,
    reported_times_sentences,
    section_by_time_source,
)
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.horizon import HorizonFit, Weights, human_time_horizon
from benchwright_analysis.statistics.pass_at_k import ProblemSamples, cvdp_mean_success, mean_pass_at_k
from benchwright_analysis.statistics.survival import kaplan_meier
from benchwright_foundation.number_text import number, percent
from benchwright_problems.partial_date import may_be_before_or_equal

_SCORED = ("cid006", "cid008", "cid009", "cid010")
_KS = (1, 5, 10)


def models_section(data: Dataset) -> Section:
    """Pass@k, tokens and money."""
    title = "Models: samples, tokens, cost"
    by_group = {
        group: observations
        for group in data.groups
        if (
            observations := [
                attempt.observation for attempt in data.counted_attempts_in(group) if not attempt.observation.is_person
            ]
        )
    }
    if not by_group:
        notice = "No model or agent worked on these problems. `benchwright eval --pack … --model …` lets one."
        return Section("models", title, empty_reason=notice)
    rows: list[Sequence[Cell]] = []
    numbers: dict[str, object] = {}
    for group, observations in by_group.items():
        decided_observations = [observation for observation in observations if observation.censored_by != "not_decided"]
        problems = _observations_by_problem(decided_observations)
        if not problems:
            continue
        fewest = min(len(attempts) for attempts in problems.values())
        pass_estimates: dict[str, object] = {}
        for k in sorted({k for k in (*_KS, fewest) if k <= fewest}):
            estimate = mean_pass_at_k(
                [len(attempts) for attempts in problems.values()],
                [sum(observation.passed for observation in attempts) for attempts in problems.values()],
                k,
                seed=data.seed,
            )
            overall = cvdp_mean_success([_cvdp_samples(attempts) for attempts in problems.values()], k)
            pass_estimates[f"pass@{k}"] = {"estimate": estimate, "cvdp_overall": overall}
            plug_in = percent(estimate.cvdp_plug_in.value)
            unbiased = text_with_interval(estimate.unbiased, as_share=True)
            rows.append((group, len(problems), len(decided_observations), k, unbiased, plug_in, percent(overall)))
        numbers[group] = {
            **pass_estimates,
            "usage": _usage_numbers(observations),
            "packs": _pack_exposure_numbers(observations),
        }
    note = (
        "Pass@k is the unbiased estimate 1 - C(n-c, k)/C(n, k). CVDP's own value puts the observed rate into "
        "1 - (1 - c/n)^k, which is too low on average for k > 1; it is shown for comparison with published numbers, "
        "and so does its overall value, which takes the mean score of problems that are scored from 0 to 1."
    )
    columns = ("model", "problems", "samples", "k", "pass@k (95 % interval)", "CVDP's plug-in", "CVDP's overall")
    passes = SortableTable("Pass@k", columns, rows, note)
    usage_table = SortableTable(
        "What models used",
        ("model", "samples", "calls", "tokens sent", "tokens received", "cost (US$)", "tokens per solved problem"),
        [
            (
                group,
                len(observations),
                *(
                    sum(getattr(observation, name) for observation in observations) or None
                    for name in ("calls", "input_tokens", "output_tokens")
                ),
                number(_known_cost_usd(observations), 4),
                _tokens_per_solved_cell(observations),
            )
            for group, observations in by_group.items()
        ],
        "A dash: the provider did not tell, or the replies were made elsewhere.",
    )
    return Section(
        "models", title, (), (), (passes, usage_table, _prompts_table(by_group), _exposure_table(by_group)), numbers
    )


def _prompts_table(observations_by_group: Mapping[str, Sequence[Observation]]) -> SortableTable:
    prompt_counts = Counter(
        (group, observation.prompts or "–")
        for group, observations in observations_by_group.items()
        for observation in observations
    )
    return SortableTable(
        "Prompts that models were asked with",
        ("model", "prompts and digest", "samples"),
        [(group, prompts, samples) for (group, prompts), samples in prompt_counts.items()],
        "`benchwright` asks in its own form; the others have the structure of the benchmark that they are named after, "
        "in words of our own. A dash: an agent's task, a template, or replies made elsewhere.",
    )


def _pack_exposure_numbers(observations: Sequence[Observation]) -> list[dict[str, object]]:
    """The packs that a model was asked, with their dates and the model's."""
    dates = Counter(
        (observation.pack, observation.published, observation.knowledge_cutoff) for observation in observations
    )
    return [
        {
            "pack": pack,
            "published": published_on or None,
            "knowledge_cutoff": cutoff or None,
            "samples": samples,
            "may_have_seen": may_be_before_or_equal(published_on, cutoff) if published_on and cutoff else None,
        }
        for (pack, published_on, cutoff), samples in dates.items()
    ]


def _exposure_table(observations_by_group: Mapping[str, Sequence[Observation]]) -> SortableTable:
    dates = Counter(
        (group, observation.pack, observation.published, observation.knowledge_cutoff)
        for group, observations in observations_by_group.items()
        for observation in observations
    )
    return SortableTable(
        "Whether models may have seen the problems",
        ("model", "pack", "published", "training cut-off", "samples", "note"),
        [
            (
                group,
                pack,
                published_on or "unknown",
                cutoff or "unknown",
                samples,
                _contamination_note(published_on, cutoff),
            )
            for (group, pack, published_on, cutoff), samples in dates.items()
        ],
        "Published: when the first of the pack's problems were. Training cut-off: as it was given for the run, or as "
        "Inspect knows it. Problems can be older than their pack, and a provider can train a model further.",
    )


def _contamination_note(published_on: str, training_cutoff: str) -> str:
    if not published_on or not training_cutoff:
        unknown_dates = [
            label
            for label, date in (("the pack's date", published_on), ("the model's cut-off", training_cutoff))
            if not date
        ]
        verb = "are" if len(unknown_dates) > 1 else "is"
        return f"{' and '.join(unknown_dates)} {verb} unknown: the model may have seen these problems"
    if may_be_before_or_equal(published_on, training_cutoff):
        return "published before the cut-off: the model may have seen these problems"
    return "published after the cut-off"


def _observations_by_problem(observations: Sequence[Observation]) -> dict[str, list[Observation]]:
    problems: dict[str, list[Observation]] = {}
    for observation in observations:
        problems.setdefault(observation.problem, []).append(observation)
    return problems


def _cvdp_samples(observations: Sequence[Observation]) -> ProblemSamples:
    scored = observations[0].category in _SCORED
    scores = tuple((observation.score or 0.0) if scored else float(observation.passed) for observation in observations)
    return ProblemSamples(scores, is_score_based=scored)


def _usage_numbers(observations: Sequence[Observation]) -> dict[str, object]:
    """Counted usage; None for what is not known, such as what a copilot with an account of its own used."""
    return {
        "calls": sum(observation.calls for observation in observations) or None,
        "input_tokens": sum(observation.input_tokens for observation in observations) or None,
        "output_tokens": sum(observation.output_tokens for observation in observations) or None,
        "total_tokens": sum(observation.total_tokens for observation in observations) or None,
        "cost_usd": _known_cost_usd(observations),
    }


def _known_cost_usd(observations: Sequence[Observation]) -> float | None:
    costs = [observation.cost_usd for observation in observations if observation.cost_usd is not None]
    return sum(costs) if costs else None


def _tokens_per_solved_cell(observations: Sequence[Observation]) -> Cell:
    solved_count = sum(observation.passed for observation in observations)
    tokens = sum(observation.total_tokens for observation in observations)
    return round(tokens / solved_count) if solved_count and tokens else "–"


def horizon_section(data: Dataset) -> Section:
    """The human time horizon of models and agents."""
    title = "Human time horizon of models"
    return section_by_time_source(data, lambda timed_data: _horizon_section_of_times(timed_data, title))


def _horizon_section_of_times(data: Dataset, title: str) -> Section:
    """The horizon by human times of one source."""
    minutes, unsolved = human_minutes_and_unsolved_count(data)
    unaided_rows = [observation for observation in data.decided_observations if observation.solver == "human"]
    left_out = left_out_sentences(unaided_rows, data.shown_time_source)
    fits: dict[str, HorizonFit] = {}
    sentences = []
    for group in data.groups:
        observations = [
            attempt.observation
            for attempt in data.counted_attempts_in(group)
            if not attempt.observation.is_person
            and attempt.observation.problem in minutes
            and attempt.observation.censored_by != "not_decided"
        ]
        if not observations:
            continue
        try:
            fits[group] = human_time_horizon(
                [minutes[observation.problem] for observation in observations],
                [observation.passed for observation in observations],
                [observation.problem for observation in observations],
                [observation.family for observation in observations],
                weights=data.weights,
                seed=data.seed,
            )
        except StatisticsError as error:
            sentences.append(f"{group}: {error}")
    if not fits:
        needed = "It needs attempts of a model at problems that people solved too, with a time."
        told_why = " ".join([*(sentences or [needed]), *left_out])
        return Section("horizon", title, empty_reason=f"There is no horizon to fit. {told_why}")
    rows: list[Sequence[Cell]] = [
        (
            group,
            percent(level_horizon.level),
            number(level_horizon.minutes, 1),
            interval_text(level_horizon.low, level_horizon.high, digits=1),
            "yes" if level_horizon.beyond_data else "no",
            fit.problems,
            fit.note,
        )
        for group, fit in fits.items()
        for level_horizon in fit.horizons
    ]
    columns = ("model", "success rate", "minutes of people", "95 % interval", "outside the problems tried", "problems")
    table = SortableTable("Horizon, by model", (*columns, "note"), rows)
    shown_groups = [group for group, fit in fits.items() if fit.curve is not None][: charts.MOST_GROUPS]
    lead = [
        "How long a task takes people, until a model succeeds at half, or at 80 %, of such tasks. A problem's human "
        "time is the median time to a pass of people working without help (Kaplan and Meier), so that those who did "
        "not solve it count too.",
        _WEIGHTS[data.weights],
        *reported_times_sentences(data.shown_time_source),
        *left_out,
    ]
    if unsolved:
        lead.append(f"{counted(unsolved, 'problem')} that less than half of the people solved have no such time.")
    numbers = {
        "human_minutes": minutes,
        "time_source": data.shown_time_source.value,
        "left_out": left_out_counts_by_reason(unaided_rows, data.shown_time_source),
        "fits": fits,
    }
    pictures = [_horizon_picture(data, fits, shown_groups, minutes, table)] if shown_groups else []
    return Section("horizon", title, [*lead, *sentences], pictures, () if pictures else (table,), numbers)


def human_minutes_and_unsolved_count(data: Dataset) -> tuple[dict[str, float], int]:
    """Problem → median minutes of people without help, as far as known; and how many problems have none."""
    # Who was allowed a copilot and did not use it was still not drawn to work alone.
    unaided_observations = [
        observation
        for observation in data.timed_observations
        if {observation.solver, observation.assigned_solver or "human"} == {"human"}
    ]
    median_minutes: dict[str, float] = {}
    problems = _observations_by_problem(unaided_observations)
    for problem, attempts in sorted(problems.items()):
        curve = kaplan_meier(
            [observation.minutes for observation in attempts], [observation.passed for observation in attempts]
        )
        if curve.median.value is not None and curve.median.value > 0:
            median_minutes[problem] = curve.median.value
    return median_minutes, len(problems) - len(median_minutes)


def _half_success_text(fit: HorizonFit) -> str:
    """The horizon at one half with its interval, and whether it was tried."""
    half = fit.horizons[0]
    spread = interval_text(half.low, half.high, digits=1)
    half_interval = f"95 % interval {spread}" if spread != "–" else "no interval"
    tried_range = f"{number(fit.shortest, 1)} to {number(fit.longest, 1)}"
    beyond = f"; outside the problems tried, which take {tried_range} minutes" if half.beyond_data else ""
    return f"{number(half.minutes, 1)} minutes ({half_interval}{beyond})"


_WEIGHTS = {
    Weights.ATTEMPTS: "Every attempt counts alike, so this is not METR's horizon; `--weights metr` weighs as METR "
    "does.",
    Weights.METR: "Weights are METR's: a problem's attempts share its weight, one over the square root of the number "
    "of problems in its family.",
}


def _horizon_picture(
    data: Dataset,
    fits: Mapping[str, HorizonFit],
    shown_groups: Sequence[str],
    human_minutes_by_problem: Mapping[str, float],
    table: SortableTable,
) -> SectionPicture:
    rows: list[charts.Row] = []
    points: list[charts.Row] = []
    for group in shown_groups:
        curve = fits[group].curve
        if curve is None:
            continue
        for minute, value, low, high in zip(curve.minutes, curve.success, curve.low, curve.high, strict=True):
            rows.append({"x": minute, "y": value, "low": low, "high": high, "group": group})
        for problem, attempts in _observations_by_problem(
            [observation for observation in data.decided_observations if observation.group == group]
        ).items():
            if problem in human_minutes_by_problem:
                rate = sum(observation.passed for observation in attempts) / len(attempts)
                points.append({"x": human_minutes_by_problem[problem], "y": rate, "group": group})
    at_half = [
        f"{group}: half solved at tasks of {_half_success_text(fits[group])}"
        for group in shown_groups
        if fits[group].horizons[0].minutes is not None
    ]
    return SectionPicture(
        "horizon",
        "Success of models against the time that people take",
        f"Curves that fall with the length of the task. {'; '.join(at_half) or 'No curve crosses one half'}. Marks are "
        "problems."
        f"{charts.note_if_omitted(shown_groups, [group for group, fit in fits.items() if fit.curve is not None])}",
        charts.line_chart(
            rows,
            shown_groups,
            colour_order=data.groups,
            x_title="median minutes of people (doublings)",
            y_title="solved",
            mark_rows=points,
            has_log2_x_axis=True,
        ),
        table,
    )
