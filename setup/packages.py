"""Packages that Benchwright needs from the operating system, and how to get them."""

import ctypes.util
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from progress import NetworkPlace, SetupError, SetupStep, Tools

TITLE = "System packages"
"""The title of the step, which every other needs."""

_ARCHIVE = NetworkPlace(
    "The package source of this system (apt)",
    "check the network and the addresses in /etc/apt, then start the same command again.",
)


@dataclass(frozen=True)
class SystemPackage:
    """A package of Debian and Ubuntu."""

    name: str
    present: Callable[[], bool]
    """True if what we need from it is installed, by whatever means."""
    purpose: str
    """Purpose for which it is needed, shown before it is installed."""
    optional: bool = False
    """True if everything else works without it."""


def needed_always() -> list[SystemPackage]:
    """The packages without which Benchwright does not work."""
    python = f"python3.{sys.version_info.minor}"
    return [
        SystemPackage(f"{python}-venv", _python_makes_environments, "Benchwright's own Python packages"),
        SystemPackage("debian-archive-keyring", _has_debians_keys, "the toolchain, which is made of Debian's packages"),
        _program_package("bwrap", "the sandbox of the hidden tests", package="bubblewrap"),
        SystemPackage("libseccomp2", lambda: _has_library("seccomp"), "the sandbox of the hidden tests"),
    ]


def needed_for_the_browser_editor() -> list[SystemPackage]:
    """The packages that code-server is built with."""
    return [_program_package(name, "building a part of the editor in the browser") for name in ("g++", "make")]


def needed_for_native_runs() -> list[SystemPackage]:
    """The packages that hidden tests need if they run without a sandbox."""
    python = f"python3.{sys.version_info.minor}"
    purpose = "tests of runs without a sandbox"
    # cocotb starts Python inside the simulator, from its library.
    return [
        _program_package("iverilog", purpose),
        SystemPackage(f"{python}-dev", lambda: Path(sysconfig.get_path("include"), "Python.h").exists(), purpose),
    ]


def needed_for_database_tests() -> list[SystemPackage]:
    """The packages that both services are tested with on PostgreSQL."""
    purpose = "tests of the services; with systemd it starts a service"
    return [SystemPackage("postgresql", _has_postgresql, purpose, optional=True)]


def needed_for_key_store_tests() -> list[SystemPackage]:
    """A key store as desktops have it, in which sign-ins keep their tokens."""
    purpose = "tests of the key store"
    return [
        replace(_program_package("gnome-keyring-daemon", purpose, package="gnome-keyring"), optional=True),
        replace(_program_package("dbus-run-session", purpose, package="dbus-daemon"), optional=True),
    ]


def needed_for_cluster_tests() -> list[SystemPackage]:
    """The packages of the container engine and the queueing system that tests start for themselves."""
    slurm = "tests on a Slurm cluster"
    return [
        _daemon_package("dockerd", "tests in Docker; with systemd it starts a service", package="docker.io"),
        _daemon_package("munged", f"{slurm}; with systemd it starts a service", package="munge"),
        _daemon_package("slurmctld", slurm),
        _daemon_package("slurmd", slurm),
        replace(_program_package("sbatch", slurm, package="slurm-client"), optional=True),
    ]


def needed_for_editor_tests() -> list[SystemPackage]:
    """The editors besides VS Code that the language server is tested with."""
    return [
        replace(_program_package("nvim", "tests in Neovim", package="neovim"), optional=True),
        replace(_program_package("emacs", "tests in Emacs", package="emacs-nox"), optional=True),
        # Part of Emacs from 29, when no source has the package.
        SystemPackage("elpa-eglot", _has_eglot, "tests in Emacs", optional=True),
        replace(_program_package("kak", "tests in Kakoune", package="kakoune"), optional=True),
    ]


def needed_for_exam_tests() -> list[SystemPackage]:
    """The program that reads the text of scanned exams, and what Chinese exams take."""
    purpose = "tests of scanned exams"
    return [
        replace(_program_package("tesseract", purpose, package="tesseract-ocr"), optional=True),
        SystemPackage("tesseract-ocr-chi-sim", _recognises_chinese, purpose, optional=True),
        SystemPackage("fonts-wqy-microhei", _has_chinese_font, "tests of Chinese exams", optional=True),
    ]


def needed_for_browser_tests() -> list[SystemPackage]:
    """The packages that drive the browser editor and take screenshots."""
    fonts = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    return [
        SystemPackage("chromium", lambda: browser_program() is not None, "tests in the browser"),
        SystemPackage("fonts-dejavu-core", fonts.exists, "tests in the browser"),
    ]


