"""The pages as a web application, with what guards all of them: sizes, rates, sessions, forged forms."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from benchwright_authoring.written_question import MOST_FIGURES
from benchwright_foundation.errors import StorageError
from benchwright_foundation.refusals import RefusalError
from benchwright_judges.service.admission import refusal_of
from benchwright_service.accounts.sessions import BrowserSession
from benchwright_service.bench import Bench
from benchwright_service.mail import turn_off
from benchwright_service.mail.letters import CHOICES_PATH
from benchwright_service.pages import (
    answer_pages,
    appeal_pages,
    assignment_pages,
    closing_pages,
    course_pages,
    course_settings_pages,
    exam_pages,
    grade_pages,
    lti_pages,
    mail_pages,
    notice_pages,
    people_pages,
    problem_pages,
    question_pages,
    regrade_pages,
    replay_pages,
    review_pages,
    roster_pages,
    sign_in_page,
    statement_pages,
    study_pages,
    token_pages,
)
from benchwright_service.pages.course_places import places_of_visit
from benchwright_service.pages.rendering import ASSETS, SECURITY, FormProblem, TemplatePage, asset_content, render
from benchwright_service.pages.visit import Visit, cookie_name
from benchwright_service.questions.exam_readings import MOST_EXAM_BYTES
from benchwright_service.questions.pictures import MOST_BYTES
from benchwright_teaching.local_times import is_zone

PATHS = (
    "/sign-in",
    "/lti/",
    "/sign-out",
    "/device",
    "/courses",
    "/notices",
    "/tokens",
    "/privacy",
    "/accessibility",
    "/studies/",
    "/assets/",
)
"""Beginnings of the paths of pages, beside `/` itself."""
_WORK = "/courses/{course}/attempts/{assignment}/{problem}/{account}"
_FORM_BYTES = 64 << 10
_TEXTS_BYTES = 512 << 10
"""Of a question's form without pictures."""
_FILES_BYTES = MOST_FIGURES * MOST_BYTES + _TEXTS_BYTES
"""Of one with pictures."""
_EXAM_BYTES = MOST_EXAM_BYTES + (1 << 20)
"""Of one with an exam, which may be a little too large: the page says so."""
_FORM_TIME_S = 20.0
_MOST_FIELDS = 2_000
"""A course's groups have one for each person."""
_PER_MINUTE = 300
_WITH_FILES_PER_MINUTE = 20
_ZONE_COOKIE = "benchwright_zone"
"""Set by `zone.js`."""
AWAY_S = 600
"""Longest time that a person may take at an identity provider, in seconds."""

Page = Callable[[Visit], Awaitable[Response]]


def is_page(path: str) -> bool:
    """True if a path is one of a page."""
    return path == "/" or path.startswith(PATHS)


def make_pages(bench: Bench, *, https_only: bool) -> ASGIApp:
    """The pages over an open bench.

    Args:
        bench: The service.
        https_only: True if browsers reach it by HTTPS, so that cookies are for HTTPS only.
    """
    pages_app = Starlette(
        routes=page_routes(bench, https_only=https_only),
        exception_handlers={HTTPException: _not_found_page, Exception: _failure_page},
    )
    pages_app.router.redirect_slashes = False

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await pages_app(scope, receive, send)
        except Exception as error:
            # Starlette raises again what it has answered already, for servers that log it; ours logs in `refusal_of`.
            logging.getLogger(__name__).debug("%s", type(error).__name__)

    return app


