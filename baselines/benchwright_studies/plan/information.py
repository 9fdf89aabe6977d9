"""Sentences about a study that follow from its file: for its participants, its preregistration and `study validate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from benchwright_foundation.number_text import duration
from benchwright_studies.plan.study import AT_SERVICE, NOWHERE, Study


class InformationKind(StrEnum):
    """The subject of a sentence of the information; names it for clients that translate it."""

    STAYS = "stays"
    """The data stay on the machine."""
    WRITTEN = "written"
    """The data are written to a place, or to a service whose address is known."""
    WRITTEN_TO_SERVICE = "written_to_service"
    KEPT = "kept"
    SEEN = "seen"
    TASKS = "tasks"
    TIME = "time"
    NO_LIMIT = "no_limit"
    PAY = "pay"
    ETHICS = "ethics"


TEMPLATES: Mapping[InformationKind, str] = {
    InformationKind.STAYS: "Your data stays on this machine until you or the organisers of the study export it.",
    InformationKind.WRITTEN: (
        "While you take part, your records are written to {0}, from your consent on and as they grow."
    ),
    InformationKind.WRITTEN_TO_SERVICE: (
        "While you take part, your records go to the bench service that conducts the study, from your consent on and "
        "as they grow."
    ),
    InformationKind.KEPT: "Records are kept for at most {0} months after the end of the study.",
    InformationKind.SEEN: "Your records are seen by: {0}.",
    InformationKind.TASKS: "Number of tasks: {0}.",
    InformationKind.TIME: "You work for at most {0}; pauses and forms are not counted.",
    InformationKind.NO_LIMIT: "Not every task has a time limit, so the study does not say how long it takes.",
    InformationKind.PAY: "What you get for taking part: {0}.",
    InformationKind.ETHICS: "Ethics review: {0}.",
}
"""The sentences, in English, with `{0}` where the value goes."""


@dataclass(frozen=True, slots=True)
class InformationSentence:
    """One sentence about a study."""

    kind: InformationKind
    value: str = ""
    """What is shown for `{0}`."""

    @property
    def text(self) -> str:
        """The sentence in English."""
        return TEMPLATES[self.kind].format(self.value)


def participant_information(study: Study, service_url: str = "") -> tuple[InformationSentence, ...]:
    """Where the data go, how long they are kept, who sees them, and what a participant does, as far as the file says.

    Args:
        study: The study.
        service_url: Address of the service that conducts it; empty if it is not known.
    """
    sentences = [_destination_sentence(study, service_url)]
    if study.data.kept_months is not None:
        sentences.append(InformationSentence(InformationKind.KEPT, f"{study.data.kept_months:g}"))
    if study.data.seen_by:
        sentences.append(InformationSentence(InformationKind.SEEN, ", ".join(study.data.seen_by)))
    sentences.append(InformationSentence(InformationKind.TASKS, str(len(study.problems))))
    minutes = minutes_of_all_limits(study)
    sentences.append(
        InformationSentence(InformationKind.NO_LIMIT)
        if minutes is None
        else InformationSentence(InformationKind.TIME, duration(60 * minutes))
    )
    if study.pay is not None:
        bonus = f"; bonus: {study.pay.bonus}" if study.pay.bonus else ""
        sentences.append(InformationSentence(InformationKind.PAY, f"{study.pay.amount}{bonus}"))
    if study.ethics is not None:
        sentences.append(InformationSentence(InformationKind.ETHICS, study.ethics.text))
    return tuple(sentences)


def _destination_sentence(study: Study, service_url: str) -> InformationSentence:
    if study.data.to == NOWHERE:
        return InformationSentence(InformationKind.STAYS)
    if study.data.to != AT_SERVICE:
        return InformationSentence(InformationKind.WRITTEN, study.data.to)
    if service_url:
        return InformationSentence(InformationKind.WRITTEN, service_url)
    return InformationSentence(InformationKind.WRITTEN_TO_SERVICE)


def plan_digest_sentence(plan_sha256: str = "", commitment: str = "") -> str:
    """Names a plan by its digest; on a machine that does not have it, by the commitment to it, which is another number.

    Args:
        plan_sha256: Digest of the plan; empty if the plan is not here.
        commitment: The commitment, where the plan is not here.
    """
    if plan_sha256:
        return f"Digest of the plan: {plan_sha256[:16]}."
    return f"The plan is not on this machine. Commitment to it: {commitment[:16]}."


def minutes_of_all_limits(study: Study) -> float | None:
    """Active time that all limits together leave a participant, practice included, in minutes; None without a limit."""
    limits_s = [study.time_limit_s(problem) for problem in study.problem_refs]
    given_s = [limit_s for limit_s in limits_s if limit_s is not None]
    return sum(given_s) / 60 if len(given_s) == len(limits_s) else None
