"""What a server's process can reach: on Linux with bubblewrap, it writes to its own folders only and sees no secrets.

The network stays: most copilots are services. The process has a PID namespace of its own, so what it leaves behind ends
with it, also when Benchwright is killed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_subjects.inline.failure import Failure, SubjectError
from benchwright_subjects.inline.workplace import Workplace

_NAMESPACES = ["--unshare-user", "--disable-userns", "--unshare-pid", "--cap-drop", "ALL", "--die-with-parent"]
_TRIAL_S = 10


def secret_folders(home: Home, run_folder: Path) -> tuple[Path, ...]:
    """The folders that hold hidden parts or other people's work."""
    built_in = Path(str(resources.files("benchwright_problems"))) / "packs"
    return (home.data, home.state, home.workspaces, built_in, run_folder)


def places_in(home: Home) -> Path:
    """Where workplaces are made: in a folder that `secret_folders` names."""
    return home.state / "completion"


def confined(command: Sequence[str], place: Workplace, secrets: Sequence[Path], *, is_offline: bool) -> tuple[str, ...]:
    """The command line that runs a server where it sees none of these folders; the same where that can't be done.

    Args:
        command: The server's.
        place: The folders it may write to.
        secrets: See `secret_folders`.
        is_offline: Without network.

    Raises:
        SubjectError: `NOT_STARTED`: it can't be kept off the network here.
    """
    if not can_confine():
        if is_offline:
            raise SubjectError(
                Failure.NOT_STARTED,
                "Without bubblewrap no server can be kept off the network. Leave out --offline and --model.",
            )
        return tuple(command)
    emptied = [part for folder in secrets if folder.is_dir() for part in ("--tmpfs", str(folder.resolve()))]
    root = str(place.root)
    mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *emptied, "--bind", root, root]
    network = ["--unshare-net"] if is_offline else []
    return ("bwrap", *_NAMESPACES, *network, *mounts, "--chdir", str(place.workspace), "--", *command)


@cache
def can_confine() -> bool:
    """Whether bubblewrap is there and works; inside some containers it does not."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return False
    trial = ["bwrap", *_NAMESPACES, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "true"]
    try:
        return subprocess.run(trial, capture_output=True, timeout=_TRIAL_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