def browser_program() -> str | None:
    """The program that browser tests drive, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def package_step(needed_packages: list[SystemPackage], *, may_install: bool) -> SetupStep:
    """The step that installs what is missing of these packages.

    Args:
        needed_packages: Packages that are needed.
        may_install: True if the system may be changed. If not, optional packages are left out, and the others refused.
    """

    def missing() -> list[SystemPackage]:
        return [
            package for package in needed_packages if not package.present() and (may_install or not package.optional)
        ]

    def work(tools: Tools) -> None:
        if may_install:
            _install(tools, missing)
            return
        names = [package.name for package in missing()]
        raise SetupError(
            f"These packages are missing, and --no-system forbids to install them: {' '.join(names)}.\n"
            f"Next step: ask an administrator to run:\n{_install_command_line(names)}\n"
            "then start the same command again."
        )

    return SetupStep(TITLE, lambda: not missing(), work, seconds=30)


def announce(needed_packages: list[SystemPackage], *, may_install: bool) -> None:
    """Says what will be installed on the system, or is left out, with its purpose."""
    missing = [package for package in needed_packages if not package.present() and (may_install or package.optional)]
    if not missing:
        return
    if may_install:
        print("To be installed on this system (--no-system: leave the system as it is):")
    else:
        print("Left out, as --no-system says:")
    width = max(len(package.name) for package in missing)
    for package in missing:
        print(f"    {package.name:<{width}}  for {package.purpose}")


def _install(tools: Tools, missing: Callable[[], list[SystemPackage]]) -> None:
    packages = missing()
    names = [package.name for package in packages]
    if shutil.which("apt-get") is None:
        raise SetupError(
            f"These packages (named as on Debian) are missing: {' '.join(names)}.\n"
            "Next step: install them with this system's own package manager, then start the same command again."
        )
    apt = [*_administrator_prefix(tools, names), "apt-get", "-o", "DPkg::Lock::Timeout=300", "-qq"]
    listing = f"Missing: {', '.join(names)}."
    next_step = "then start the same command again."
    tools.run(
        [*apt, "update"],
        failure=f"{listing} The package list could not be updated. Next step: repair `apt-get update`, {next_step}",
        service=_ARCHIVE,
    )
    available = _available_names(names)
    if absent := [package.name for package in packages if package.name not in available and not package.optional]:
        raise SetupError(
            f"This system's package sources do not offer: {' '.join(absent)}.\n"
            "Next step: install their programs in another way (for chromium: any Chromium or Chrome, its path "
            f"in the environment variable CHROMIUM), {next_step}"
        )
    tools.run(
        [*apt, "install", "-y", "--no-install-recommends", *(name for name in names if name in available)],
        failure=f"{listing} They could not be installed. Next step: read the lines above, repair apt, {next_step}",
        service=_ARCHIVE,
    )
    if still := [package.name for package in missing() if package.name in available]:
        raise SetupError(
            f"These packages were installed, but their programs were not found: {' '.join(still)}.\n"
            f"Next step: make sure that /usr/bin is on the PATH, {next_step}"
        )


def sandbox_problem() -> str | None:
    """Reason why hidden tests can't run in the sandbox of this machine, if they can't."""
    command = ["bwrap", "--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "true"]
    probe = subprocess.run(command, capture_output=True, text=True, check=False)
    if probe.returncode == 0:
        return None
    return (
        "The sandbox (bubblewrap) does not work on this machine, so hidden tests can't run yet:\n"
        f"    {probe.stderr.strip()}\n"
        "Next step: allow this account to create user namespaces (in a container: start it with more rights; "
        "on Ubuntu 24.04 and newer: set kernel.apparmor_restrict_unprivileged_userns to 0 with sysctl), "
        "then run `.venv/bin/benchwright doctor`."
    )


def _administrator_prefix(tools: Tools, names: list[str]) -> list[str]:
    """The words before a command that make it run as root."""
    # After `su`, a root shell may lack the folders that dpkg needs on its PATH.
    path = f"PATH={os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin"
    variables = ["env", "DEBIAN_FRONTEND=noninteractive", path]
    if os.geteuid() == 0:
        return variables
    refusal = (
        f"These packages are missing, and this account may not install them: {' '.join(names)}.\n"
        f"Next step: ask an administrator to run:\n{_install_command_line(names)}\nthen start the same command again."
    )
    if shutil.which("sudo") is None:
        raise SetupError(refusal)
    if subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode:
        print(f"To install {', '.join(names)}, sudo may ask for your password.", flush=True)
        tools.run_at_terminal(["sudo", "-v"], failure=refusal)
    proxies = [f"{name}={value}" for name, value in os.environ.items() if re.fullmatch("(?i)(https?|no)_proxy", name)]
    return ["sudo", "-n", *variables, *proxies]


def _install_command_line(names: list[str]) -> str:
    return f"    apt-get install --no-install-recommends {' '.join(names)}"


def _available_names(names: list[str]) -> set[str]:
    """The packages that have a version to install."""
    policy = subprocess.run(
        ["apt-cache", "policy", *names],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout
    return set(re.findall(r"^([^\s:]+):\n  Installed: .*\n  Candidate: (?!\(none\))", policy, re.MULTILINE))


def _program_package(name: str, purpose: str, *, package: str | None = None) -> SystemPackage:
    return SystemPackage(package or name, lambda: shutil.which(name) is not None, purpose)


def _recognises_chinese() -> bool:
    return any(Path("/usr/share/tesseract-ocr").glob("*/tessdata/chi_sim.traineddata"))


def _has_chinese_font() -> bool:
    return any(Path("/usr/share/fonts").rglob("wqy-microhei.ttc"))


def _has_debians_keys() -> bool:
    return any(Path("/usr/share/keyrings", f"debian-archive-keyring.{kind}").is_file() for kind in ("gpg", "pgp"))


def _has_eglot() -> bool:
    lisp_folder = Path("/usr/share/emacs")
    return any(lisp_folder.glob("site-lisp/elpa*/eglot-*")) or any(lisp_folder.glob("*/lisp/progmodes/eglot.el*"))


def _has_postgresql() -> bool:
    # Debian keeps its programs off the PATH.
    return shutil.which("postgres") is not None or any(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def _daemon_package(name: str, purpose: str, *, package: str | None = None) -> SystemPackage:
    # Not on everybody's PATH.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    return SystemPackage(package or name, lambda: shutil.which(name, path=path) is not None, purpose, optional=True)


def _has_library(name: str) -> bool:
    return ctypes.util.find_library(name) is not None


def _python_makes_environments() -> bool:
    return all(importlib.util.find_spec(module) for module in ("ensurepip", "venv"))
