"""The trace of a run of an inline-completion server: each site with each policy, request by request.

A run's folder holds parts of references. The trace has what the server offered and what was accepted of it; what the
driver typed is counted, and what is around a site is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.completion.played_runs import PlayedRun
from benchwright_analysis.trace.step import StepKind, Trace, TracePart, TraceStep, whole
from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.inline.record import SHOWN, Decision, Hindsight, SiteRecord, Step
from benchwright_subjects.inline.run_folder import SnapshotVerdict
from benchwright_subjects.inline.text.similarity import effort

_WORDS = {"passed": "passed", "failed": "did not pass", "error": "undecided"}


def trace_of_run(run: PlayedRun, site: str = "") -> Trace:
    """The trace of a run.

    Args:
        run: Read from its folder.
        site: Only sites whose id begins so.

    Raises:
        EvaluationError: There are none.
    """
    records = [one for one in run.records if one.site.startswith(site)]
    if not records:
        raise EvaluationError(
            f"The run has no site that begins with {site!r}. Its first one is {run.records[0].site}."
            if run.records
            else "Nothing was played yet: the run has no sites."
        )
    hindsight = {one.site: one for one in run.hindsight}
    facts = {
        "subject": run.label,
        "command": " ".join(run.settings.command),
        "configuration": run.settings.configuration[:12],
        "sites": f"{len({one.site for one in records}):,}",
    }
    parts = [
        TracePart(
            f"{one.site}, {one.policy}",
            _steps(one, run.verdicts.get((one.site, one.policy), ()), hindsight.get(one.site)),
        )
        for one in records
    ]
    return Trace("Trace of inline completion", facts, parts)


def _steps(record: SiteRecord, verdicts: Sequence[SnapshotVerdict], known: Hindsight | None) -> list[TraceStep]:
    found: list[TraceStep] = []
    written: list[str] = []
    after = {one.accepts: one for one in verdicts if not one.is_end}
    accepts = 0
    latencies = [*record.times.latencies_ms, *[None] * len(record.steps)]
    for number, (step, latency) in enumerate(zip(record.steps, latencies, strict=False), 1):
        found += _asked(number, step, latency)
        if step.accepted:
            accepts += 1
            written.append(step.accepted)
            found.append(_accepted(step, written))
            found += _tested(after.get(accepts), f"after {accepts} accepted offer{'' if accepts == 1 else 's'}")
        if count := effort(step.typed):
            told = f"{count:,} character{'' if count == 1 else 's'} of the reference"
            written.append(f"\N{MIDLINE HORIZONTAL ELLIPSIS} {told} \N{MIDLINE HORIZONTAL ELLIPSIS}")
            found.append(TraceStep(StepKind.EDITED, f"The driver typed {told}"))
    if record.failure is not None:
        code = {} if record.failure_code is None else {"code": str(record.failure_code)}
        found.append(
            TraceStep(StepKind.OTHER, f"The server failed: {record.failure.value.replace('_', ' ')}", None, code)
        )
    found += _tested(next((one for one in verdicts if one.is_end), None), "at the end")
    return [*found, *([] if known is None else _known(known))]


def _asked(number: int, step: Step, latency: float | None) -> list[TraceStep]:
    if step.decision is Decision.TIMED_OUT:
        return [TraceStep(StepKind.ASKED, f"Request {number} was given up: no answer in time")]
    facts = {} if latency is None else {"latency": f"{latency:,.1f} ms"}
    facts["items in the answer"] = f"{step.offers:,}"
    asked = TraceStep(StepKind.ASKED, f"Request {number}", None, facts)
    if step.decision not in SHOWN:
        return [asked, TraceStep(StepKind.SHOWN, "Nothing was offered")]
    more = {"note": "it only repeats what follows"} if step.repeats_suffix else {}
    shown = TraceStep(StepKind.SHOWN, "An offer was shown", None, more, [whole("What was offered", step.offer)])
    refused = [TraceStep(StepKind.REFUSED, "The policy refused it")] if step.decision is Decision.REFUSED else []
    return [asked, shown, *refused]


def _accepted(step: Step, written: Sequence[str]) -> TraceStep:
    facts: Mapping[str, str] = {"deleted": f"{step.deleted:,} characters"} if step.deleted else {}
    title = (
        "The policy accepted it" if step.decision is Decision.ACCEPTED else "The policy accepted the beginning of it"
    )
    texts = [
        whole("What was accepted", step.accepted),
        whole("What was written at the site so far", "\n".join(written)),
    ]
    return TraceStep(StepKind.ACCEPTED, title, None, facts, texts)


def _tested(verdict: SnapshotVerdict | None, when: str) -> list[TraceStep]:
    if verdict is None:
        return []
    counts = f", {verdict.passed_tests} of {verdict.tests} tests" if verdict.tests else ""
    return [TraceStep(StepKind.RAN, f"Hidden tests {when}: {_WORDS.get(verdict.outcome, verdict.outcome)}{counts}")]


def _known(known: Hindsight) -> list[TraceStep]:
    found = known.whole
    if found is None:
        return []
    if found.is_right and found.earlier_s is not None:
        title = f"Its author wrote the same by themselves, {found.earlier_s / 60:.1f} minutes of active time later"
    elif found.is_kept:
        title = "The text that passed has it, but its author did not write it after the offer by themselves"
    elif known.is_wrong:
        title = "It is neither what its author wrote next nor in the text that passed"
    else:
        title = "It is what its author wrote next, and not in the text that passed"
    facts = {"lint": "reports new errors" if known.adds_errors else "reports nothing new"} if known.is_wrong else {}
    if known.tests is not None and known.tests.are_fewer is not None:
        facts["hidden tests"] = "fewer pass with it" if known.tests.are_fewer else "no fewer pass with it"
    return [TraceStep(StepKind.OTHER, title, None, facts)]
