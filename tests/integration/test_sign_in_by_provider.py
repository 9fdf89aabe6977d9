"""Signing in by an OpenID Connect provider: an independent one, and one that lies in every way."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import psycopg
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from joserfc.jws import JWSRegistry
from sqlalchemy import select

from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration
from benchwright_service.storage.tables import USES

from ..support.service.bench_service import Course, Service, running_service
from ..support.service.bench_service_pages import browser, csrf, invitation, signed_in
from ..support.service.postgres import new_database
from ..support.service.rosters import merge_roster
from ..support.service.sign_in_by_provider import SECRET, independent, sign_in

__all__ = ("independent",)

CLIENT = "benchwright"
KEY, FOREIGN = RSAKey.generate_key(2048, {"kid": "one"}), RSAKey.generate_key(2048, {"kid": "one"})


def serving(folder: Path, issuer: str, course: str = "") -> Service:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "secret").write_text(f"{SECRET}\n")
    file = folder / "sign-in.toml"
    lines = ['name = "Example University"', f'issuer = "{issuer}"', f'client_id = "{CLIENT}"']
    lines += ['client_secret_file = "secret"', *([f'course = "{course}"'] if course else [])]
    file.write_text("\n".join(["[oidc]", *lines]))
    return Service(folder / "service", workers=0, options=("--sign-in", str(file)))


@pytest.fixture(scope="module")
def service(independent: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(serving(tmp_path_factory.mktemp("service"), independent)) as started:
        yield started


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up()


def test_who_the_provider_names_has_one_account_and_joins_by_an_invitation(service: Service, course: Course) -> None:
    client = browser(service)
    assert "Sign in with Example University" in client.get("/sign-in").text
    came_back = sign_in(client, "ada@example.org")
    assert (came_back.status_code, came_back.headers["location"]) == (303, "/")
    assert "ada@example.org" in client.get("/").text
    joined = client.post("/sign-in", data={"csrf": csrf(client), "code": course.invitation})
    assert joined.status_code == 303
    second_browser = browser(service)
    sign_in(second_browser, "ada@example.org")
    assert "Computer architecture" in second_browser.get("/").text
    other_browser = browser(service)
    sign_in(other_browser, "mallory@example.org")
    assert "Computer architecture" not in other_browser.get("/").text


def test_two_browsers_of_somebody_who_is_new_become_one_account(
    independent: str, postgres: Path, tmp_path: Path
) -> None:
    service = serving(tmp_path, independent)
    service.database = new_database(postgres)
    waiting_query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'service_identities'::regclass"
    with (
        running_service(service),
        psycopg.connect(service.database) as blocker,
        psycopg.connect(service.database, autocommit=True) as watcher,
        ThreadPoolExecutor(2) as pool,
    ):
        # Both have seen that nobody of this name is known, before either can add it.
        blocker.execute("LOCK TABLE service_identities IN SHARE ROW EXCLUSIVE MODE")
        came = [pool.submit(sign_in, browser(service), "zoe@example.org") for _ in range(2)]
        give_up = time.monotonic() + 60
        while (watcher.execute(waiting_query).fetchone() or (0,))[0] < 2:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        blocker.rollback()
        assert [reply.result().status_code for reply in came] == [303, 303]
        assert watcher.execute("SELECT count(DISTINCT account) FROM service_sessions").fetchone() == (1,)
        assert watcher.execute("SELECT count(*) FROM service_accounts").fetchone() == (1,)


def test_of_many_sign_ins_from_one_address_only_those_that_fail_are_counted(independent: str, tmp_path: Path) -> None:
    async def counted_uses(service: Service) -> dict[str, float]:
        async with (
            open_administration(service.folders, None) as parts,
            parts.database.read_transaction() as connection,
        ):
            rows = (await connection.execute(select(USES.c.key, USES.c.used))).all()
        return {row.key: row.used for row in rows if "sign_in" in row.key}

    with running_service(serving(tmp_path, independent)) as service:
        for number in range(10):
            assert sign_in(browser(service), f"student-{number}@example.org").status_code == 303
        assert browser(service).get("/sign-in/provider/return?code=c&state=made-up").status_code == 422
        give_up = time.monotonic() + 60
        while not (uses := asyncio.run(counted_uses(service))):
            assert time.monotonic() < give_up
            time.sleep(0.1)
    assert uses == {"failed_sign_in:127.0.0.1": 1.0}


def test_a_program_is_signed_in_by_the_same_browser(service: Service) -> None:
    with service.client() as program:
        code = program.post("/api/v1/devices", json={"name": "Emacs"}).json()["code"]
    client = browser(service)
    came_back = sign_in(client, "ada@example.org", "/sign-in/provider?device")
    assert came_back.headers["location"] == "/device"
    assert "Emacs" in client.get("/device", params={"code": code}).text


def test_a_code_works_once_and_for_the_browser_that_asked(service: Service) -> None:
    client, other_browser = browser(service), browser(service)
    location = client.get("/sign-in/provider").headers["location"]
    with httpx2.Client(trust_env=False, timeout=60) as elsewhere:
        back = elsewhere.post(location, data={"sub": "ada@example.org"}).headers["location"]
    stolen = other_browser.get(back)
    assert (stolen.status_code, "did not say who you are" in stolen.text) == (422, True)
    assert "benchwright_session" not in other_browser.cookies
    assert client.get(back).status_code == 303
    assert client.get(back).status_code == 422


def test_the_session_is_a_new_one_and_the_way_back_leads_nowhere_else(service: Service) -> None:
    client = browser(service)
    client.cookies.set("benchwright_session", "chosen")
    came_back = sign_in(client, "ada@example.org", "/sign-in/provider?onward=https://evil.example")
    assert came_back.headers["location"] == "/"
    cookie = came_back.headers["set-cookie"]
    assert re.search(r"benchwright_session=[\w-]{43};", cookie)
    assert "HttpOnly" in cookie


@dataclass
class Liar:
    """A provider whose tokens are as a test wants them."""

    port: int = 0
    claims: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] = lambda claims: jwt.encode({"alg": "RS256", "kid": "one"}, claims, KEY)
    token_requests: list[dict[str, list[str]]] = field(default_factory=list)
    status: int = 200
    configuration_changes: dict[str, Any] = field(default_factory=dict)
    replies: dict[str, object] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str) -> object:
        if path in self.replies:
            return self.replies[path]
        if path.endswith("openid-configuration"):
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/jwks",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            } | self.configuration_changes
        if path == "/jwks":
            return {"keys": [KEY.as_dict(private=False)]}
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.sign(self.claims)}


@pytest.fixture
def liar() -> Iterator[Liar]:
    provider = Liar()

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            body = json.dumps(provider.answer(self.path)).encode()
            self.send_response(provider.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self._reply()

        def do_POST(self) -> None:
            provider.token_requests.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            self._reply()

        def log_message(self, format: str, *args: object) -> None:
            pass

    http_server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.port = http_server.server_port
    thread = threading.Thread(target=http_server.serve_forever, args=(0.05,))
    thread.start()
    yield provider
    http_server.shutdown()
    http_server.server_close()
    thread.join()


def hmac_signed(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET), registry=JWSRegistry(algorithms=["HS256"]))


def unsigned(claims: dict[str, Any]) -> str:
    signed = hmac_signed(claims).split(".")
    header = "eyJhbGciOiJub25lIn0"
    return f"{header}.{signed[1]}."


def foreign(claims: dict[str, Any]) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, claims, FOREIGN)


def come_from(liar: Liar, client: httpx2.Client, **claims: Any) -> str:
    """What the page of courses shows to somebody whom the provider names so."""
    parameters = parse_qs(urlsplit(client.get("/sign-in/provider").headers["location"]).query)
    now_s = int(time.time())
    usual = {"iss": liar.url, "aud": CLIENT, "iat": now_s, "exp": now_s + 300, "nonce": parameters["nonce"][0]}
    liar.claims = usual | claims
    assert client.get(f"/sign-in/provider/return?code=c&state={parameters['state'][0]}").status_code == 303
    return client.get("/").text


def test_the_roster_says_who_of_a_university_takes_part(liar: Liar, tmp_path: Path) -> None:
    service = serving(tmp_path, liar.url)
    course = service.set_up()
    codes = merge_roster(
        service, course, "name,email,login\nAda King,ada@x.org,\nAlan,alan@x.org,\nZoe,z@x.org,zoe1\nAl,al@x.org,\n"
    )
    file = tmp_path / "sign-in.toml"
    file.write_text(file.read_text() + f'\ncourse = "{course.name}"\nlogin_claim = "preferred_username"\n')
    with running_service(service):
        ada = come_from(liar, browser(service), sub="1", name="Ada", email="ADA@x.org", email_verified=True)
        assert ("Ada King" in ada, course.name in ada) == (True, True)
        # An address that nobody has verified is nobody's; a login that is configured is.
        eve = come_from(liar, browser(service), sub="2", name="Eve", email="alan@x.org")
        assert ("Eve" in eve, course.name in eve) == (True, False)
        zoe = come_from(liar, browser(service), sub="3", name="Z", preferred_username="ZOE1")
        assert ("Zoe" in zoe, course.name in zoe) == (True, True)
        with service.client() as client:
            me = client.post("/api/v1/join", json={"code": codes["Al"], "name": "x"}).json()["me"]
        al = browser(service)
        come_from(liar, al, sub="4", name="Al", email="al@x.org", email_verified=True)
        assert "Al" in al.get("/").text
        assert me["name"] == "Al"
        owner = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
        progress = owner.get(f"/courses/{course.name}/progress").text
        assert re.findall(r'<th scope="row">([\w ]+)', progress) == ["Ada King", "Al", "Alan", "Zoe"]


def test_a_word_that_does_not_hold_signs_nobody_in(liar: Liar, tmp_path: Path) -> None:
    with running_service(serving(tmp_path, liar.url)) as service:

        def tried(sign: Callable[[dict[str, Any]], str] | None = None, **changed_claims: Any) -> int:
            client = browser(service)
            parameters = parse_qs(urlsplit(client.get("/sign-in/provider").headers["location"]).query)
            assert parameters["code_challenge_method"] == ["S256"]
            now_s = int(time.time())
            usual = {"iss": liar.url, "sub": "ada", "aud": CLIENT, "iat": now_s, "exp": now_s + 300}
            claims = {**usual, "nonce": parameters["nonce"][0]} | changed_claims
            liar.claims = {name: value for name, value in claims.items() if value is not None}
            liar.sign = sign or Liar().sign
            reply = client.get(f"/sign-in/provider/return?code=c&state={parameters['state'][0]}")
            assert ("benchwright_session" in client.cookies) == (reply.status_code == 303)
            return reply.status_code

        assert tried() == 303
        assert liar.token_requests[-1]["code_verifier"][0]
        assert tried(aud=[CLIENT, "other"], azp=CLIENT) == 303
        now_s = int(time.time())
        wrong_claims: list[dict[str, Any]] = [
            {"nonce": "another"},
            {"nonce": None},
            {"iss": "https://evil.example"},
            {"iss": None},
            {"aud": "another client"},
            {"aud": None},
            {"aud": "another client", "azp": CLIENT},
            {"aud": ["another client"], "azp": CLIENT},
            {"aud": [CLIENT, "other"], "azp": "other"},
            {"exp": now_s - 3_600, "iat": now_s - 4_000},
            {"exp": None},
            {"sub": None},
            {"sub": ""},
            {"sub": "x" * 256},
        ]
        for claims in wrong_claims:
            assert tried(**claims) == 422, claims
        for sign in (hmac_signed, unsigned, foreign, lambda _: "nonsense", lambda _: ""):
            assert tried(sign) == 422, sign
        client = browser(service)
        for query in ("", "?code=c", "?state=s", "?code=c&state=made-up", "?error=access_denied&state=s"):
            assert client.get(f"/sign-in/provider/return{query}").status_code == 422
        replies: list[object] = [[], "x", {}, {"access_token": 1, "id_token": []}, {"error": {}}]
        for token_reply in replies:
            liar.replies = {"/token": token_reply}
            assert tried() == 422, token_reply
        liar.replies, liar.status = {}, 500
        assert tried() == 422
        log = service.log.read_text()
        assert "sign-in by the identity provider failed" in log
        assert SECRET not in log
        assert "evil.example" not in log


def test_a_provider_that_names_another_issuer_or_is_away_is_not_asked(liar: Liar, tmp_path: Path) -> None:
    liar.configuration_changes = {"issuer": "https://evil.example"}
    with running_service(serving(tmp_path, liar.url)) as service:
        client = browser(service)
        assert client.get("/sign-in/provider").status_code == 422
        liar.configuration_changes, liar.status = {}, 503
        assert client.get("/sign-in/provider").status_code == 422
        # It is back: nothing has to be started again.
        liar.status = 200
        assert client.get("/sign-in/provider").status_code in (302, 307)


def test_who_signs_in_may_be_in_a_course_at_once(independent: str, tmp_path: Path) -> None:
    plain_service = Service(tmp_path / "service", workers=0)
    course = plain_service.set_up()
    with running_service(serving(tmp_path, independent, course.name)) as service:
        client = browser(service)
        sign_in(client, "ada@example.org")
        assert "Computer architecture" in client.get("/").text
        teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
        assert "ada@example.org" in teacher.get(f"/courses/{course.name}/progress").text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('issuer = "http://example.org"', "oidc.issuer: must begin with https://"),
        ("issuer = 1", "oidc.issuer"),
        ("", "oidc.issuer: Field required"),
        ('issuer = "https://example.org"\nextra = 1', "oidc.extra"),
        ("issuer =", "not TOML"),
        ('issuer = "https://example.org"\ncourse = "nowhere"', "there is no course 'nowhere'"),
    ],
)
def test_a_file_that_is_wrong_is_told_at_the_start(tmp_path: Path, line: str, message: str) -> None:
    service = serving(tmp_path, "https://example.org")
    file = Path(service.options[1])
    file.write_text(file.read_text().replace('issuer = "https://example.org"', line))
    with pytest.raises(AssertionError, match=re.escape(message)):
        service.start()
