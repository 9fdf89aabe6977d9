"""The parts of a service, opened together."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_attempts.grading.judging import AttemptJudging
from benchwright_attempts.log.log import EventLog
from benchwright_foundation.database import Database
from benchwright_foundation.distribution import version
from benchwright_foundation.home import Home
from benchwright_foundation.rate import Allowances, RateLimits
from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_problems.storage.store import Store
from benchwright_service import statements
from benchwright_service.accounts.accounts import Accounts
from benchwright_service.accounts.devices import Devices
from benchwright_service.accounts.people import People
from benchwright_service.accounts.personal_tokens import PersonalTokens
from benchwright_service.accounts.rosters import Rosters
from benchwright_service.accounts.sessions import SignInSessions
from benchwright_service.accounts.sign_in_links import SignInLinks
from benchwright_service.courses.assistance_checks import AssistanceChecks
from benchwright_service.courses.course_copy import CourseCopies
from benchwright_service.courses.courses import Courses
from benchwright_service.courses.hints import HandedHints
from benchwright_service.courses.own_runs import OwnRuns
from benchwright_service.courses.progress import CourseProgress
from benchwright_service.courses.quotas import USUAL, QuotaKeeper, Quotas
from benchwright_service.courses.recording_choices import RecordingChoices
from benchwright_service.courses.replays import Replays
from benchwright_service.courses.snapshots import Snapshots
from benchwright_service.errors import BenchServiceError, SignInError
from benchwright_service.evidence.audit import AuditLog
from benchwright_service.evidence.evidence import EvidenceWriter
from benchwright_service.evidence.signing import Countersigner
from benchwright_service.grades.answer_grading import AnswerGrading
from benchwright_service.grades.grade_history import GradeHistory
from benchwright_service.grades.gradebook import Gradebooks
from benchwright_service.grades.item_report import ItemReports
from benchwright_service.grades.late_days import LateDays
from benchwright_service.grades.regrades import Regrades
from benchwright_service.grades.research_export import ResearchExports
from benchwright_service.grades.rubric_grades import RubricGrades
from benchwright_service.grades.staff_decisions import StaffDecisions
from benchwright_service.health import Health
from benchwright_service.mail import turn_off
from benchwright_service.mail.letters import Letters
from benchwright_service.mail.mail_choices import MailChoices
from benchwright_service.mail.notice_rows import NoticeRows
from benchwright_service.mail.timed_notices import TimedNotices
from benchwright_service.metrics import Metrics
from benchwright_service.questions.collecting import QuestionCollecting
from benchwright_service.runs.course_runs import CourseRuns
from benchwright_service.runs.run_views import RunViews
from benchwright_service.runs.runs import RunQueue
from benchwright_service.sign_in.shared_secret import (
    COOKIE_KEY_FILE,
    existing_or_new_secret,
    new_cookie_secret,
    secret_for,
)
from benchwright_service.storage.database import open_service_database
from benchwright_service.storage.facts import Facts
from benchwright_service.storage.serving_lock import serving_alone
from benchwright_service.storage.shared_changes import SharedChanges
from benchwright_service.storage.shared_uses import SharedUses
from benchwright_service.studies.lab import Lab
from benchwright_service.studies.lab_closing import Closings
from benchwright_service.studies.lab_monitor import LabMonitor
from benchwright_service.studies.study_places import StudyPlaces
from benchwright_studies.conduct.study_log import StudyLog

if TYPE_CHECKING:
    from benchwright_service.mail.smtp import Mailbox
    from benchwright_service.questions.trying import QuestionModels
    from benchwright_service.sign_in.deep_linking import DeepLinking
    from benchwright_service.sign_in.identity_provider import IdentityProvider
    from benchwright_service.sign_in.lti import LtiTool
    from benchwright_service.sign_in.lti_services import LtiServices
    from benchwright_service.sign_in.mail import LinkMailer
    from benchwright_service.sign_in.sign_in_file import SignInSettings

FAILED_SIGN_INS_PER_MINUTE = 1_000
"""Sign-ins of one caller that may fail in a minute: of an account, or else an address, behind which a school may be."""
BEGUN_SIGN_INS_PER_MINUTE = 1_200
"""Programs and links by mail that an address may begin to sign in with in a minute."""


@dataclass(frozen=True)
class SignIn:
    """Sign-in of people and of their programs."""

    sessions: SignInSessions
    devices: Devices
    links: SignInLinks
    mailer: LinkMailer | None = None
    browser_editor: str = ""
    """Address at which students have an editor in the browser; empty if there is none."""
    provider: IdentityProvider | None = None
    lti: LtiTool | None = None
    lti_services: LtiServices | None = None
    deep_linking: DeepLinking | None = None
    rates: RateLimits = field(default_factory=RateLimits)
    failure_rates: RateLimits = field(default_factory=RateLimits)
    secret: bytes = field(default_factory=new_cookie_secret)
    """Common to all processes."""

    def cookie_secret(self, purpose: str) -> str:
        """The secret that signs cookies of a purpose."""
        return secret_for(self.secret, purpose)

    @contextlib.contextmanager
    def counting_failures(self, caller_address: str) -> Iterator[None]:
        """Counts the sign-in inside if it fails; those that succeed are as many as there are people.

        See `benchwright_service.caller_address`.

        Invitations and tokens are not counted: they have 256 bits, and whoever has a right one is let in, however many
        wrong ones come from the same address.

        Raises:
            RefusalError: Too many of the caller have failed.
            SignInError: It has failed.
        """
        self.require_few_failures(caller_address)
        try:
            yield
        except SignInError:
            self.count_failure(caller_address)
            raise

    def require_few_failures(self, caller_address: str) -> None:
        """Makes sure that few sign-ins of a caller have failed.

        Raises:
            RefusalError: Too many have.
        """
        wait_s = self.failure_rates.retry_after_s(caller_address, FAILED_SIGN_INS_PER_MINUTE)
        if wait_s:
            raise _too_many_refusal("Too many sign-ins from here have failed.", wait_s)

    def count_failure(self, caller_address: str) -> None:
        """Counts a sign-in of a caller that has failed."""
        self.failure_rates.admit_or_retry_after_s(caller_address, FAILED_SIGN_INS_PER_MINUTE)

    def count_begun_sign_in_or_refuse(self, caller_address: str) -> None:
        """Counts a sign-in of which nobody knows yet what becomes of it, and which writes a row or sends mail.

        Raises:
            RefusalError: The caller began too many.
        """
        wait_s = self.rates.admit_or_retry_after_s(caller_address, BEGUN_SIGN_INS_PER_MINUTE)
        if wait_s:
            raise _too_many_refusal("Too many sign-ins were begun from here.", wait_s)


def _too_many_refusal(detail: str, wait_s: float) -> RefusalError:
    next_step = "Wait for the number of seconds in Retry-After."
    return RefusalError(RefusalKind.RATE_LIMITED, detail, next_step, retry_after_s=wait_s)


@dataclass(frozen=True)
class Coursework:
    """Students' work in a course, and their progress."""

    progress: CourseProgress
    own_runs: OwnRuns
    hints: HandedHints
    replays: Replays
    assistance: AssistanceChecks
    recording_choices: RecordingChoices


