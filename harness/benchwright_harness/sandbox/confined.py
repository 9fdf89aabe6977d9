"""One small program of ours that reads hostile bytes, such as a PDF: it sees the system, what it needs, and no more.

Unlike a job, it has no folder of its own, no toolchain, no supervisor: bytes come in and go out by open files.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_harness.sandbox.bwrap import BwrapSandbox, memory_file, system_binds
from benchwright_harness.sandbox.seccomp import filter_program

SCRATCH = "/tmp"  # noqa: S108 - inside the sandbox
"""The only folder that the program can write to; it is in memory, and gone afterwards."""
# Where the dynamic linker, and programs with alternatives, find what is in /usr.
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")


@dataclass(frozen=True)
class Confinement:
    """What a program gets.

    Args:
        shown: Files and folders of the host that it can read, each at its own path.
        env: All of its environment.
        processes: How many it may have at a time.
        scratch_mb: MiB of `SCRATCH`.
        file_mb: MiB of any file that it writes, standard output included.
    """

    shown: Sequence[Path]
    env: Mapping[str, str]
    processes: int
    scratch_mb: int
    file_mb: int


@contextlib.contextmanager
def confined(
    sandbox: BwrapSandbox, argv: Sequence[str], confinement: Confinement
) -> Iterator[tuple[list[str], list[int]]]:
    """How to start a program in bubblewrap: its command, and the open files to pass to it.

    There is no network, no home folder, no file of the host but `/usr` and what is shown, no other process, and no
    capability; system calls are filtered. Root runs it as a user of its own. It ends with the thread that started it.

    Raises:
        SandboxUnavailableError: bubblewrap is not there.
    """
    with contextlib.ExitStack() as open_files:
        seccomp = open_files.enter_context(memory_file(filter_program()))
        options = [
            *sandbox.isolation(),
            *system_binds(Path("/")),
            *itertools.chain.from_iterable(("--ro-bind-try", name, name) for name in _SETTINGS),
            # Before what is shown, some of which may be below it.
            *(*sandbox.size_limit(confinement.scratch_mb << 20), "--tmpfs", SCRATCH, "--chdir", SCRATCH),
            *itertools.chain.from_iterable(("--ro-bind", str(path), str(path)) for path in confinement.shown),
            *("--remount-ro", "/dev", "--remount-ro", "/"),
            *itertools.chain.from_iterable(("--setenv", key, value) for key, value in confinement.env.items()),
            *("--seccomp", str(seccomp)),
        ]
        arguments = open_files.enter_context(memory_file("".join(f"{option}\0" for option in options).encode()))
        user = sandbox.new_user()
        become = ("/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--")
        limits = (f"--nproc={confinement.processes}", f"--fsize={confinement.file_mb << 20}", "--core=0")
        yield (
            [
                *(become if user is not None else ()),
                *(sandbox.program, "--args", str(arguments), "--", "/usr/bin/prlimit", *limits, "--", *argv),
            ],
            [seccomp, arguments],
        )


def own_python() -> list[Path]:
    """What this process's Python is made of, besides `/usr`: its environment, and the packages installed in it."""
    packages = [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    places = [Path(sys.prefix), Path(sys.base_prefix), *packages]
    there = dict.fromkeys(place for place in places if place.is_dir() and not place.is_relative_to("/usr"))
    return [place for place in there if not any(other in place.parents for other in there)]
