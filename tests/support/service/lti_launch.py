"""Fixtures and helpers of the tests of lti launch."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import jwt as jwt_library
import pytest
from joserfc.jwk import RSAKey
from lti1p3platform.exceptions import LtiException
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration

from .bench_service import Course, Service
from .bench_service_pages import browser, csrf

CLIENT, DEPLOYMENT, CONTEXT, SECOND = "tool-1", "deployment-1", "lms-course-7", "lms-course-8"
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"


KEY, FOREIGN = RSAKey.generate_key(2048), RSAKey.generate_key(2048)


AGS = "https://purl.imsglobal.org/spec/lti-ags/scope"


MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"


LEARNER, TEACHER = f"{MEMBERSHIP}#Learner", f"{MEMBERSHIP}#Instructor"


class Configuration(LTI1P3PlatformConfAbstract):  # type: ignore[misc]
    """The tool, as the platform knows it."""

    def init_platform_config(self, **settings: Any) -> None:
        self._registration = (
            Registration()
            .set_iss(settings["issuer"])
            .set_client_id(CLIENT)
            .set_deployment_id(DEPLOYMENT)
            .set_launch_url(f"{settings['tool']}/lti/launch")
            .set_oidc_login_url(f"{settings['tool']}/lti/login")
            .set_platform_public_key(KEY.as_pem(private=False).decode())
            .set_platform_private_key(KEY.as_pem(private=True).decode())
            .set_tool_key_set_url(f"{settings['tool']}/lti/keys")
        )

    def get_registration_by_params(self, **_arguments: Any) -> Registration:
        assert self._registration is not None
        return self._registration


class Login(OIDCLoginAbstract):  # type: ignore[misc]
    """Begins a launch."""

    def set_lti_message_hint(self, **settings: Any) -> None:
        self._lti_message_hint = settings["hint"]

    def get_redirect(self, url: str) -> str:
        return url


class Message(LTIAdvantageMessageLaunchAbstract):  # type: ignore[misc]
    """Ends it."""

    def get_preflight_response(self) -> dict[str, Any]:
        return dict(self._request)

    def render_launch_form(self, launch_data: dict[str, Any], **_arguments: Any) -> dict[str, Any]:
        return launch_data


@dataclass
class Platform:
    """A learning management system with one course."""

    port: int = 0
    keys: list[Any] = field(default_factory=list)
    reads: int = 0
    status: int = 200
    tool: str = ""
    course_members: list[dict[str, Any]] = field(default_factory=list)
    line_items: list[dict[str, Any]] = field(default_factory=list)
    scores: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)
    """Subjects whose scores it does not take."""
    requests: list[str] = field(default_factory=list)

    def as_settings(self, folder: Path, course: str, *context_ids: str, more_lines: str = "") -> Path:
        """A sign-in.toml that names it, and the course that some of its own are."""
        contexts = ", ".join(f'"{context_id}" = "{course}"' for context_id in context_ids)
        file = folder / "sign-in.toml"
        file.write_text(
            f"""