def page_routes(bench: Bench, *, https_only: bool) -> list[Route]:
    """The addresses of pages and of what they load and send; see `make_pages`."""
    guard = _RouteGuard(bench, is_https=https_only)
    away_session = Middleware(
        SessionMiddleware,
        secret_key=bench.sign_in.cookie_secret("provider"),
        session_cookie="__Host-benchwright_away" if https_only else "benchwright_away",
        max_age=AWAY_S,
        https_only=https_only,
    )
    launched = Middleware(
        SessionMiddleware,
        secret_key=bench.sign_in.cookie_secret("launch"),
        session_cookie="__Host-benchwright_launch" if https_only else "benchwright_launch",
        max_age=AWAY_S,
        # The platform posts from its own site; browsers send such a cookie by HTTPS only.
        same_site="none" if https_only else "lax",
        https_only=https_only,
    )
    return [
        Route("/", guard.for_signed_in(course_pages.courses_page)),
        Route("/sign-in", guard.for_everybody(sign_in_page.sign_in_form_page)),
        Route("/sign-in", guard.for_everybody(sign_in_page.sign_in_by_code), methods=["POST"]),
        Route("/sign-in/link", guard.for_everybody(sign_in_page.link_page)),
        Route("/sign-in/link", guard.for_sign_in_forms(sign_in_page.sign_in_by_link), methods=["POST"]),
        Route("/sign-in/link/request", guard.for_sign_in_forms(sign_in_page.request_link), methods=["POST"]),
        Route("/sign-in/return-code", guard.for_signed_in(sign_in_page.make_sign_in_again_code), methods=["POST"]),
        Route("/sign-in/provider", guard.for_everybody(sign_in_page.redirect_to_provider), middleware=[away_session]),
        Route(
            "/sign-in/provider/return",
            guard.for_everybody(sign_in_page.sign_in_from_provider),
            middleware=[away_session],
        ),
        Route(
            "/lti/login",
            guard.from_other_sites(lti_pages.begin_lti_login),
            methods=["GET", "POST"],
            middleware=[launched],
        ),
        Route(
            "/lti/launch", guard.from_other_sites(lti_pages.finish_lti_launch), methods=["POST"], middleware=[launched]
        ),
        Route("/lti/links", guard.for_sign_in_forms(lti_pages.answer_link_choice), methods=["POST"]),
        Route("/lti/keys", guard.from_other_sites(lti_pages.tool_key_set)),
        Route("/courses/{course}/roster", guard.for_signed_in(lti_pages.add_platform_roster), methods=["POST"]),
        Route(
            "/courses/{course}/grades/send", guard.for_signed_in(lti_pages.send_grades_to_platform), methods=["POST"]
        ),
        Route("/sign-out", guard.for_signed_in(sign_in_page.sign_out), methods=["POST"]),
        Route("/device", guard.for_signed_in(sign_in_page.device_code_page)),
        Route("/device", guard.for_signed_in(sign_in_page.decide_on_device), methods=["POST"]),
        Route("/notices", guard.for_signed_in(notice_pages.notices_page)),
        Route("/notices", guard.for_signed_in(notice_pages.mark_notices_read), methods=["POST"]),
        Route(CHOICES_PATH, guard.for_signed_in(mail_pages.mail_choices_page)),
        Route(CHOICES_PATH, guard.for_signed_in(mail_pages.choose_mail), methods=["POST"]),
        Route(turn_off.PATH, guard.for_everybody(mail_pages.turn_off_page)),
        Route(turn_off.PATH, guard.from_mail_programs(mail_pages.turn_off_mail), methods=["POST"]),
        Route("/tokens", guard.for_signed_in(token_pages.tokens_page)),
        Route("/tokens", guard.for_signed_in(token_pages.make_token), methods=["POST"]),
        Route("/tokens/{token}/revoke", guard.for_signed_in(token_pages.revoke_token), methods=["POST"]),
        Route("/courses/{course}", guard.for_signed_in(course_pages.visited_course_page)),
        Route(
            "/courses/{course}/archive", guard.for_signed_in(course_pages.archive_or_restore_course), methods=["POST"]
        ),
        Route("/courses/{course}/settings", guard.for_signed_in(course_settings_pages.settings_page)),
        Route(
            "/courses/{course}/settings", guard.for_signed_in(course_settings_pages.change_settings), methods=["POST"]
        ),
        Route(
            "/courses/{course}/recording",
            guard.for_signed_in(course_settings_pages.choose_own_recording),
            methods=["POST"],
        ),
        Route("/courses/{course}/late-days", guard.for_signed_in(course_settings_pages.late_days_page)),
        Route("/courses/{course}/copy", guard.for_signed_in(course_settings_pages.copy_page)),
        Route("/courses/{course}/copy", guard.for_signed_in(course_settings_pages.plan_or_make_copy), methods=["POST"]),
        Route(
            "/courses/{course}/mine/{assignment}/late-days",
            guard.for_signed_in(course_settings_pages.spend_late_days_as_student),
            methods=["POST"],
        ),
        Route("/courses/{course}/progress", guard.for_signed_in(course_pages.progress_page)),
        Route(
            "/courses/{course}/assignments",
            guard.for_signed_in(assignment_pages.submit_new_assignment),
            methods=["POST"],
        ),
        Route("/courses/{course}/assignments/new", guard.for_signed_in(assignment_pages.new_assignment_page)),
        Route("/courses/{course}/assignments/{assignment}", guard.for_signed_in(assignment_pages.assignment_form_page)),
        Route(
            "/courses/{course}/assignments/{assignment}",
            guard.for_signed_in(assignment_pages.submit_assignment_change),
            methods=["POST"],
        ),
        Route(
            "/courses/{course}/assignments/{assignment}/grading",
            guard.for_signed_in(grade_pages.change_grading_rules),
            methods=["POST"],
        ),
        Route("/courses/{course}/problems/{pack}/{problem}", guard.for_signed_in(problem_pages.problem_page)),
        Route("/courses/{course}/grades", guard.for_signed_in(grade_pages.grades_page)),
        Route("/courses/{course}/grades.{kind}.csv", guard.for_signed_in(grade_pages.gradebook_file)),
        Route("/courses/{course}/grades/{assignment}/{account}", guard.for_signed_in(grade_pages.student_grade_page)),
        Route(
            "/courses/{course}/grades/{assignment}/{account}",
            guard.for_signed_in(grade_pages.change_student_grade),
            methods=["POST"],
        ),
        Route("/courses/{course}/items", guard.for_signed_in(grade_pages.item_analysis_page)),
        Route("/courses/{course}/items/{assignment}/{problem}", guard.for_signed_in(grade_pages.item_page)),
        Route(
            "/courses/{course}/items/{assignment}/{problem}/alike",
            guard.for_signed_in(grade_pages.similar_solutions_page),
        ),
        Route(
            "/courses/{course}/items/{assignment}/{problem}/alike/{first}/{second}",
            guard.for_signed_in(grade_pages.solutions_side_by_side),
        ),
        Route(
            "/courses/{course}/items/{assignment}/{problem}/regrade",
            guard.for_signed_in(regrade_pages.begin_problem_regrade),
            methods=["POST"],
        ),
        Route("/courses/{course}/regrades/{regrade}", guard.for_signed_in(regrade_pages.regrade_page)),
        Route(
            "/courses/{course}/regrades/{regrade}",
            guard.for_signed_in(regrade_pages.accept_or_drop_regrade),
            methods=["POST"],
        ),
        Route(
            "/courses/{course}/grades/{assignment}/{account}/appeal",
            guard.for_signed_in(appeal_pages.submit_appeal_answer),
            methods=["POST"],
        ),
        Route("/courses/{course}/appeals", guard.for_signed_in(appeal_pages.appeals_page)),
        Route("/courses/{course}/mine/{assignment}", guard.for_signed_in(appeal_pages.own_grade_page)),
        Route("/courses/{course}/mine/{assignment}", guard.for_signed_in(appeal_pages.submit_appeal), methods=["POST"]),
        Route("/courses/{course}/answers", guard.for_signed_in(answer_pages.next_answer_page)),
        Route("/courses/{course}/answers", guard.for_signed_in(answer_pages.submit_answer_grade), methods=["POST"]),
        Route("/courses/{course}/answers/{item}/figures/{number}", guard.for_signed_in(answer_pages.figure_of_answer)),
        Route("/courses/{course}/questions", guard.for_signed_in(question_pages.questions_page)),
        Route(
            "/courses/{course}/questions", guard.for_signed_in(question_pages.submit_question_call), methods=["POST"]
        ),
        Route(
            "/courses/{course}/questions/publish",
            guard.for_signed_in(question_pages.publish_questions),
            methods=["POST"],
        ),
        Route("/courses/{course}/questions/new", guard.for_signed_in(question_pages.new_question_form)),
        Route(
            "/courses/{course}/questions/new",
            guard.for_signed_in_with_files(question_pages.create_question),
            methods=["POST"],
        ),
        Route("/courses/{course}/questions/exams", guard.for_signed_in(exam_pages.exam_form)),
        Route(
            "/courses/{course}/questions/exams",
            guard.for_signed_in(exam_pages.begin_reading_exam, most_file_bytes=_EXAM_BYTES),
            methods=["POST"],
        ),
        Route("/courses/{course}/questions/exams/{exam}", guard.for_signed_in(exam_pages.exam_page)),
        Route(
            "/courses/{course}/questions/exams/{exam}", guard.for_signed_in(exam_pages.discard_exam), methods=["POST"]
        ),
        Route("/courses/{course}/questions/exams/{exam}/state", guard.for_signed_in(exam_pages.exam_state_fragment)),
        Route("/courses/{course}/questions/{question}", guard.for_signed_in(question_pages.question_page)),
        Route(
            "/courses/{course}/questions/{question}",
            guard.for_signed_in_with_files(question_pages.change_question),
            methods=["POST"],
        ),
        Route(
            "/courses/{course}/questions/{question}/takedown",
            guard.for_signed_in(question_pages.take_question_down),
            methods=["POST"],
        ),
        Route("/courses/{course}/questions/{question}/tries", guard.for_signed_in(question_pages.tries_fragment)),
        Route(
            "/courses/{course}/questions/{question}/figures/{figure}",
            guard.for_signed_in(question_pages.figure_of_question),
        ),
        Route("/courses/{course}/review", guard.for_signed_in(review_pages.next_review_page)),
        Route(
            "/courses/{course}/review", guard.for_signed_in(review_pages.submit_answer_or_decision), methods=["POST"]
        ),
        Route(
            "/courses/{course}/people/roster",
            guard.for_signed_in_with_files(roster_pages.preview_roster),
            methods=["POST"],
        ),
        Route(
            "/courses/{course}/people/roster/merge",
            guard.for_signed_in_with_files(roster_pages.merge_roster),
            methods=["POST"],
        ),
        Route(
            "/courses/{course}/people/invitations",
            guard.for_signed_in(roster_pages.renew_invitations),
            methods=["POST"],
        ),
        Route("/courses/{course}/people", guard.for_signed_in(people_pages.people_page)),
        Route("/courses/{course}/people", guard.for_signed_in(people_pages.change_groups), methods=["POST"]),
        Route("/courses/{course}/people/{account}/export", guard.for_signed_in(people_pages.person_export)),
        Route(
            "/courses/{course}/people/{account}/delete",
            guard.for_signed_in(people_pages.delete_chosen_person),
            methods=["POST"],
        ),
        Route("/courses/{course}/audit.{kind}", guard.for_signed_in(course_pages.course_audit_file)),
        Route("/courses/{course}/research.zip", guard.for_signed_in(people_pages.research_export)),
        Route("/privacy", guard.for_everybody(statement_pages.privacy_page)),
        Route("/accessibility", guard.for_everybody(statement_pages.accessibility_page)),
        Route("/courses/{course}/audit", guard.for_signed_in(course_pages.course_audit_page)),
        Route(_WORK, guard.for_signed_in(course_pages.student_work_page)),
        Route(f"{_WORK}/{{attempt}}/replay", guard.for_signed_in(replay_pages.replay_overview_json)),
        Route(f"{_WORK}/{{attempt}}/replay/{{events}}/{{chunk}}", guard.for_signed_in(replay_pages.replay_chunk_json)),
        Route(f"{_WORK}/{{attempt}}/final", guard.for_signed_in(replay_pages.final_files_page)),
        Route("/studies/{study}", guard.for_signed_in(study_pages.study_page)),
        Route("/studies/{study}/watch", guard.for_signed_in(study_pages.study_watch_fragment)),
        Route("/studies/{study}/invitations", guard.for_signed_in(study_pages.invite_to_study), methods=["POST"]),
        Route("/studies/{study}/audit", guard.for_signed_in(study_pages.study_audit_page)),
        Route("/studies/{study}/closing", guard.for_signed_in(closing_pages.closing_page)),
        Route(
            "/studies/{study}/closing", guard.for_signed_in(closing_pages.begin_closing_if_confirmed), methods=["POST"]
        ),
        Route("/studies/{study}/closing/state", guard.for_signed_in(closing_pages.closing_state_fragment)),
        Route("/studies/{study}/report", guard.for_signed_in(closing_pages.study_report_page)),
        Route("/studies/{study}/export.zip", guard.for_signed_in(closing_pages.study_records_download)),
        Route("/assets/{name}", _asset_response),
    ]


