"""The judges that this process asks: rules at once, models where some are set up, else the answer waits."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from benchwright_attempts.events.events import JudgedBy, VoteCast
from benchwright_foundation.errors import ExtraMissingError
from benchwright_foundation.home import Home
from benchwright_judges.errors import ConfigurationError
from benchwright_judges.judgement import Judgement, JudgementStatus, ScoringMethod
from benchwright_judges.score import score_by_rules
from benchwright_problems.problem import Problem

if TYPE_CHECKING:
    # The database library takes a third of a second to import, the client library more.
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.panel import Panel
    from benchwright_judges.records.records import Records
    from benchwright_judges.service.client import RemoteJudge


class AttemptJudging:
    """Opens database and endpoints when the first answer needs them. Belongs to one event loop.

    Args:
        home: Home in which judgements are kept.
        environ: Says where `judges.toml` is, and holds the keys it names.
        reader_name: The judge that reads what rules can't; as `judges.toml` says if not given.
        budget_usd: Limit on the cost of judges in all, in US dollars; as `judges.toml` says if not given.
    """

    service_url: str = ""
    """A judge service, which is asked instead of everything here if given."""

    def __init__(
        self,
        home: Home,
        environ: Mapping[str, str] = os.environ,
        *,
        reader_name: str = "",
        budget_usd: float | None = None,
    ) -> None:
        self._reader = reader_name
        self._budget_usd = budget_usd
        self._home = home
        self._environ = environ
        self._opening = asyncio.Lock()
        self._records: Records | None = None
        self._panel: Panel | None = None
        self._budget: JudgingBudget | None = None
        self._flaw = ""
        self._service: RemoteJudge | None = None

    async def judge_answer(
        self,
        ref: str,
        problem: Problem,
        answer: str,
        *,
        attempt: str = "",
        run_number: int = 0,
        answer_id: str | None = None,
        rule_judgement: Judgement | None = None,
    ) -> Judgement:
        """Judge an answer; one that waits is kept where `benchwright judge pending` finds it.

        Args:
            ref: `pack/id`.
            problem: Problem with its hidden part.
            answer: The answer; untrusted.
            attempt: The attempt it belongs to, if there is one.
            run_number: Rank of the answer in the attempt, from 1.
            answer_id: Names the answer wherever it is asked about: one with a judgement is not judged again.
            rule_judgement: What rules say of it, where that is known; rules score an answer once.

        Raises:
            StorageError: The database can't be opened.
        """
        if self.service_url:
            return await self._ask_judge_service(ref, answer)
        if rule_judgement is None:
            rule_judgement = await asyncio.to_thread(score_by_rules, problem, answer)
        if not self.is_decidable_beyond_rules(problem, rule_judgement, attempt):
            return rule_judgement
        from benchwright_judges.records.recorded_judging import judge_and_record

        records = await self.open_judgement_records()
        recorded_judgement = await judge_and_record(
            problem,
            answer,
            self._panel,
            records,
            problem_ref=ref,
            attempt=attempt,
            try_number=run_number,
            answer_id=answer_id,
            budget=self._budget,
            rule_judgement=rule_judgement,
        )
        if self._flaw and recorded_judgement.status is JudgementStatus.PENDING:
            return recorded_judgement.model_copy(update={"message": f"This answer is kept and pending: {self._flaw}."})
        return recorded_judgement

    def is_decidable_beyond_rules(self, problem: Problem, rule_judgement: Judgement, attempt: str) -> bool:
        """True if a judge, a reader that is set up, or a person can say more of an answer than rules do.

        Args:
            problem: The question.
            rule_judgement: What rules say.
            attempt: The attempt that it belongs to; what belongs to none is kept for no person.

        Raises:
            ConfigurationError: The reader that was named is not set up.
        """
        if rule_judgement.status is JudgementStatus.PENDING or (attempt and rule_judgement.may_be_read_by_people):
            return True
        if rule_judgement.status is not JudgementStatus.UNREADABLE or not self._has_reader:
            return False
        from benchwright_judges.reading.model_reader import is_unread_by_rules

        return is_unread_by_rules(problem, rule_judgement)

    @cached_property
    def _has_reader(self) -> bool:
        from benchwright_judges.models.configuration import read_settings

        try:
            return bool(read_settings(self._environ, reader_name=self._reader).reader)
        except ConfigurationError:
            if self._reader:
                raise
            # What rules can't read stays unreadable; an answer that needs a judge says what is wrong.
            return False

    async def close(self) -> None:
        """Close what was opened; it opens again when it is needed."""
        panel, records, remote_judge = self._panel, self._records, self._service
        self._panel = self._records = self._service = None
        if panel is not None:
            await panel.close()
        if records is not None:
            await records.close()
        if remote_judge is not None:
            await remote_judge.close()

    async def _ask_judge_service(self, ref: str, answer: str) -> Judgement:
        from benchwright_judges.service.client import RemoteJudge, find_service_token

        try:
            if self._service is None:
                self._service = RemoteJudge(self.service_url, find_service_token(self._environ))
        except (ConfigurationError, ExtraMissingError) as error:
            return Judgement(status=JudgementStatus.PENDING, message=f"This answer is kept and pending: {error}.")
        return await self._service.request_judgement(ref, answer)

    async def open_judgement_records(self) -> Records:
        """The database of judgements, opened when it is first needed.

        Raises:
            StorageError: The database can't be opened.
        """
        from benchwright_judges.models.budget import JudgingBudget
        from benchwright_judges.models.configuration import (
            JudgesSettings,
            open_panel_if_any,
            read_settings,
            records_location,
        )
        from benchwright_judges.records.records import Records

        async with self._opening:
            if self._records is None:
                settings = JudgesSettings()
                try:
                    settings = read_settings(self._environ, reader_name=self._reader)
                    self._panel = await asyncio.to_thread(open_panel_if_any, settings, self._environ)
                except (ConfigurationError, ExtraMissingError) as error:
                    # The answer is worth more than the set-up: it is kept, and the person learns what to fix.
                    self._flaw = str(error)
                self._budget = JudgingBudget(settings.budget_usd if self._budget_usd is None else self._budget_usd)
                self._records = await Records.open(records_location(settings, self._home))
            return self._records


def judged_by(judgement: Judgement) -> JudgedBy:
    """Record of a judgement for an attempt's log: nothing that could quote the key."""
    return JudgedBy(
        method=judgement.method.value,
        status=judgement.status.value,
        score=judgement.score,
        label=judgement.label,
        rubric=judgement.rubric,
        votes=tuple(
            VoteCast(judge=vote.judge, label=vote.label, cost_usd=vote.cost_usd, cached=vote.cached)
            for vote in judgement.votes
            # Beside a judge's points, what a reader found is no vote on the scale.
            if judgement.method is ScoringMethod.READER or not vote.is_reading
        ),
        tie_break=judgement.tie_break,
        cost_usd=judgement.cost_usd,
        metrics=judgement.metrics,
    )
