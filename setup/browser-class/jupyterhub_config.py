"""A class in the browser: JupyterHub signs students in and starts for each the editor, in the course.

Settings come from the environment:

    CLASS_TOOLS    what install.sh made; /opt/benchwright-class if not given
    CLASS_COURSE   the course at the bench service on this machine
    CLASS_SERVICE  the service's address
    CLASS_PORT     where students go; 8000 if not given. Put a TLS proxy in front.
    CLASS_PASSWORD one password for everybody: for a try on this machine only
    CLASS_SIGN_IN  the sign-in.toml of the service: who signs in at its OpenID Connect provider, or is sent by its LTI
                   platform, has the same account at hub and service. Without both, the accounts of this machine sign in
                   (PAM).
    CLASS_SIGN_IN_BY  oidc or lti, if the file has both
    CLASS_NAME_CLAIM  the claim with the name of the person's account on this machine, which they must not be able to
                   choose; preferred_username if not given
"""

import asyncio
import json
import os
import pwd
import secrets
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

c = get_config()  # type: ignore[name-defined]  # noqa: F821 - JupyterHub gives it

TOOLS = Path(os.environ.get("CLASS_TOOLS", "/opt/benchwright-class"))
COURSE, SERVICE = os.environ["CLASS_COURSE"], os.environ["CLASS_SERVICE"]
PORT = int(os.environ.get("CLASS_PORT", "8000"))
HUB = TOOLS / "hub" / "bin"
# The real Node: a wrapper would leave the proxy behind when the hub ends.
os.environ["PATH"] = os.pathsep.join(
    (str(TOOLS / "node_modules" / ".bin"), str((TOOLS / "node").resolve().parent), str(HUB), "/usr/bin", "/bin")
)

c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{PORT + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 2}"
c.ConfigurableHTTPProxy.command = ["configurable-http-proxy", "--log-level", "warn"]
c.Authenticator.allow_all = True
if password := os.environ.get("CLASS_PASSWORD"):
    c.JupyterHub.authenticator_class = "dummy"
    c.DummyAuthenticator.password = password

NAME_CLAIM = os.environ.get("CLASS_NAME_CLAIM", "preferred_username")
FIRST_PERSON, NOBODY = 1000, 65534
"""The first number of an account that is a person's and not the system's; and one above it that is the system's."""


def sign_in_by_provider(provider_settings: dict[str, str], folder: Path) -> str:
    """Signs in by an OpenID Connect provider; returns who says who somebody is."""
    issuer = provider_settings["issuer"].rstrip("/")
    if not issuer.startswith(("https://", "http://127.0.0.1")):
        raise ValueError(f"{issuer} is not reached by HTTPS")
    with urllib.request.urlopen(f"{issuer}/.well-known/openid-configuration", timeout=30) as reply:  # noqa: S310 - checked
        discovery = json.load(reply)
    if discovery["issuer"].rstrip("/") != issuer:
        raise ValueError(f"{issuer} answers as another issuer")
    c.JupyterHub.authenticator_class = "generic-oauth"
    c.GenericOAuthenticator.login_service = provider_settings["name"]
    # The service's own client: some providers call one person differently for each client.
    c.GenericOAuthenticator.client_id = provider_settings["client_id"]
    c.GenericOAuthenticator.client_secret = (folder / provider_settings["client_secret_file"]).read_text().strip()
    c.GenericOAuthenticator.authorize_url = discovery["authorization_endpoint"]
    c.GenericOAuthenticator.token_url = discovery["token_endpoint"]
    c.GenericOAuthenticator.userdata_url = discovery["userinfo_endpoint"]
    c.GenericOAuthenticator.scope = ["openid", "profile", "email"]
    c.GenericOAuthenticator.username_claim = NAME_CLAIM
    return issuer


def sign_in_by_platform(platform_settings: dict[str, str], folder: Path) -> str:
    """Signs in who a learning management system sends (LTI 1.3); returns who says who somebody is."""
    c.JupyterHub.authenticator_class = "ltiauthenticator.lti13.auth.LTI13Authenticator"
    c.LTI13Authenticator.issuer = platform_settings["issuer"]
    c.LTI13Authenticator.client_id = {platform_settings["client_id"]}
    c.LTI13Authenticator.authorize_url = platform_settings["authorization_url"]
    c.LTI13Authenticator.jwks_endpoint = platform_settings["keys_url"]
    c.LTI13Authenticator.username_key = NAME_CLAIM
    c.LTI13Authenticator.tool_name = "Benchwright"
    return platform_settings["issuer"]