[[lti]]
name = "Moodle"
issuer = "{self.url}"
client_id = "{CLIENT}"
authorization_url = "{self.url}/auth"
token_url = "{self.url}/token"
keys_url = "{self.url}/keys"
deployments = ["{DEPLOYMENT}"]
courses = {{ {contexts} }}
{more_lines}
"""
        )
        return file

    def allows(self, authorization: str, scope: str) -> bool:
        """True if the tool has a token for this."""
        token = authorization.removeprefix("Bearer ")
        configuration = Configuration(issuer=self.url, tool=self.tool)
        try:
            return bool(configuration.validate_token(token, [scope]))
        except (LtiException, jwt_library.PyJWTError):
            return False

    def answer(self, method: str, path: str, authorization: str, body: bytes) -> tuple[int, object, dict[str, str]]:
        """Status, JSON, headers."""
        self.requests.append(f"{method} {path}")
        if path == "/keys":
            self.reads += 1
            return self.status, {"keys": self.keys}, {}
        if path == "/token":
            configuration = Configuration(issuer=self.url, tool=self.tool)
            return 200, configuration.get_access_token(dict(parse_qsl(body.decode()))), {}
        if path.startswith("/members"):
            if not self.allows(
                authorization, "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
            ):
                return 403, {}, {}
            page = 1 if "page=2" in path else 0
            link = {} if page else {"Link": f'<{self.url}/members?page=2>; rel="next"'}
            return 200, {"id": "x", "members": self.course_members[page::2]}, link
        if path.endswith("/scores?type=1"):
            score = json.loads(body)
            if not self.allows(authorization, f"{AGS}/score") or score["userId"] in self.refuses:
                return 403, {}, {}
            self.scores.append((path, score))
            return 204, {}, {}
        if not self.allows(authorization, f"{AGS}/lineitem"):
            return 403, {}, {}
        # Each of its courses has line items of its own.
        place = f"{self.url}{path.removesuffix('/lineitems').partition('?')[0]}"
        if method == "POST":
            self.line_items.append({**json.loads(body), "id": f"{place}/items/{len(self.line_items)}?type=1"})
            return 201, self.line_items[-1], {}
        if path.endswith("?page=2"):
            place = place.removesuffix("/lineitems")
        own_items = [item for item in self.line_items if item["id"].startswith(f"{place}/items")]
        if path.endswith("?page=2") or len(own_items) < 2:
            return 200, own_items[-1:], {}
        return 200, own_items[:-1], {"Link": f'<{place}/lineitems?page=2>; rel="next"'}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass
class School:
    """A service, its course, and the platform that launches into it."""

    service: Service
    course: Course
    platform: Platform
    offers: str = ""
    """Address at which the platform says that its services are; it offers none if empty."""

    def teacher(self) -> httpx2.Client:
        """A teacher who came from the platform."""
        client = browser(self.service)
        assert self.launch(client, "grace", TEACHER).status_code == 303
        return client

    def press(self, client: httpx2.Client, form: str) -> httpx2.Response:
        """A button of the grades' page."""
        return client.post(f"/courses/{self.course.name}/{form}", data={"csrf": csrf(client)})

    def preflight(self, client: httpx2.Client, user: str) -> dict[str, str]:
        """The platform sends a browser to the tool, which sends it back with what it asks."""
        configuration = Configuration(issuer=self.platform.url, tool=self.service.url)
        login = Login(None, configuration)
        login.set_lti_message_hint(hint="link-1")
        redirect = client.get(login.initiate_login(user))
        assert redirect.status_code == 303, redirect.text
        redirect_address = urlsplit(redirect.headers["location"])
        assert (
            f"{redirect_address.scheme}://{redirect_address.netloc}{redirect_address.path}"
            == f"{self.platform.url}/auth"
        )
        return dict(parse_qsl(redirect_address.query))

    def message(
        self, request: dict[str, str], user: str, *roles: str, context_id: str = CONTEXT, **claims: Any
    ) -> dict[str, Any]:
        """Message that the platform has the browser post."""
        launch_message = Message(request, Configuration(issuer=self.platform.url, tool=self.service.url))
        launch_message.set_user_data(user, list(roles), full_name=f"{user} <b>")
        launch_message.set_resource_link_claim("link-1")
        launch_message.set_launch_context_claim(context_id, context_title="Architecture")
        launch_message.set_extra_claims(claims)
        if self.offers:
            launch_message.set_ags(f"{self.offers}/lineitems")
            launch_message.set_nrps(f"{self.offers}/members")
        return dict(launch_message.lti_launch())

    def post(self, client: httpx2.Client, launch_form: dict[str, Any]) -> httpx2.Response:
        """The browser posts it, from the platform's page."""
        posted_fields = {name: launch_form[name] for name in ("state", "id_token")}
        return client.post("/lti/launch", data=posted_fields, headers={"Origin": self.platform.url})

    def launch(self, client: httpx2.Client, user: str, *roles: str, **message_changes: Any) -> httpx2.Response:
        """All of it."""
        return self.post(client, self.message(self.preflight(client, user), user, *roles, **message_changes))


@pytest.fixture
def platform() -> Iterator[Platform]:
    with running_platform() as fake_platform:
        yield fake_platform


@contextlib.contextmanager
def running_platform() -> Iterator[Platform]:
    """A platform that answers."""
    fake_platform = Platform(keys=[Registration.get_jwk(KEY.as_pem(private=False).decode())])

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            request_body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, value, headers = fake_platform.answer(
                self.command, self.path, self.headers.get("Authorization") or "", request_body
            )
            body = json.dumps(value).encode() if status != 204 else b""
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _reply

        def log_message(self, format: str, *args: object) -> None:
            pass

    http_server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake_platform.port = http_server.server_port
    thread = threading.Thread(target=http_server.serve_forever, args=(0.05,))
    thread.start()
    yield fake_platform
    http_server.shutdown()
    http_server.server_close()
    thread.join()
