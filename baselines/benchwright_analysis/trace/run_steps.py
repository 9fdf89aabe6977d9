"""The trace of a run of an inline-completion server: each site with each policy, request by request.

A run's folder holds parts of references. The trace has what the server offered and what was accepted of it; what the
driver typed is counted, and what is around a site is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.completion.played_runs import PlayedRun
from benchwright_analysis.trace.step import AttemptTrace, StepKind, TracePart, TraceStep, whole_excerpt
from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.standing import ShownVerdict, verdict_standing
from benchwright_subjects.inline.record import SHOWN, Hindsight, OfferOutcome, SiteRecord, Step
from benchwright_subjects.inline.run_folder import SnapshotVerdict
from benchwright_subjects.inline.text.similarity import non_space_count


def trace_of_run(run: PlayedRun, site_prefix: str = "") -> AttemptTrace:
    """The trace of a run.

    Args:
        run: Read from its folder.
        site_prefix: Only sites whose id begins so.

    Raises:
        EvaluationError: No such sites exist.
    """
    records = [record for record in run.records if record.site.startswith(site_prefix)]
    if not records:
        raise EvaluationError(
            f"The run has no site that begins with {site_prefix!r}. Its first one is {run.records[0].site}."
            if run.records
            else "Nothing was played yet: the run has no sites."
        )
    hindsight = {site_hindsight.site: site_hindsight for site_hindsight in run.hindsight}
    fact_texts = {
        "subject": run.label,
        "command": " ".join(run.settings.command),
        "configuration": run.settings.configuration[:12],
        "sites": f"{len({record.site for record in records}):,}",
    }
    trace_parts = [
        TracePart(
            f"{record.site}, {record.policy}",
            _site_steps(record, run.verdicts.get((record.site, record.policy), ()), hindsight.get(record.site)),
        )
        for record in records
    ]
    return AttemptTrace("Trace of inline completion", fact_texts, trace_parts)


def _site_steps(
    record: SiteRecord, verdicts: Sequence[SnapshotVerdict], hindsight: Hindsight | None
) -> list[TraceStep]:
    steps: list[TraceStep] = []
    written_texts: list[str] = []
    verdict_by_accepts = {verdict.accepts: verdict for verdict in verdicts if not verdict.is_end}
    accepts = 0
    latencies = [*record.times.latencies_ms, *[None] * len(record.steps)]
    for number, (step, latency) in enumerate(zip(record.steps, latencies, strict=False), 1):
        steps += _request_steps(number, step, latency)
        if step.accepted:
            accepts += 1
            written_texts.append(step.accepted)
            steps.append(_acceptance_step(step, written_texts))
            steps += _verdict_steps(
                verdict_by_accepts.get(accepts), f"after {accepts} accepted offer{'' if accepts == 1 else 's'}"
            )
        if count := non_space_count(step.typed):
            typed_text = f"{count:,} character{'' if count == 1 else 's'} of the reference"
            written_texts.append(f"\N{MIDLINE HORIZONTAL ELLIPSIS} {typed_text} \N{MIDLINE HORIZONTAL ELLIPSIS}")
            steps.append(TraceStep(StepKind.EDITED, f"The driver typed {typed_text}"))
    if record.failure is not None:
        facts = {} if record.failure_code is None else {"code": str(record.failure_code)}
        if record.server_end is not None:
            facts["end"] = record.server_end.sentence
        steps.append(
            TraceStep(StepKind.OTHER, f"The server failed: {record.failure.value.replace('_', ' ')}", None, facts)
        )
    steps += _verdict_steps(next((verdict for verdict in verdicts if verdict.is_end), None), "at the end")
    return [*steps, *([] if hindsight is None else _hindsight_steps(hindsight))]


def _request_steps(request_number: int, step: Step, latency_ms: float | None) -> list[TraceStep]:
    if step.decision is OfferOutcome.TIMED_OUT:
        return [TraceStep(StepKind.ASKED, f"Request {request_number} was given up: no answer in time")]
    fact_texts = {} if latency_ms is None else {"latency": f"{latency_ms:,.1f} ms"}
    fact_texts["items in the answer"] = f"{step.offers:,}"
    request_step = TraceStep(StepKind.ASKED, f"Request {request_number}", None, fact_texts)
    if step.decision not in SHOWN:
        return [request_step, TraceStep(StepKind.SHOWN, "Nothing was offered")]
    note = {"note": "it only repeats what follows"} if step.repeats_suffix else {}
    offer_step = TraceStep(
        StepKind.SHOWN, "An offer was shown", None, note, [whole_excerpt("What was offered", step.offer)]
    )
    refusal_steps = (
        [TraceStep(StepKind.REFUSED, "The policy refused it")] if step.decision is OfferOutcome.REFUSED else []
    )
    return [request_step, offer_step, *refusal_steps]


def _acceptance_step(step: Step, written_texts: Sequence[str]) -> TraceStep:
    fact_texts: Mapping[str, str] = {"deleted": f"{step.deleted:,} characters"} if step.deleted else {}
    title = (
        "The policy accepted it"
        if step.decision is OfferOutcome.ACCEPTED
        else "The policy accepted the beginning of it"
    )
    excerpts = [
        whole_excerpt("What was accepted", step.accepted),
        whole_excerpt("What was written at the site so far", "\n".join(written_texts)),
    ]
    return TraceStep(StepKind.ACCEPTED, title, None, fact_texts, excerpts)


def _verdict_steps(verdict: SnapshotVerdict | None, moment_phrase: str) -> list[TraceStep]:
    if verdict is None:
        return []
    counts = f", {verdict.passed_tests} of {verdict.tests} tests" if verdict.tests else ""
    return [
        TraceStep(
            StepKind.RAN,
            f"Hidden tests {moment_phrase}: {verdict_standing(ShownVerdict(0, verdict.outcome)).value}{counts}",
        )
    ]


def _hindsight_steps(hindsight: Hindsight) -> list[TraceStep]:
    foresight = hindsight.whole
    if foresight is None:
        return []
    if foresight.is_right and foresight.earlier_s is not None:
        title = f"Its author wrote the same by themselves, {foresight.earlier_s / 60:.1f} minutes of active time later"
    elif foresight.is_kept:
        title = "The text that passed has it, but its author did not write it after the offer by themselves"
    elif hindsight.is_wrong:
        title = "It is neither what its author wrote next nor in the text that passed"
    else:
        title = "It is what its author wrote next, and not in the text that passed"
    fact_texts = (
        {"lint": "reports new errors" if hindsight.adds_errors else "reports nothing new"} if hindsight.is_wrong else {}
    )
    if hindsight.tests is not None and hindsight.tests.is_fewer_passing is not None:
        fact_texts["hidden tests"] = (
            "fewer pass with it" if hindsight.tests.is_fewer_passing else "no fewer pass with it"
        )
    return [TraceStep(StepKind.OTHER, title, None, fact_texts)]