def single_platform(platforms: list[dict[str, str]]) -> dict[str, str]:
    """A hub is the tool of one platform."""
    if len(platforms) != 1:
        raise ValueError("the hub signs in by one LTI platform: name a file with one [[lti]]")
    return platforms[0]


ISSUER = ""
if file := os.environ.get("CLASS_SIGN_IN"):
    settings = tomllib.loads(Path(file).read_text("utf-8"))
    sign_in_kind = os.environ.get("CLASS_SIGN_IN_BY", "oidc" if "oidc" in settings else "lti")
    if sign_in_kind == "oidc":
        ISSUER = sign_in_by_provider(settings["oidc"], Path(file).parent)
    else:
        ISSUER = sign_in_by_platform(single_platform(settings["lti"]), Path(file).parent)
    # What the provider said is kept, encrypted, for the next start of the editor.
    c.Authenticator.enable_auth_state = True
    crypt_key = Path("jupyterhub_crypt_key")
    if not crypt_key.exists():
        with os.fdopen(os.open(crypt_key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32))
    c.CryptKeeper.keys = [bytes.fromhex(crypt_key.read_text())]


async def refuse_system_accounts(authenticator: Any, handler: Any, model: dict[str, Any]) -> dict[str, Any] | None:
    """Whatever a provider calls somebody: nobody gets an editor as root or as an account of the system."""
    try:
        user_id = pwd.getpwnam(model["name"]).pw_uid
    except KeyError:
        user_id = NOBODY
    if user_id < FIRST_PERSON or user_id == NOBODY:
        authenticator.log.warning("Refused: no account of a person on this machine has that name.")
        return None
    return model


c.Authenticator.post_auth_hook = refuse_system_accounts

# Every student is a user of this machine, with a home folder that no other can read.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = [
    str(TOOLS / "class-editor"),
    *(str(HUB / "jupyter-standaloneproxy"), "--unix-socket=True", "--timeout=60", "--"),
    *(str((TOOLS / "node").resolve()), str((TOOLS / "entry.js").resolve())),
    *("--auth", "none", "--socket", "{unix_socket}", "--socket-mode", "600"),
    *("--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--ignore-last-opened"),
    *("--extensions-dir", str(TOOLS / "extensions")),
]
c.Spawner.args = []
c.Spawner.default_url = "/"
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
c.Spawner.env_keep = ["LANG", "LC_ALL"]


def course_token(person: str, name: str, signed_in_by: str) -> str:
    """A token for the course; the service runs on this machine, as the hub's user."""
    # What a provider says is never an option.
    command = [str(TOOLS / "benchwright"), "course", "token", f"--name={name}", f"--signed-in-by={signed_in_by}"]
    command += ["--", COURSE, person]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


async def set_course_token(spawner: Any) -> None:
    """Once for each start: the editor's own processes don't get it."""
    person, name, signed_in_by = spawner.user.name, spawner.user.name, "jupyterhub"
    if ISSUER:
        # As the service itself knows them: by issuer and subject, which nobody can choose.
        state = await spawner.user.get_auth_state()
        if not state:
            raise RuntimeError("The hub no longer knows what the provider said. Sign out of the hub, and in again.")
        claims = state.get("oauth_user", state)
        person, name, signed_in_by = claims["sub"], claims.get("name", spawner.user.name), ISSUER
    token = await asyncio.to_thread(course_token, person, name, signed_in_by)
    spawner.environment = {
        "BENCHWRIGHT_SERVICE": SERVICE,
        "BENCHWRIGHT_TOKEN": token,
        "EXTENSIONS_GALLERY": "{}",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }


c.Spawner.pre_spawn_hook = set_course_token

IDLE_S = 3600
"""After so long without a request an editor ends. The proxy reports what was asked each five minutes."""
c.JupyterHub.services = [
    {"name": "idle", "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE_S}"]}
]
c.JupyterHub.load_roles = [
    {
        "name": "idle",
        "services": ["idle"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