class _RouteGuard:
    def __init__(self, bench: Bench, *, is_https: bool) -> None:
        self._bench = bench
        self._secure = is_https
        self._rates = bench.rates("pages")
        self._with_files = bench.rates("pictures")

    def for_everybody(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """A page for everybody."""

        async def answer(request: Request) -> Response:
            return await self._guarded_response(page, request, await self._find_session_and_keep_zone(request))

        return answer

    def for_sign_in_forms(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """A form that signs in whom it names, whoever is signed in now."""

        async def answer(request: Request) -> Response:
            return await self._guarded_response(page, request, None)

        return answer

    def from_other_sites(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """A page that other sites send browsers to, with a form too; it does not know who is signed in."""

        async def answer(request: Request) -> Response:
            return await self._guarded_response(page, request, None, is_from_elsewhere=True)

        return answer

    def from_mail_programs(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """A form that programs which read mail send by themselves, in either encoding (RFC 8058)."""

        async def answer(request: Request) -> Response:
            return await self._guarded_response(page, request, None, is_from_elsewhere=True, takes_multipart=True)

        return answer

    def for_signed_in_with_files(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """A page for who is signed in, with a form that may bring pictures."""
        return self.for_signed_in(page, most_file_bytes=_FILES_BYTES)

    def for_signed_in(self, page: Page, *, most_file_bytes: int = 0) -> Callable[[Request], Awaitable[Response]]:
        """A page for who is signed in; others are asked to sign in."""

        async def answer(request: Request) -> Response:
            session = await self._find_session_and_keep_zone(request)
            if session is None:
                onward = "/sign-in?device" if request.url.path == "/device" else "/sign-in"
                return RedirectResponse(onward, HTTPStatus.SEE_OTHER, headers=SECURITY)
            return await self._guarded_response(page, request, session, most_file_bytes=most_file_bytes)

        return answer

    async def _find_session_and_keep_zone(self, request: Request) -> BrowserSession | None:
        cookie = request.cookies.get(cookie_name(is_https=self._secure))
        session = await self._bench.sign_in.sessions.find(cookie) if cookie else None
        zone = unquote(request.cookies.get(_ZONE_COOKIE, ""))
        if session is None or not is_zone(zone):
            return session
        if zone != session.kept_zone:
            # A page is shown also where nothing can be written.
            with contextlib.suppress(StorageError):
                await self._bench.sign_in.sessions.keep_zone(session.account, zone)
        return replace(session, zone=zone)

    async def _guarded_response(
        self,
        page: Page,
        request: Request,
        session: BrowserSession | None,
        *,
        is_from_elsewhere: bool = False,
        most_file_bytes: int = 0,
        takes_multipart: bool = False,
    ) -> Response:
        try:
            if session is not None and self._rates.admit_or_retry_after_s(session.account, _PER_MINUTE):
                raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS)
            if request.method == "POST" and not is_from_elsewhere and not _is_from_own_page(request):
                raise HTTPException(HTTPStatus.FORBIDDEN)
            form = FormData()
            if request.method == "POST":
                form = await self._checked_form(
                    request, session, most_file_bytes=most_file_bytes, takes_multipart=takes_multipart
                )
            if _has_null_byte(request, form):
                raise HTTPException(HTTPStatus.BAD_REQUEST)
            visit = Visit(self._bench, request, session, form, secure=self._secure)
            return await _with_navigation(visit, await page(visit))
        except RefusalError as refusal:
            return _refusal_page(refusal, session)
        finally:
            await request.close()

    async def _checked_form(
        self, request: Request, session: BrowserSession | None, *, most_file_bytes: int, takes_multipart: bool
    ) -> FormData:
        length = request.headers.get("content-length", "")
        kind = request.headers.get("content-type", "").partition(";")[0]
        has_parts = kind == "multipart/form-data"
        has_files = bool(most_file_bytes) and has_parts
        # Without the length, a body has no end that is known beforehand.
        most_bytes = most_file_bytes if has_files else _TEXTS_BYTES if most_file_bytes else _FORM_BYTES
        if not length.isdigit() or int(length) > most_bytes:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        is_taken = has_files or (takes_multipart and has_parts) or kind == "application/x-www-form-urlencoded"
        if not is_taken:
            raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        if (
            has_files
            and session is not None
            and self._with_files.admit_or_retry_after_s(session.account, _WITH_FILES_PER_MINUTE)
        ):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS)
        try:
            async with asyncio.timeout(_FORM_TIME_S):
                form = await request.form(max_files=MOST_FIGURES if has_files else 0, max_fields=_MOST_FIELDS)
        except TimeoutError:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from None
        if session is not None and form.get("csrf") != session.csrf:
            raise HTTPException(HTTPStatus.FORBIDDEN)
        return form


async def _with_navigation(visit: Visit, response: Response) -> Response:
    """The same response; a page of a course with the navigation in it."""
    if isinstance(response, TemplatePage) and response.membership is not None:
        response.show_places(await places_of_visit(visit, response.membership))
    return response


def _is_from_own_page(request: Request) -> bool:
    """True if a form comes from a page of this service: browsers say from where, and others can't lie for them."""
    origin = request.headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc == request.headers.get("host")
    return request.headers.get("sec-fetch-site") in ("same-origin", "none")


def _has_null_byte(request: Request, form: FormData) -> bool:
    """True if something that a page may look for in the database, or store, has a null byte; PostgreSQL takes none."""
    sent_texts = (*request.path_params.values(), *request.query_params.values(), *form.values())
    return any(isinstance(text, str) and "\0" in text for text in sent_texts)


def _refusal_page(refusal: RefusalError, session: BrowserSession | None) -> Response:
    problem = FormProblem(refusal.details.detail, refusal.details.next_step)
    return render("told", session, refusal.refusal_kind.status.value, title="That did not work", problem=problem)


async def _asset_response(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    headers = SECURITY | {"Cache-Control": "max-age=3600"}
    return Response(asset_content(name), media_type=ASSETS[name], headers=headers)


async def _not_found_page(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.NOT_FOUND
    detail, next_step = _SAID.get(HTTPStatus(status), ("There is no such page.", "Go to your courses."))
    return render("told", None, int(status), title="That did not work", problem=FormProblem(detail, next_step))


async def _failure_page(request: Request, error: Exception) -> Response:
    return _refusal_page(refusal_of(error), None)


_SAID = {
    HTTPStatus.BAD_REQUEST: ("The address or the form has a null byte.", "Type the text again instead of pasting it."),
    HTTPStatus.FORBIDDEN: ("This form is not from a page of this service.", "Open the page again, and repeat it."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("The form is too large.", "Write less into it, or choose a smaller file."),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: ("This is not a form of this service.", "Open the page again."),
    HTTPStatus.REQUEST_TIMEOUT: ("The form did not arrive in time.", "Repeat it with a better connection."),
    HTTPStatus.TOO_MANY_REQUESTS: ("These were too many pages within a minute.", "Wait a minute."),
    HTTPStatus.METHOD_NOT_ALLOWED: ("This page can't be asked like that.", "Go to your courses."),
}