@dataclass(frozen=True)
class Grades:
    """Grades of work, and the people who decided on them."""

    gradebooks: Gradebooks
    history: GradeHistory
    answer_grading: AnswerGrading
    rubrics: RubricGrades
    item_reports: ItemReports
    regrades: Regrades
    decisions: StaffDecisions
    late_days: LateDays
    research: ResearchExports


@dataclass(frozen=True)
class Teaching:
    """What programs of a course's staff come with, and what they alone read."""

    personal_tokens: PersonalTokens
    course_runs: CourseRuns
    copies: CourseCopies


@dataclass(frozen=True)
class StudyArea:
    """Studies that a lab conducts: its participants' side, those who watch, the end."""

    lab: Lab
    monitor: LabMonitor
    closings: Closings


@dataclass(frozen=True)
class Bench:
    """A service's parts by area. An endpoint is handed its area alone; a page names it."""

    version: str
    database: Database
    metrics: Metrics
    audit: AuditLog
    accounts: Accounts
    rosters: Rosters
    people_service: People
    sign_in: SignIn
    courses: Courses
    coursework: Coursework
    evidence: EvidenceWriter
    runs: RunQueue
    grades: Grades
    teaching: Teaching
    studies: StudyArea
    collecting: QuestionCollecting
    mail_choices: MailChoices
    statements_file: Path
    allowances: Allowances
    health: Health

    def rates(self, limit_name: str) -> RateLimits:
        """Counts requests of a kind, together with the other processes."""
        return RateLimits(allowances=self.allowances, name=limit_name)


