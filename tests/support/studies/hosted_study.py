"""A study at a bench service, and participants who hand in what an editor's server would."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchwright_attempts.actor import Actor
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import ManualClock
from benchwright_attempts.events.events import Event, RunFinished, Started, Submitted
from benchwright_attempts.events.file_text import FileText
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_remote.messages import EnrolledStudy, Role
from benchwright_service.bench import open_administration, open_lab
from benchwright_studies.conduct.archive import journal_json_lines
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.allocation import ParticipantFile
from benchwright_studies.plan.registration import join_study
from benchwright_studies.plan.study_file import parse_study

from ..service.bench_service import Service

STUDY = """
study: {name}
title: A study called {name}
problems: [starter/amdahl]
conditions:
  - {{name: zqalone, solver: human}}
  - {{name: zqcompletion, solver: human+copilot, assistants: [benchwright]}}
participants: 3
randomisation: {{seed: 4}}
forecasts: []
self_estimates: []
consent: {{version: "1", text: "You agree to what is written here."}}
analysis: {{primary: time}}
data: {{to: service}}
"""
CONDITIONS = ("zqalone", "zqcompletion")


def opened(service: Service, name: str, text: str = STUDY) -> dict[Role, str]:
    """Opens a study; returns an invitation for each role."""

    async def open_study() -> dict[Role, str]:
        async with open_lab(service.folders, service.database) as (lab, _):
            await lab.open_study(parse_study(text.format(name=name), Path("study.yaml")))
        async with open_administration(service.folders, service.database) as parts:
            return {role: await parts.accounts.make_invitation(name, role, uses=9) for role in Role}

    return asyncio.run(open_study())


@dataclass
class Participant:
    """Somebody with a place, and a log of their own."""

    service: Service
    study: str
    log: StudyLog
    token: str
    clock: ManualClock
    """Does not go on by itself."""
    pseudonym: str = ""
    assignments: dict[str, str] = field(default_factory=dict)

    @classmethod
    def joining(
        cls, service: Service, study: str, invitation: str, folder: Path, minutes_ago: float = 0
    ) -> Participant:
        """One who has joined, and agreed to take part."""
        with service.client() as client:
            token = client.post("/api/v1/join", json={"code": invitation, "name": "Somebody"}).json()["token"]
        with service.client(token) as client:
            reply = client.post("/api/v1/studies", json={})
        enrolled = next(
            candidate for candidate in map(EnrolledStudy.model_validate, reply.json()) if candidate.study == study
        )
        file = ParticipantFile.model_validate(enrolled.file)
        folder.mkdir(parents=True, exist_ok=True)
        clock = ManualClock(wall=datetime.now(UTC) - timedelta(minutes=minutes_ago))
        log = StudyLog(folder / "attempts.sqlite", wall_clock=clock.now, monotonic_ns=clock.monotonic_ns)
        participant = cls(service, study, log, token, clock, file.participant)
        participant.assignments = {assignment.pack: assignment.id for assignment in enrolled.assignments}
        join_study(participant.log, Store(service.folders), file)
        participant.studies.give_consent(study, participant.pseudonym, "1")
        participant.studies.draw_assignment_if_next(study, participant.pseudonym, participant.hand_journal_in())
        participant.hand_journal_in()
        return participant

    @property
    def studies(self) -> Studies:
        """Studies that they take part in."""
        return Studies(self.log, Attempts(self.log))

    def hand_journal_in(self) -> str:
        """Hands the journal in; returns the code of the assignment, if it comes."""
        journal_records = [
            json.loads(line) for line in journal_json_lines(self.log.journal.entries(self.study, self.pseudonym))
        ]
        with self.service.client(self.token) as client:
            reply = client.post(f"/api/v1/studies/{self.study}/journal", json={"lines": journal_records})
        assert reply.status_code == 200, reply.text
        return str(reply.json()["code"])

    def begin(self) -> str:
        """Opens the next task and starts its clock."""
        assigned, agreed, ref = self.studies.next_task(self.study, self.pseudonym)
        problem: Problem = Store(self.service.folders).problem(ref)
        header = Attempts(self.log).create(
            ref,
            problem.public_digest,
            Path("/w"),
            {path: FileText.of_text(text) for path, text in problem.public.files.items()},
            solver=self.pseudonym,
            condition=assigned.condition,
            study=self.study,
            recording=assigned.recording,
        )
        self.studies.record_task_begun(assigned, ref, header.id)
        self.hand_journal_in()
        self.record(header.id, assigned, agreed, Started(actor=Actor.PERSON))
        return header.id

    def record(self, attempt: str, *events: Event) -> None:
        """Records events, and hands all of the attempt in."""
        for event in events:
            self.log.append_blocking(attempt, event)
        header, rows = self.log.stored_attempt(attempt)
        upload_body = {
            "header": header.model_dump(mode="json"),
            "assignment": self.assignments[header.problem.partition("/")[0]],
            "lines": [row.as_json_line() for row in rows],
            "now": datetime.now(UTC).isoformat(),
        }
        with self.service.client(self.token) as client:
            reply = client.post(f"/api/v1/attempts/{attempt}/events", json=upload_body)
        assert reply.status_code == 200, reply.text

    def end(self, attempt: str, outcome: Outcome) -> None:
        """Submits it with a verdict."""
        reason = "passed" if outcome is Outcome.PASSED else "tests_failed"
        verdict = RunFinished(run="r", number=1, outcome=outcome, reason=reason, wall_s=1, digests={})
        self.record(attempt, verdict, Submitted())
        self.studies.record_finish_if_finished(self.study, self.pseudonym)
        self.hand_journal_in()
