"""Plays one site against one server: ask, show, accept or type, ask again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline import lint
from benchwright_subjects.inline.dialects.lsp import StandardDialect, Trigger
from benchwright_subjects.inline.failure import HOPELESS, ServerFailure, SubjectError
from benchwright_subjects.inline.offer import NextEdit, Offer
from benchwright_subjects.inline.policies import AcceptedPart, RefusalConsequence, accepts_edit, part_to_accept
from benchwright_subjects.inline.record import ModelUse, OfferOutcome, Snapshot, Step, Times
from benchwright_subjects.inline.server.served_model import ServedModel, open_model_service
from benchwright_subjects.inline.server.server_process import ServerLaunch
from benchwright_subjects.inline.server.session import ServerName, UserSession, open_session
from benchwright_subjects.inline.sites import Site, SiteKind
from benchwright_subjects.inline.text import alignment, similarity
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.witness import TextOrigin, Witness, WitnessedRequest
from benchwright_subjects.inline.workplace import temporary_workplace
from benchwright_verilog.syntax.suffixes import SOURCES
from benchwright_verilog.syntax.surrogates import encode_text

if TYPE_CHECKING:
    from benchwright_subjects.evaluation.provider_failure import ProviderError
    from benchwright_subjects.inline.server.model_service import ModelService

_MOST_TIMEOUTS = 2
"""Requests in a row without an answer, after which the server counts as silent."""
_MOST_EDITS = 10
"""Next edits after one accepted offer: two that undo each other would go on forever."""
_NOT_GRADED = frozenset({SiteKind.TYPE_THROUGH, SiteKind.REPLAY})
"""Their text is the reference's, or another person's, whatever the server does."""


@dataclass(frozen=True)
class PlayRules:
    """Rules by which sites are played."""

    refusal: RefusalConsequence = RefusalConsequence.ASSISTED
    trigger: Trigger = Trigger.INVOKED
    timeout_s: float = 10.0
    """After which a request is given up."""
    most_asks: int = 100
    """Requests at a site that nothing else ends."""
    next_edits: bool = False
    """True to ask for next edits after each accepted offer."""


@dataclass(frozen=True)
class InlineSubject:
    """A server to play against."""

    launch: ServerLaunch
    dialect: StandardDialect
    environ: Mapping[str, str]
    workplaces_folder: Path
    """Folder in which the folders of its processes are made."""
    served_model: ServedModel | None = None
    """The only model that it may ask; None if its model is its own affair."""

    def launch_with(self, service: ModelService | None) -> ServerLaunch:
        """The launch of the subject where this service answers it."""
        return self.launch if service is None else replace(self.launch, bridge=service.address)


@dataclass
class PlayedSite:
    """Events and result of a played site."""

    document: DocumentVersion
    server_name: ServerName = field(default_factory=ServerName)
    steps: list[Step] = field(default_factory=list)
    latencies_ms: list[float | None] = field(default_factory=list)
    drawn_ms: list[float | None] = field(default_factory=list)
    """Of the requests whose offer was drawn, and None of each that was given up; empty if nothing draws."""
    snapshots: list[Snapshot] = field(default_factory=list)
    failure: SubjectError | None = None
    provider_error: ProviderError | None = None
    """Failure of the model's provider, after which nothing is known of what the server would have offered."""
    model_use: ModelUse | None = None
    start_time: datetime = field(default_factory=lambda: datetime.now(UTC))
    wall_s: float = 0.0

    @property
    def times(self) -> Times:
        """Times of the played site, which differ from run to run."""
        return Times(
            started=self.start_time,
            wall_s=round(self.wall_s, 3),
            latencies_ms=tuple(self.latencies_ms),
            drawn_ms=tuple(self.drawn_ms),
        )


def policy_for_site(site: Site, policy: AcceptPolicy) -> AcceptPolicy:
    """The policy that accepts at a site: only the oracle can type through a reference, and a replay accepts nothing."""
    if site.kind is SiteKind.REPLAY:
        return AcceptPolicy.NEVER
    if site.kind is SiteKind.TYPE_THROUGH and policy is not AcceptPolicy.NEVER:
        return AcceptPolicy.MATCHES
    return policy