@dataclass(frozen=True)
class Administration:
    """Changes that an operator's commands make while the service may run."""

    database: Database
    accounts: Accounts
    rosters: Rosters
    links: SignInLinks
    courses: Courses
    study_places: StudyPlaces


def sqlite_log_file(home: Home) -> Path:
    """The service's log, where it is no PostgreSQL database."""
    return home.data / "service" / "attempts.sqlite"


def study_reports_folder(home: Home) -> Path:
    """Has a folder with the report of each closed study."""
    return home.data / "service" / "reports"


@contextlib.asynccontextmanager
async def open_lab(home: Home, database_url: str | None) -> AsyncIterator[tuple[Lab, StudyLog]]:
    """Opens the studies, and the log that they are in, while the service may run.

    Args:
        home: The folders of the service's user.
        database_url: See `open_bench`.

    Raises:
        BenchServiceError: The tables can't be opened.
        LogError: The log can't be opened.
    """
    async with _open_administration_and_log(home, database_url) as (parts, log):
        yield Lab(log, Store(home), parts.courses, parts.study_places), log


@contextlib.asynccontextmanager
async def open_monitor(home: Home, database_url: str | None) -> AsyncIterator[tuple[LabMonitor, StudyLog]]:
    """Opens what a study is watched by, and the log that it is in, while the service may run.

    Args:
        home: The folders of the service's user.
        database_url: See `open_bench`.

    Raises:
        BenchServiceError: The tables can't be opened.
        LogError: The log can't be opened.
    """
    async with _open_administration_and_log(home, database_url) as (parts, log):
        yield LabMonitor(log, parts.database, parts.accounts, study_reports_folder(home)), log


@contextlib.asynccontextmanager
async def open_people(home: Home, database_url: str | None) -> AsyncIterator[People]:
    """Opens what people's data are exported and deleted by, while the service may run.

    Args:
        home: The folders of the service's user.
        database_url: See `open_bench`.

    Raises:
        BenchServiceError: The tables can't be opened.
        LogError: The log can't be opened.
    """
    judging = AttemptJudging(home)
    try:
        async with _open_administration_and_log(home, database_url) as (parts, log):
            yield _make_people(home, parts, log, judging)
    finally:
        await judging.close()


@contextlib.asynccontextmanager
async def _open_administration_and_log(
    home: Home, database_url: str | None
) -> AsyncIterator[tuple[Administration, StudyLog]]:
    log = await asyncio.to_thread(StudyLog, database_url or sqlite_log_file(home))
    try:
        async with open_administration(home, database_url) as parts:
            yield parts, log
    finally:
        await asyncio.to_thread(log.close)


def _make_people(home: Home, administration: Administration, log: StudyLog, judging: AttemptJudging) -> People:
    database, courses = administration.database, administration.courses
    gradebooks = Gradebooks(database, CourseProgress(database, log))

    async def points_owed(course: str, account: str) -> Sequence[Mapping[str, Any]]:
        return await gradebooks.owed_adjustment_rows(course, await courses.all_assignments(course), account)

    snapshots, views = Snapshots(_snapshots_folder(home)), RunViews(Store(home), home, courses)
    return People(
        database,
        log,
        snapshots,
        views,
        home,
        judging.open_judgement_records,
        points_owed,
        administration.accounts.forget_known_tokens,
    )


def _snapshots_folder(home: Home) -> Path:
    return home.data / "service" / "snapshots"


@contextlib.asynccontextmanager
async def open_administration(home: Home, database_url: str | None) -> AsyncIterator[Administration]:
    """Opens the tables alone.

    Args:
        home: The folders of the service's user.
        database_url: See `open_bench`.

    Raises:
        BenchServiceError: The tables can't be opened.
        LogError: The log can't be opened.
    """
    if database_url is not None:
        # The log first: it refuses a database that has tables and no log.
        (await asyncio.to_thread(EventLog, database_url)).close()
    database = await open_service_database(database_url or home.data / "service" / "service.sqlite")
    try:
        yield Administration(
            database,
            Accounts(database),
            Rosters(database),
            SignInLinks(database),
            Courses(database, Store(home)),
            StudyPlaces(database),
        )
    finally:
        await database.close()


