"""VS Code in the browser: starts it, watches it, and ends it with all its children."""

import contextlib
import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import folders
from browser_editor import code_server_entry, code_server_folder_options, editor_environment
from folders import ROOT, VENV
from progress import SetupError

from benchwright_foundation.workspaces_folder import refusal_reason, repository_or_pack_in

DEFAULT_PORT = 8137
_HOST = "127.0.0.1"
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 5.0
_FIRST_SETTINGS = {
    "benchwright.showAtStart": True,
    "files.autoSave": "off",
    "remote.autoForwardPorts": False,
    "workbench.editor.useModal": "off",
    "window.autoDetectColorScheme": True,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "telemetry.telemetryLevel": "off",
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    # Without a gallery the chat's buttons do nothing.
    "chat.disableAIFeatures": True,
}


def editor_folder() -> Path:
    """The editor's own folder: settings, window layout, extensions."""
    return folders.state() / "editor"


def refuse_foreign_workspaces_folder() -> None:
    """Refuses a workspaces folder with a checkout or a pack in it, which the editor would show.

    Raises:
        SetupError: What is there, and the next step.
    """
    folder = folders.workspaces()
    stray_folder = ROOT if ROOT.is_relative_to(folder.resolve()) else repository_or_pack_in(folder)
    if stray_folder is not None:
        raise SetupError(refusal_reason(folder, stray_folder))


def serve_editor(port: int | None, *, browser: bool) -> None:
    """Runs the editor until it is interrupted.

    Args:
        port: The port to listen on; `None` for the default, or the next one that is free.
        browser: True to open the desktop's browser.

    Raises:
        SetupError: The editor does not start.
    """
    editor = editor_folder()
    workspaces = folders.workspaces()
    for folder in (editor, workspaces):
        folder.mkdir(parents=True, exist_ok=True)
    with (editor / "running").open("a+", encoding="utf-8") as running:
        try:
            fcntl.flock(running, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            running.seek(0)
            url = running.read().strip()
            print(f"The editor is already running: {url}", flush=True)
            _open_browser(url, is_wanted=browser)
            return
        _write_settings(editor)
        port = _free_port(port)
        url = f"http://{_HOST}:{port}/?folder={quote(str(workspaces))}"
        with _code_server(editor, port) as process:
            _wait_until_it_answers(process, port, editor)
            running.truncate(0)
            running.write(url)
            running.flush()
            print(f"\nBenchwright is ready: {url}\nPress Ctrl+C here to end it.", flush=True)
            if "SSH_CONNECTION" in os.environ:
                print(f"From another machine, first run there: ssh -L {port}:{_HOST}:{port} <this machine>", flush=True)
            _open_browser(url, is_wanted=browser)
            status = process.wait()
        raise SetupError(
            f"The editor ended by itself (status {status}). Next step: read {_log_file(editor)}, then start ./run "
            "again."
        )


def _log_file(editor: Path) -> Path:
    return editor / "code-server.log"


def _write_settings(editor: Path) -> None:
    (editor / "config.yaml").write_text("", encoding="utf-8")
    user_settings = editor / "User" / "settings.json"
    if not user_settings.exists():
        user_settings.parent.mkdir(parents=True, exist_ok=True)
        user_settings.write_text(json.dumps(_FIRST_SETTINGS, indent=4) + "\n", encoding="utf-8")
    # The machine's settings are ours, written again each time: the checkout may have moved.
    machine = editor / "Machine" / "settings.json"
    machine.parent.mkdir(parents=True, exist_ok=True)
    settings = {
        "benchwright.server.command": str(VENV / "bin" / "benchwright"),
        # The editor asks a login shell for its environment, which may drop our PATH. The server puts
        # the simulators into the second folder.
        "terminal.integrated.env.linux": {"PATH": f"{VENV / 'bin'}:{folders.cache() / 'bin'}:${{env:PATH}}"},
    }
    machine.write_text(json.dumps(settings, indent=4) + "\n", encoding="utf-8")


def _free_port(port: int | None) -> int:
    for candidate_port in [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((_HOST, candidate_port))
            return candidate_port
    raise SetupError(
        f"Port {port or DEFAULT_PORT} is in use or not allowed. Next step: choose another one, for example "
        f"./run --port {(port or DEFAULT_PORT) + 1000}"
    )


@contextlib.contextmanager
def _code_server(editor: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [
        *("node", str(code_server_entry()), *code_server_folder_options(editor)),
        *("--auth", "none", "--bind-addr", f"{_HOST}:{port}"),
        *("--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"),
        *("--ignore-last-opened", "--disable-workspace-trust"),
    ]
    with _log_file(editor).open("wb") as log:
        process = subprocess.Popen(
            command,
            env=editor_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end_process(process)


def _end_process(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # Terminals and simulations are in process groups of their own, so remember them before their parents exit.
    family = _descendant_pids(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    while time.monotonic() < deadline and (process.poll() is None or any(map(_is_alive, family))):
        time.sleep(0.05)
    for pid in {*filter(_is_alive, family), *_descendant_pids(process.pid)}:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()


def _descendant_pids(ancestor: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything; after it come the state and the parent.
            parent = int(stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    descendants: set[int] = set()
    pending_pids = [ancestor]
    while pending_pids:
        offspring = children.get(pending_pids.pop(), [])
        descendants.update(offspring)
        pending_pids.extend(offspring)
    return descendants


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int, editor: Path) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            health_connection = http.client.HTTPConnection(_HOST, port, timeout=2)
            health_connection.request("GET", "/healthz")
            if health_connection.getresponse().status == http.HTTPStatus.OK:
                return
        time.sleep(0.05)
    tail = "\n".join(_log_file(editor).read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
    raise SetupError(
        f"{tail}\n\nThe editor did not start. Next step: read the lines above; "
        f"if they speak of broken settings, move {editor} away; then start ./run again."
    )


def _open_browser(url: str, *, is_wanted: bool) -> None:
    desktop = "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if is_wanted and desktop and (opener := shutil.which("xdg-open")):
        subprocess.Popen(
            [opener, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