async def play_site(
    site: Site,
    files: Mapping[str, str],
    subject: InlineSubject,
    policy: AcceptPolicy,
    rules: PlayRules,
    witness: Witness | None = None,
) -> PlayedSite:
    """Play a site with a process, a home and a document of its own.

    Args:
        site: The site to play.
        files: Other files of the workspace, by path.
        subject: The subject whose server is asked.
        policy: Policy that decides which offers are accepted.
        rules: Rules of play.
        witness: Hears what happens; play waits for it.

    Raises:
        SubjectError: The server would fail at every site.
    """
    start = time.monotonic()
    shown_files = {**files, site.path: site.text_before + site.text_after}
    contents = {path: encode_text(text) for path, text in shown_files.items()}
    hearer = witness or Witness()
    with temporary_workplace(subject.workplaces_folder, contents, subject.launch.profile) as work_folders:
        uri = (work_folders.workspace / site.path).as_uri()
        document = DocumentVersion(uri, shown_files[site.path], len(site.text_before))
        walk = _SitePlay(site, shown_files, policy, rules, document, hearer)
        service: ModelService | None = None
        try:
            async with (
                open_model_service(subject.served_model, hearer.on_model_used) as service,
                open_session(
                    subject.launch_with(service), subject.dialect, work_folders, subject.environ, rules.timeout_s
                ) as talking,
            ):
                walk.played_site.server_name = talking.name
                await walk.play_through(talking)
            work_folders.check_unchanged()
        except SubjectError as error:
            if error.failure in HOPELESS and not walk.played_site.steps:
                raise
            walk.played_site.failure = error
        if service is not None:
            walk.played_site.model_use = service.usage_so_far
            walk.played_site.provider_error = service.bridge.first_provider_error
    walk.played_site.wall_s = time.monotonic() - start
    return walk.played_site