@contextlib.asynccontextmanager
async def open_bench(
    home: Home,
    database_url: str | None,
    service_address: str,
    sign_in_settings: SignInSettings | None = None,
    quotas: Quotas = USUAL,
    question_models: QuestionModels | None = None,
) -> AsyncIterator[Bench]:
    """Opens the databases, the log and the key below `home`; what was queued goes on.

    Args:
        home: The folders of the service's user.
        database_url: A PostgreSQL database for tables and log. None for SQLite files in `home`.
        service_address: The service's address, as receipts name it.
        sign_in_settings: Settings of other services that say who somebody is.
        quotas: Limits on the requests of one account.
        question_models: Models on which questions are tried while they are written.

    Raises:
        BenchServiceError: Tables or key can't be opened.
        ConfigurationError: The variable of a model's key is not set.
        LogError: The log can't be opened.
    """
    folder, store = home.data / "service", Store(home)
    async with contextlib.AsyncExitStack() as opened:
        if database_url is None:
            opened.enter_context(serving_alone(folder))
        # First: it refuses a database that has tables and no log.
        log = await asyncio.to_thread(StudyLog, database_url or sqlite_log_file(home))
        opened.push_async_callback(asyncio.to_thread, log.close)
        judging = AttemptJudging(home)
        opened.push_async_callback(judging.close)
        administration = await opened.enter_async_context(open_administration(home, database_url))
        signer = await asyncio.to_thread(Countersigner.from_folder, service_address, folder)
        metrics = Metrics()
        facts = Facts(administration.database)

        async def require_common_keys() -> None:
            await facts.require_common_keys_or_publish_newer(
                [key.key for key in signer.published_keys.keys], folder=folder
            )

        await require_common_keys()
        allowances = Allowances()
        await opened.enter_async_context(SharedUses(administration.database, allowances).sharing())
        keeper = QuotaKeeper(quotas, metrics.count_quota_refusal, allowances)
        evidence = EvidenceWriter(
            log, administration.database, administration.courses, administration.study_places, signer, keeper
        )
        lab = Lab(log, store, administration.courses, administration.study_places)
        snapshots = Snapshots(_snapshots_folder(home))
        changes = SharedChanges(administration.database)
        await opened.enter_async_context(changes.listening())
        runs = RunQueue(
            administration.database,
            changes,
            store,
            home,
            snapshots,
            administration.courses,
            evidence,
            judging,
            metrics,
            keeper,
        )
        progress = CourseProgress(administration.database, log)
        gradebooks = Gradebooks(administration.database, progress)
        closings = Closings(log, administration.database, database_url, home, study_reports_folder(home))
        opened.push_async_callback(closings.close)
        checks = AssistanceChecks(administration.database, log, administration.courses)
        opened.push_async_callback(checks.close)
        collecting = QuestionCollecting.from_database(administration.database, store, question_models)
        opened.push_async_callback(collecting.tries.close)
        opened.push_async_callback(collecting.exams.close)
        item_reports = ItemReports(administration.database, log, snapshots)
        opened.push_async_callback(item_reports.close)
        replays = Replays(log)
        notice_rows = NoticeRows(administration.database)
        health = Health(administration.database, folder, require_common_keys, runs.queue_size, notice_rows.size)
        opened.enter_context(health.remembering_failed_writes())
        mailbox = _make_mailbox_if_configured(sign_in_settings)
        sign_in = await _make_sign_in(administration, sign_in_settings, mailbox, service_address, folder)
        if sign_in.mailer is not None:
            opened.push_async_callback(sign_in.mailer.close)
        sign_in = replace(
            sign_in,
            rates=RateLimits(allowances=allowances, name="sign_in"),
            failure_rates=RateLimits(allowances=allowances, name="failed_sign_in"),
            secret=await _read_cookie_secret(folder),
        )
        letters = Letters(service_address, sign_in.cookie_secret(turn_off.PURPOSE))
        await opened.enter_async_context(_sending_notices(administration.database, mailbox, letters, metrics))
        await runs.start(is_alone=database_url is None)
        opened.push_async_callback(runs.close)
        yield Bench(
            version=version(),
            database=administration.database,
            metrics=metrics,
            audit=AuditLog(administration.database),
            accounts=administration.accounts,
            rosters=administration.rosters,
            people_service=_make_people(home, administration, log, judging),
            sign_in=sign_in,
            courses=administration.courses,
            coursework=Coursework(
                progress,
                OwnRuns(administration.database, administration.courses, RunViews(store, home, administration.courses)),
                HandedHints(administration.database, evidence, store, administration.courses, lab),
                replays,
                checks,
                RecordingChoices(administration.database, log, replays),
            ),
            evidence=evidence,
            runs=runs,
            grades=Grades(
                gradebooks,
                GradeHistory(administration.database),
                AnswerGrading(administration.database, judging.open_judgement_records, store),
                RubricGrades(administration.database, judging.open_judgement_records, store, administration.courses),
                item_reports,
                Regrades(administration.database, store, home, gradebooks),
                StaffDecisions(administration.database),
                LateDays(administration.database),
                ResearchExports(administration.database, log),
            ),
            teaching=Teaching(
                PersonalTokens(administration.database, administration.accounts),
                CourseRuns(administration.database),
                CourseCopies(administration.database),
            ),
            studies=StudyArea(
                lab,
                LabMonitor(log, administration.database, administration.accounts, study_reports_folder(home)),
                closings,
            ),
            collecting=collecting,
            mail_choices=MailChoices(administration.database),
            statements_file=folder / statements.FILE,
            allowances=allowances,
            health=health,
        )


