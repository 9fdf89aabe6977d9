"""A class in the browser: JupyterHub signs students in and starts for each the editor, in the course.

Settings come from the environment:

    CLASS_TOOLS    what install.sh made; /opt/benchwright-class if not given
    CLASS_COURSE   the course at the bench service on this machine
    CLASS_SERVICE  the service's address
    CLASS_PORT     where students go; 8000 if not given. Put a TLS proxy in front.
    CLASS_PASSWORD one password for everybody: for a try on this machine only. Without it, the accounts of this
                   machine sign in (PAM); for OIDC or LTI set c.JupyterHub.authenticator_class here.
"""

import asyncio
import os
import subprocess
import sys
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


def token_of(person: str) -> str:
    """A token for the course; the service runs on this machine, as the hub's user."""
    command = [str(TOOLS / "benchwright"), "course", "token", COURSE, person, "--signed-in-by", "jupyterhub"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


async def give_token(spawner: Any) -> None:
    """Once for each start: the editor's own processes don't get it."""
    token = await asyncio.to_thread(token_of, spawner.user.name)
    spawner.environment = {
        "BENCHWRIGHT_SERVICE": SERVICE,
        "BENCHWRIGHT_TOKEN": token,
        "EXTENSIONS_GALLERY": "{}",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }


c.Spawner.pre_spawn_hook = give_token

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