class _SitePlay:
    """From the first request at a site to the last."""

    def __init__(
        self,
        site: Site,
        files: Mapping[str, str],
        policy: AcceptPolicy,
        rules: PlayRules,
        document: DocumentVersion,
        witness: Witness,
    ) -> None:
        self._site = site
        self._witness = witness
        self._sources = {path: text for path, text in files.items() if path.endswith(tuple(SOURCES))}
        self._policy = policy_for_site(site, policy)
        self._rules = rules
        self._reference_rest = site.expected_text
        self._accepts = 0
        self._silent = 0
        self._is_over = False
        self.played_site = PlayedSite(document)

    @property
    def _follows_reference(self) -> bool:
        """True if the driver knows what comes next, and sets white space as the reference has it."""
        is_alone = self._rules.refusal is RefusalConsequence.ALONE and self._site.kind is not SiteKind.TYPE_THROUGH
        return not is_alone or self._policy is AcceptPolicy.MATCHES

    async def play_through(self, session: UserSession) -> None:
        """Ask until the site is done."""
        session.open_document(self.played_site.document)
        try:
            while not self._is_over:
                await self._ask_once(session)
                self._is_over = self._is_over or self._is_done()
        finally:
            self._keep_snapshot(is_end=True)

    def _is_done(self) -> bool:
        if self._site.kind is SiteKind.REPLAY:
            return self._silent == 0
        is_open = self._site.kind is SiteKind.EMPTY_BODY and not self._follows_reference
        if not is_open and not self._reference_rest.strip():
            return True
        is_bounded = self._site.kind is SiteKind.TYPE_THROUGH or self._rules.refusal is RefusalConsequence.ASSISTED
        return not is_bounded and len(self.played_site.steps) >= self._rules.most_asks

    async def _ask_once(self, session: UserSession) -> None:
        document = self.played_site.document
        asked_answer = await session.request_completions(document, self._rules.trigger)
        self.played_site.latencies_ms.append(
            None if asked_answer.latency_ms is None else round(asked_answer.latency_ms, 3)
        )
        if asked_answer.drawn_ms is not None or (asked_answer.latency_ms is None and session.has_drawing_editor):
            self.played_site.drawn_ms.append(None if asked_answer.drawn_ms is None else round(asked_answer.drawn_ms, 3))
        offer = next(iter(asked_answer.offers), None)
        step = Step(decision=OfferOutcome.NOTHING_OFFERED, offers=len(asked_answer.offers))
        accepted_part = None
        if asked_answer.latency_ms is None:
            step = Step(decision=OfferOutcome.TIMED_OUT)
        elif offer is not None and offer.text.strip() and offer.insertion != "":
            session.report_shown(offer)
            text = offer.text if offer.insertion is None else offer.insertion
            repeats = similarity.is_repetition(text, document.text_after)
            accepted_part = await asyncio.to_thread(
                part_to_accept,
                self._policy,
                document,
                offer,
                self._reference_rest,
                lambda new_document: self._adds_errors(new_document),
            )
            step = step.model_copy(
                update={
                    "decision": OfferOutcome.REFUSED,
                    "offer": text,
                    "replaces": offer.replaced_lengths,
                    "repeats_suffix": repeats,
                }
            )
        await self._witness.on_request_ended(WitnessedRequest(document, step, asked_answer.latency_ms))
        if offer is not None and accepted_part is not None:
            step = await self._accept_offer(session, step, offer, accepted_part)
        else:
            step = await self._type_or_stop(session, step)
        self.played_site.steps.append(step)
        self._count_timeouts(step)

    async def _accept_offer(self, session: UserSession, step: Step, offer: Offer, accepted_part: AcceptedPart) -> Step:
        old_document = self.played_site.document
        taken_offer = await session.accept_offer(old_document, offer, accepted_part)
        if not (taken_offer.text.strip() or taken_offer.deleted):
            return await self._type_or_stop(session, step)
        self._accepts += 1
        self._reference_rest = alignment.remaining_reference(self._reference_rest, taken_offer.text)
        self.played_site.document = taken_offer.document
        hand = TextOrigin.ACCEPTED if accepted_part.is_whole else TextOrigin.PARTLY_ACCEPTED
        await self._witness.on_text_changed(old_document, taken_offer.document, hand)
        if self._accepts.bit_count() == 1:
            self._keep_snapshot(is_end=False)
        await self._type_text(session, self._space_to_set_after(taken_offer.text))
        offered_count, edited = await self._make_next_edits(session) if self._rules.next_edits else (None, 0)
        return step.model_copy(
            update={
                "decision": OfferOutcome.ACCEPTED if accepted_part.is_whole else OfferOutcome.PARTLY_ACCEPTED,
                "accepted": taken_offer.text,
                "deleted": similarity.non_space_count(taken_offer.deleted),
                "next_edits": offered_count,
                "next_edits_taken": edited,
            }
        )

    async def _make_next_edits(self, session: UserSession) -> tuple[int | None, int]:
        """Ask for next edits and make them for as long as the policy takes them; how many were offered, and made."""
        offered_count, made_count = None, 0
        while made_count < _MOST_EDITS:
            document = self.played_site.document
            next_edits = await session.request_next_edits(document)
            if next_edits is None:
                break
            offered_count = (offered_count or 0) + next_edits.count
            if next_edits.first_edit is None or not await asyncio.to_thread(
                self._accepts_edit, document, next_edits.first_edit
            ):
                break
            self.played_site.document = await session.make_edit(document, next_edits.first_edit)
            await self._witness.on_text_changed(document, self.played_site.document, TextOrigin.ACCEPTED)
            made_count += 1
        return offered_count, made_count

    def _accepts_edit(self, document: DocumentVersion, edit: NextEdit) -> bool:
        new_document = document.edit_keeping_cursor(edit.start, edit.end, edit.text)
        so_far = (
            self._site.text_before
            + self._site.expected_text[: len(self._site.expected_text) - len(self._reference_rest)]
            + self._site.text_after
        )
        return accepts_edit(self._policy, document, new_document, edit, so_far, self._adds_errors)

    async def _type_or_stop(self, session: UserSession, step: Step) -> Step:
        is_silent = step.decision is OfferOutcome.TIMED_OUT
        if self._site.kind is SiteKind.TYPE_THROUGH:
            typed = alignment.next_character(self._reference_rest)
        elif self._rules.refusal is RefusalConsequence.ASSISTED and self._site.kind is not SiteKind.REPLAY:
            typed = alignment.next_line(self._reference_rest)
        else:
            # One that did not answer is asked a second time.
            self._is_over = not is_silent
            return step
        self._reference_rest = self._reference_rest[len(typed) :]
        await self._type_text(session, typed + self._take_reference_space())
        return step.model_copy(update={"typed": typed})

    def _space_to_set_after(self, accepted_text: str) -> str:
        """The white space that is set after an accepted text, as an editor or its user does."""
        if self._follows_reference:
            blank = self._take_reference_space()
            return "" if accepted_text[-1:].isspace() else blank
        document = self.played_site.document
        line = document.text_before[document.text_before.rfind("\n") + 1 :]
        is_at_end = not document.text_after.partition("\n")[0].strip()
        if not (line.strip() and is_at_end):
            return ""
        return "\n" + line[: len(line) - len(line.lstrip())]

    def _take_reference_space(self) -> str:
        """The white space that comes next in the reference, which is behind it then."""
        blank = alignment.leading_space(self._reference_rest) if self._reference_rest.strip() else ""
        self._reference_rest = self._reference_rest[len(blank) :]
        return blank

    async def _type_text(self, session: UserSession, text: str) -> None:
        if text:
            old_document = self.played_site.document
            self.played_site.document = old_document.type_text(text)
            session.send_text(self.played_site.document)
            await self._witness.on_text_changed(old_document, self.played_site.document, TextOrigin.DRIVER)

    def _count_timeouts(self, step: Step) -> None:
        self._silent = self._silent + 1 if step.decision is OfferOutcome.TIMED_OUT else 0
        if self._silent >= _MOST_TIMEOUTS:
            raise SubjectError(
                ServerFailure.NO_ANSWER,
                f"The server left {_MOST_TIMEOUTS} requests in a row unanswered.",
                limit=f"{_MOST_TIMEOUTS} requests of {self._rules.timeout_s:g} s without an answer",
            )

    def _adds_errors(self, new_document: DocumentVersion) -> bool:
        old_files = {**self._sources, self._site.path: self.played_site.document.text}
        return lint.has_new_errors(old_files, {**old_files, self._site.path: new_document.text})

    def _keep_snapshot(self, *, is_end: bool) -> None:
        if self._site.kind not in _NOT_GRADED:
            snapshot = Snapshot(accepts=self._accepts, is_end=is_end, text=self.played_site.document.text)
            self.played_site.snapshots.append(snapshot)