async def _read_cookie_secret(folder: Path) -> bytes:
    try:
        return await asyncio.to_thread(existing_or_new_secret, folder / COOKIE_KEY_FILE, new_cookie_secret)
    except OSError as error:
        raise BenchServiceError(f"the secret {folder / COOKIE_KEY_FILE} can't be used: {error.strerror}") from error


def _make_mailbox_if_configured(settings: SignInSettings | None) -> Mailbox | None:
    if settings is None or settings.smtp is None:
        return None
    from benchwright_service.mail.smtp import Mailbox

    return Mailbox(settings.smtp)


@contextlib.asynccontextmanager
async def _sending_notices(
    database: Database, mailbox: Mailbox | None, letters: Letters, metrics: Metrics
) -> AsyncIterator[None]:
    """Sends notices inside, if there is a mail server; if there is none, none is queued."""
    await TimedNotices(database).record_has_mail_server(has_mail_server=mailbox is not None)
    notice_rows = NoticeRows(database)
    loop = asyncio.get_running_loop()
    # Metrics are read in another thread.
    metrics.set_mail_gauges(lambda: asyncio.run_coroutine_threadsafe(notice_rows.size(), loop).result(5.0))
    if mailbox is None:
        await notice_rows.clear()
        yield
        return
    from benchwright_service.mail.notice_mailer import NoticeMailer

    mailer = NoticeMailer(database, mailbox, letters, metrics.count_sent_mail)
    mailer.start()
    try:
        yield
    finally:
        await mailer.close()


async def _make_sign_in(
    administration: Administration,
    settings: SignInSettings | None,
    mailbox: Mailbox | None,
    service_address: str,
    service_folder: Path,
) -> SignIn:
    own_sign_in = SignIn(
        SignInSessions(administration.database),
        Devices(administration.database, administration.accounts),
        administration.links,
    )
    if settings is None:
        return own_sign_in
    if mailbox is not None:
        from benchwright_service.sign_in.mail import LinkMailer

        own_sign_in = replace(own_sign_in, mailer=LinkMailer(mailbox, administration.links, service_address))
    own_sign_in = replace(own_sign_in, browser_editor=settings.browser_editor or "")
    # Most services have none, and the protocols take a quarter of a second to import.
    from benchwright_service.sign_in.deep_linking import DeepLinking
    from benchwright_service.sign_in.identity_provider import IdentityProvider
    from benchwright_service.sign_in.lti import LtiTool
    from benchwright_service.sign_in.lti_services import LtiServices, ToolKey

    named_courses = [settings.oidc.course] if settings.oidc is not None and settings.oidc.course else []
    for course in (*named_courses, *(course for platform in settings.lti for course in platform.courses.values())):
        await administration.courses.require_course(course)
    provider = IdentityProvider(settings.oidc, service_address) if settings.oidc is not None else None
    if not settings.lti:
        return replace(own_sign_in, provider=provider)
    tool_key = await asyncio.to_thread(ToolKey, service_folder / "lti-key.json")
    services = LtiServices(administration.database, administration.accounts, settings.lti, tool_key)
    tool = LtiTool(settings.lti, service_address)
    deep_linking = DeepLinking(tool_key, tool.launch_url, settings.lti)
    return replace(own_sign_in, provider=provider, lti=tool, lti_services=services, deep_linking=deep_linking)
