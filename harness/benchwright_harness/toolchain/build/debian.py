"""Packages of Debian, fetched by this machine's own apt and unpacked below a folder, without root.

apt runs with a state of its own, in which nothing is installed, so what the machine has does not matter. Which
mirror it asks, through which proxy and with which credentials, is what the machine's configuration says.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchwright_harness.errors import ToolchainError

_APT = Path("/etc/apt")
_KEYRINGS = (
    Path("/usr/share/keyrings/debian-archive-keyring.gpg"),
    Path("/usr/share/keyrings/debian-archive-keyring.pgp"),
)
_SUITES = frozenset(
    {
        *("oldoldstable", "oldstable", "stable", "testing", "unstable", "sid"),
        *("buster", "bullseye", "bookworm", "trixie", "forky", "duke"),
    }
)
_LINES = 3
_AGAIN = "then start the same command again"
_PROGRAMS = (
    "toolchains are built on Debian or Ubuntu, whose apt-get and dpkg-deb they need; elsewhere use the Docker image"
    " of a toolchain that was built on such a machine"
)
_MIRROR_HINT = (
    "the toolchain is made of Debian's packages, and no source of them is configured on this machine;"
    " name one with `benchwright toolchain build --mirror URL`, or in BENCHWRIGHT_DEBIAN_MIRROR"
)


@dataclass(frozen=True)
class Mirror:
    """Source of Debian's packages."""

    archive: str
    security: str | None = None
    """The archive of security updates, where there is one."""

    @classmethod
    def of_this_machine(cls, apt: Path = _APT) -> Mirror:
        """The mirror that apt is configured with here, whatever release it is used for.

        Raises:
            ToolchainError: No mirror is configured.
        """
        archive: str | None = None
        security: str | None = None
        for uri, suite in _configured(apt):
            name, _, pocket = suite.partition("-")
            if name not in _SUITES or not re.match(r"(mirror\+)?(https?|file|ftp):", uri):
                continue
            if pocket == "security":
                security = security or uri
            elif pocket in ("", "updates"):
                archive = archive or uri
        if archive is None:
            raise ToolchainError("Debian's package mirror is not known", _MIRROR_HINT)
        return cls(archive, security)

    def sources_list(self, suite: str, *, with_updates: bool) -> str:
        """The text of a `sources.list` for a release.

        Raises:
            ToolchainError: Debian's keys are not on this machine.
        """
        keyring = next((file for file in _KEYRINGS if file.is_file()), None)
        if keyring is None:
            hint = f"install Debian's keys (Debian and Ubuntu: apt-get install debian-archive-keyring), {_AGAIN}"
            raise ToolchainError(f"the keys of Debian's archive are not at {_KEYRINGS[0]}", hint)
        archives_and_suites = [(self.archive, suite)]
        if with_updates:
            archives_and_suites.append((self.archive, f"{suite}-updates"))
            if self.security:
                archives_and_suites.append((self.security, f"{suite}-security"))
        return "".join(f"deb [signed-by={keyring}] {uri} {name} main\n" for uri, name in archives_and_suites)


