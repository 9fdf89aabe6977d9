"""Communication of a sandbox with the supervisor (`inside/guard/supervisor.py`), the first program inside."""

from __future__ import annotations

import json

from benchwright_harness.plan.plan import WORKDIR
from benchwright_harness.sandbox import SandboxJob, address_space_bytes
from benchwright_harness.toolchain.tree import INSIDE, OURS

GUARD = f"{INSIDE}/guard"
SUPERVISOR = ("/usr/bin/python3", f"{GUARD}/supervisor.py")
OPEN_FILE_LIMIT = 1024
"""Number of files that a process may have open."""

_PYTHONS_OWN = ("PYTHON", "LC_", "LANG")


def supervisor_environment(job: SandboxJob) -> dict[str, str]:
    """The variables that decide how Python starts: the supervisor has to start as the job's own would."""
    python_variables = {key: value for key, value in job.env.items() if key.startswith(_PYTHONS_OWN)}
    # What the job adds to it besides can be added later.
    own_folders = [entry for entry in python_variables.pop("PYTHONPATH", "").split(":") if entry.startswith(OURS)]
    return python_variables | {"PYTHONPATH": ":".join((GUARD, *own_folders))}


def hidden_roots(job: SandboxJob) -> tuple[str, ...]:
    """The folders at the top that hold nothing but hidden files."""
    return tuple(sorted({"/" + path.split("/")[1] for path in job.hidden_files}))


def supervisor_request(job: SandboxJob, process_limit: int | None) -> bytes:
    """The supervisor's request; see there.

    Args:
        job: Job that it is to run.
        process_limit: Number of processes that the job's user may have; `None` if something else limits them.
    """
    limits = {"fsize": job.limits.file_mb << 20, "core": 0, "nofile": OPEN_FILE_LIMIT}
    if not job.reserves_memory:
        limits["as"] = address_space_bytes(job.limits)
    if process_limit is not None:
        limits["nproc"] = process_limit
    env = {**job.env, "PYTHONPATH": ":".join(filter(None, (GUARD, job.env.get("PYTHONPATH"))))}
    content = {
        "argv": job.argv,
        "env": env,
        "cwd": WORKDIR,
        "hidden": dict(job.hidden_files),
        "limits": limits,
        "channel": job.channel,
    }
    return json.dumps(content).encode() + b"\n"
