"""A person who comes to a class in the browser by OpenID Connect or LTI has the account that the service knows."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx2
import pytest

from ..support.service.browser_class import BrowserClass, browser_class
from ..support.service.lti_launch import LEARNER, Configuration, Login, Message, Platform
from ..support.service.lti_launch import platform as platform
from ..support.service.sign_in_by_provider import SECRET, sign_in
from ..support.service.sign_in_by_provider import independent as independent

pytestmark = [pytest.mark.nightly, pytest.mark.alone]

SPAWN_S = 180


class HubConfiguration(Configuration):
    """The hub as the platform knows it."""

    def init_platform_config(self, **settings: Any) -> None:
        super().init_platform_config(**settings)
        assert self._registration is not None
        self._registration.set_launch_url(f"{settings['tool']}hub/lti13/oauth_callback")
        self._registration.set_oidc_login_url(f"{settings['tool']}hub/lti13/oauth_login")


def browser(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, headers={"Origin": url.rstrip("/")}, timeout=60.0, trust_env=False)


def accounts(folder: Path) -> list[tuple[str, str, str]]:
    """Issuer, subject and account of everybody whom somebody else has signed in."""
    file = folder / "service" / "data" / "service" / "service.sqlite"
    with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT issuer, subject, account FROM service_identities ORDER BY issuer").fetchall()


def until_editor(client: httpx2.Client, reply: httpx2.Response, browser_class: BrowserClass) -> str:
    """Goes where the hub sends a browser until it shows an editor; returns the path."""
    give_up = time.monotonic() + SPAWN_S
    url = str(reply.url)
    while time.monotonic() < give_up:
        if "location" in reply.headers:
            url = urljoin(url, reply.headers["location"])
        elif "/hub/spawn-pending/" in url or reply.status_code in (502, 503):
            time.sleep(1.0)
        elif reply.status_code == 200 and "/user/" in urlsplit(url).path:
            return urlsplit(url).path
        else:
            break
        reply = client.get(url)
    raise AssertionError((reply.status_code, url, reply.text[:500], browser_class.log.read_text()[-3000:]))


@pytest.fixture
def by_provider(independent: str, tmp_path: Path) -> Iterator[BrowserClass]:
    (tmp_path / "secret").write_text(SECRET)
    file = tmp_path / "sign-in.toml"
    lines = ['name = "Example University"', f'issuer = "{independent}"', 'client_id = "benchwright"']
    file.write_text("\n".join(["[oidc]", *lines, 'client_secret_file = "secret"']))
    settings = {"CLASS_SIGN_IN": str(file), "BENCHWRIGHT_SERVICE_SIGN_IN": str(file), "CLASS_NAME_CLAIM": "sub"}
    with browser_class(tmp_path, **settings) as started:
        yield started


def test_a_person_of_the_universitys_provider_is_one_account_at_hub_and_service(
    by_provider: BrowserClass, independent: str, tmp_path: Path
) -> None:
    at_service = browser(by_provider.service)
    assert sign_in(at_service, "ada").status_code == 303
    ((issuer, subject, account),) = accounts(tmp_path)
    assert (issuer, subject) == (independent, "ada")
    assert "Computer architecture" not in at_service.get("/").text

    at_hub = browser(by_provider.hub)
    reply = sign_in(at_hub, "ada", "/hub/oauth_login?next=")
    assert until_editor(at_hub, reply, by_provider).startswith("/user/ada/")
    assert accounts(tmp_path) == [(independent, "ada", account)]
    # The editor's token is that account's, so it is in the course at both places.
    assert "Computer architecture" in at_service.get("/").text

    # Whatever the provider calls somebody, the hub starts no editor as root or for nobody of this machine.
    for name in ("root", "daemon", "nobody", "mallory"):
        stranger = browser(by_provider.hub)
        refusal = sign_in(stranger, name, "/hub/oauth_login?next=")
        assert refusal.status_code == 403, (name, refusal.status_code)
        assert stranger.get("/hub/home").status_code == 302
    assert [subject for _, subject, _ in accounts(tmp_path)] == ["ada"]


@pytest.fixture
def by_platform(platform: Platform, tmp_path: Path) -> Iterator[BrowserClass]:
    file = platform.as_settings(tmp_path, "lms-course-7", "arch")
    settings = {"CLASS_SIGN_IN": str(file), "BENCHWRIGHT_SERVICE_SIGN_IN": str(file), "CLASS_NAME_CLAIM": "sub"}
    with browser_class(tmp_path, **settings) as started:
        yield started


def launched(
    client: httpx2.Client, platform: Platform, configuration: Configuration, user: str, target: str = ""
) -> httpx2.Response:
    """A browser goes from the platform to a tool, back, and to the tool with what the platform says."""
    login = Login(None, configuration)
    login.set_lti_message_hint(hint="link-1")
    login_url = httpx2.URL(login.initiate_login(user))
    if target:
        # The independent platform has one address for both; real ones ask for two.
        login_url = login_url.copy_set_param("target_link_uri", target)
    redirect = client.get(login_url)
    assert redirect.status_code in (302, 303), redirect.text
    parameters = dict(parse_qsl(urlsplit(redirect.headers["location"]).query))
    launch_message = Message(parameters, configuration)
    launch_message.set_user_data(user, [LEARNER], full_name="Ada Lovelace")
    launch_message.set_resource_link_claim("link-1")
    launch_message.set_launch_context_claim("lms-course-7", context_title="Architecture")
    form = launch_message.lti_launch()
    return client.post(
        parameters["redirect_uri"],
        data={name: form[name] for name in ("state", "id_token")},
        headers={"Origin": platform.url},
    )


def test_a_person_of_the_learning_management_system_is_one_account_at_hub_and_service(
    by_platform: BrowserClass, platform: Platform, tmp_path: Path
) -> None:
    at_service = browser(by_platform.service)
    service_configuration = Configuration(issuer=platform.url, tool=by_platform.service)
    assert launched(at_service, platform, service_configuration, "ada").status_code == 303
    ((issuer, subject, account),) = accounts(tmp_path)
    assert (issuer, subject) == (platform.url, "ada")

    at_hub = browser(by_platform.hub)
    hub = HubConfiguration(issuer=platform.url, tool=by_platform.hub)
    reply = launched(at_hub, platform, hub, "ada", f"{by_platform.hub}hub")
    assert until_editor(at_hub, reply, by_platform).startswith("/user/ada/")
    assert accounts(tmp_path) == [(platform.url, "ada", account)]
    page = at_service.get("/").text
    assert re.search("Computer architecture", page)

    stranger = browser(by_platform.hub)
    assert launched(stranger, platform, hub, "root").status_code == 403
    assert [subject for _, subject, _ in accounts(tmp_path)] == ["ada"]