def _configured(apt: Path) -> Iterator[tuple[str, str]]:
    """Address and suite of every source of binary packages with the component `main`."""
    for file in [apt / "sources.list", *sorted(apt.glob("sources.list.d/*.list"))]:
        for line in _text(file).splitlines():
            match = re.match(r"\s*deb\s+(?:\[[^]]*\]\s*)?(\S+)\s+(\S+)\s+([^#]*)", line)
            if match and "main" in match[3].split():
                yield match[1], match[2]
    for file in sorted(apt.glob("sources.list.d/*.sources")):
        uncommented = re.sub(r"^#.*\n?", "", _text(file), flags=re.MULTILINE)
        for stanza in re.split(r"\n\s*\n", uncommented):
            fields = dict(re.findall(r"^([A-Za-z-]+):((?:.*\n?)(?:[ \t]+.*\n?)*)", stanza, re.MULTILINE))
            fields = {key.lower(): value.split() for key, value in fields.items()}
            is_binary_main = "deb" in fields.get("types", ()) and "main" in fields.get("components", ())
            if is_binary_main and fields.get("enabled", ["yes"])[0].lower() != "no":
                yield from ((uri, suite) for suite in fields.get("suites", ()) for uri in fields.get("uris", ()))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class Release:
    """One release of Debian, as its mirror has it now.

    Args:
        mirror: Mirror that has it.
        suite: Its name.
        archives: Folder in which package files are kept for the next time.
        updates: True if it has updates and security updates of its own.
        excluded_packages: Packages to take for installed, and so to leave out.
    """

    def __init__(
        self,
        mirror: Mirror,
        suite: str,
        archives: Path,
        *,
        updates: bool = False,
        excluded_packages: Sequence[str] = (),
    ) -> None:
        self.suite = suite
        self._archives = archives
        self._folder = tempfile.TemporaryDirectory(prefix="benchwright-apt-")
        folder = Path(self._folder.name)
        for name in ("lists/partial", "empty/partial", "etc"):
            (folder / name).mkdir(parents=True)
        (archives / "partial").mkdir(parents=True, exist_ok=True)
        (folder / "etc" / "sources.list").write_text(mirror.sources_list(suite, with_updates=updates), encoding="utf-8")
        architecture = _run(["dpkg", "--print-architecture"], _PROGRAMS).strip()
        (folder / "status").write_text(
            "".join(
                f"Package: {name}\nStatus: install ok installed\nVersion: 9999\nArchitecture: {architecture}\n"
                f"Maintainer: none <none@localhost>\nDescription: left out\n\n"
                for name in excluded_packages
            ),
            encoding="utf-8",
        )
        (folder / "apt.conf").write_text(
            "".join(f"#clear {name};\n" for name in ("APT::Update", "DPkg::Post-Invoke", "DPkg::Pre-Install-Pkgs"))
            + f"""
            Dir::State "{folder}";
            Dir::State::lists "{folder}/lists";
            Dir::State::status "{folder}/status";
            Dir::Cache "{folder}";
            Dir::Cache::archives "{archives}";
            Dir::Etc::sourcelist "{folder}/etc/sources.list";
            Dir::Etc::sourceparts "-";
            Dir::Etc::preferences "-";
            Dir::Etc::preferencesparts "-";
            APT::Architectures {{ "{architecture}"; }};
            APT::Install-Recommends "false";
            APT::Keep-Downloaded-Packages "true";
            APT::Sandbox::User "root";
            Acquire::Languages "none";
            Acquire::Retries "3";
            """,
            encoding="utf-8",
        )
        self._apt = ["apt-get", "-c", str(folder / "apt.conf"), "-qq"]

    def __enter__(self) -> Release:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def update(self) -> None:
        """Fetch the list of packages.

        Raises:
            ToolchainError: The mirror does not have the release, or can't be reached.
        """
        _run([*self._apt, "--error-on=any", "update"], f"check the network and the addresses in {_APT}, {_AGAIN}")

    def candidate(self, package: str) -> str | None:
        """The version of a package that would be installed."""
        policy_text = _run(["apt-cache", *self._apt[1:3], "policy", package], _PROGRAMS)
        match = re.search(r"^  Candidate: (?!\(none\))(\S+)", policy_text, re.MULTILINE)
        return match[1] if match else None

    def fetch(self, packages: Sequence[str], on_percent: Callable[[float], None]) -> list[Path]:
        """Download packages with all that they depend on.

        Args:
            packages: Their names.
            on_percent: Told how much of it is here, from 0 to 100.

        Returns:
            The package files, by name.

        Raises:
            ToolchainError: Something is not available.
        """
        install = [*self._apt, "-y", "install", *packages]
        # Of what is already downloaded apt does not speak: let it look where nothing is.
        listing = [*install, "--print-uris", "-o", f"Dir::Cache::archives={self._folder.name}/empty"]
        uri_list = _run(listing, f"read the line above, repair apt's configuration, {_AGAIN}")
        package_files = [
            self._archives / name for name in sorted(re.findall(r"^'[^']*' (\S+) \d+", uri_list, re.MULTILINE))
        ]
        with _status_pipe(on_percent) as handle:
            _run(
                [*install, "--download-only", "-o", f"APT::Status-Fd={handle}"],
                f"check the network, {_AGAIN}; what has been downloaded is kept",
                pass_fds=(handle,),
            )
        return package_files


@contextlib.contextmanager
def _status_pipe(on_percent: Callable[[float], None]) -> Iterator[int]:
    """Pipe to which apt reports its progress: `dlstatus:FILE:PERCENT:TEXT`."""
    read_end, write_end = os.pipe()

    def read() -> None:
        with os.fdopen(read_end, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if match := re.match(r"dlstatus:[^:]*:([\d.]+):", line):
                    on_percent(float(match[1]))

    reader_thread = threading.Thread(target=read, daemon=True)
    reader_thread.start()
    try:
        yield write_end
    finally:
        os.close(write_end)
        reader_thread.join()


def unpack(package: Path, folder: Path, *, leave_out: Sequence[str] = ()) -> None:
    """Put the files of a package below a folder.

    Unlike `dpkg-deb --extract` it keeps links to folders, such as `/bin`.

    Args:
        package: The package file.
        folder: Folder that gets the files.
        leave_out: Patterns of paths, such as `./usr/share/doc/*`.

    Raises:
        ToolchainError: The file is broken, or the disk full.
    """
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as archive:
        tar = ["tar", "--extract", "--directory", str(folder), "--keep-directory-symlink", "--no-same-owner"]
        options = ["--no-same-permissions", "--wildcards", *(f"--exclude={pattern}" for pattern in leave_out)]
        _run([*tar, *options], f"make room on the disk, or delete {package}; {_AGAIN}", stdin=archive.stdout)
    if archive.returncode:
        raise ToolchainError(f"{package.name} can't be unpacked", f"delete {package}, {_AGAIN}")


def _run(command: Sequence[str], hint: str, *, stdin: IO[bytes] | None = None, pass_fds: Sequence[int] = ()) -> str:
    """Run a program to its end and return what it printed.

    Raises:
        ToolchainError: The program failed, with its last words and the next step.
    """
    try:
        finished_process = subprocess.run(
            command,
            stdin=stdin or subprocess.DEVNULL,
            capture_output=True,
            check=False,
            pass_fds=tuple(pass_fds),
            umask=0o022,
            env={**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"},
        )
    except FileNotFoundError as error:
        raise ToolchainError(f"{command[0]} is not on this machine", _PROGRAMS) from error
    if finished_process.returncode:
        last_words = finished_process.stderr.decode(errors="replace").strip().splitlines()[-_LINES:] or ["no message"]
        raise ToolchainError(f"{command[0]} failed: {' '.join(last_words).rstrip('.')}", hint)
    return finished_process.stdout.decode(errors="replace")
