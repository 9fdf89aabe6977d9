"""Is a problem fit to measure with? CVDP's quality judge (arXiv:2506.14074): four aspects, 1 to 10, 8.0 is enough."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_judges.agreement.quality_rule import THRESHOLD, QualityRule
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.json_reply import read_only_object
from benchwright_judges.models.prompt import audit_prompt
from benchwright_judges.rubric import load_rubric
from benchwright_judges.scale import Scale
from benchwright_problems.problem import Problem

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import ModelEndpoint


class Aspect(StrEnum):
    """Aspect that is rated."""

    AMBIGUITY = "ambiguity"
    """Completeness: the task states everything that decides."""
    CONSISTENCY = "consistency"
    """Consistency of task, files, reference and harness."""
    CATEGORY = "category"
    """Fit of the problem to its category."""
    BEHAVIOUR = "behaviour"
    """Behaviour: harness and reference implement the task."""


class AspectRating(Model):
    """One judge's rating of one aspect."""

    finding: str
    points: int


class JudgesReview(Model):
    """One judge's review of a problem."""

    judge: str
    findings: dict[Aspect, AspectRating] = Field(default_factory=dict)
    """All four aspects; empty if `error` is set."""
    error: str = ""
    cost_usd: float = 0.0
    seconds: float = 0.0


class JudgesAudit(Model):
    """The judges' reviews of one version of a problem; kept with the sealed parts, because findings quote them."""

    problem: str
    """`pack/id`."""
    problem_digest: str
    harness_digest: str
    rubric: str
    reviews: tuple[JudgesReview, ...]

    @property
    def mean_points_by_aspect(self) -> dict[Aspect, float]:
        """Each aspect's mean over the judges; empty if no reply could be used."""
        read_reviews = [review for review in self.reviews if review.findings]
        if not read_reviews:
            return {}
        return {
            aspect: statistics.fmean(review.findings[aspect].points for review in read_reviews) for aspect in Aspect
        }

    @property
    def aggregate_points(self) -> float | None:
        """The mean over all aspects; None if no reply could be used."""
        points = self.mean_points_by_aspect
        return statistics.fmean(points.values()) if points else None

    def passes_threshold(self, quality_rule: QualityRule) -> bool | None:
        """True if the points that the rule asks for reach the threshold; None if no reply could be used."""
        points, aggregate = self.mean_points_by_aspect, self.aggregate_points
        if aggregate is None:
            return None
        return (min(points.values()) if quality_rule is QualityRule.EVERY_ASPECT else aggregate) >= THRESHOLD


class AuditStore:
    """The audits that were made, by problem.

    Args:
        home: Home folder of the store.
    """

    def __init__(self, home: Home) -> None:
        self._folder = home.data / "sealed" / "@audits"

    def keep_audit(self, audit: JudgesAudit) -> None:
        """Store an audit, replacing an earlier one of the problem."""
        file = self._file(audit.problem)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder.parent.chmod(0o700)
        write_atomically(file, audit.model_dump_json().encode(), 0o600)

    def find_current_audit(self, problem_ref: str, problem: Problem) -> JudgesAudit | None:
        """The audit of the problem's current version by the current rubric; None if there is none."""
        try:
            audit = JudgesAudit.model_validate_json(self._file(problem_ref).read_bytes())
        except (OSError, ValidationError):
            return None
        current_digests = (problem.public_digest, problem.harness_digest, load_rubric("problem-audit").reference)
        return audit if (audit.problem_digest, audit.harness_digest, audit.rubric) == current_digests else None

    def _file(self, problem_ref: str) -> Path:
        return self._folder / f"{problem_ref}.json"


async def audit_problem(
    problem_ref: str, problem: Problem, endpoints: Sequence[ModelEndpoint], budget: JudgingBudget
) -> JudgesAudit:
    """Have every judge review a problem once.

    Args:
        problem_ref: `pack/id`.
        problem: Problem with its hidden part.
        endpoints: The judges.
        budget: Pays.

    Raises:
        OutOfBudgetError: The budget does not hold what a review may cost.
    """
    rubric = load_rubric("problem-audit")
    prompt = audit_prompt(problem, [*Aspect], rubric)

    async def review(endpoint: ModelEndpoint) -> JudgesReview:
        reply = await endpoint.request_reply(prompt, seed_offset=0, budget=budget)
        review_fields: dict[str, Any] = {
            "judge": endpoint.settings.name,
            "cost_usd": reply.cost_usd,
            "seconds": reply.seconds,
        }
        try:
            return (
                JudgesReview(findings=_read_ratings_by_aspect(reply.text), **review_fields)
                if reply.text
                else JudgesReview(error=reply.error, **review_fields)
            )
        except ValueError as error:
            return JudgesReview(error=str(error), **review_fields)

    reviews = await asyncio.gather(*(review(endpoint) for endpoint in endpoints))
    return JudgesAudit(
        problem=problem_ref,
        problem_digest=problem.public_digest,
        harness_digest=problem.harness_digest,
        rubric=rubric.reference,
        reviews=tuple(reviews),
    )


def _read_ratings_by_aspect(reply_text: str) -> dict[Aspect, AspectRating]:
    fields = read_only_object(reply_text)
    if set(fields) != {*Aspect}:
        raise ValueError(f"the reply does not have the fields {', '.join(Aspect)}, and only these")
    findings = {}
    for aspect in Aspect:
        field = fields[aspect]
        if not isinstance(field, dict) or set(field) != {"finding", "points"} or not isinstance(field["finding"], str):
            raise ValueError(f"the reply's field {aspect} is not a finding with points")
        findings[aspect] = AspectRating(finding=field["finding"], points=int(Scale.TIERS.read_label(field["points"])))
    return findings
