"""No sandbox: a job runs as this user, on this machine. Only when asked for by name.

There is no `/code` and no `/src` without a mount, so those paths are rewritten, in arguments,
environment and the harness's files, to folders below a private one that is deleted afterwards.
An untrusted design can read and change whatever this user can.

Icarus makes what it writes executable, whatever it is: started by root with `-o /dev/null` it changes that device for
all other users. So its permissions are restored.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchwright_harness.execution.process import OutputReceiver, StepEnd, run_within_limits
from benchwright_harness.sandbox import SandboxJob, prlimit_command_prefix
from benchwright_harness.sandbox.confinement import ConfinedProgram, Confinement, Confiner
from benchwright_harness.sandbox.kind import SandboxKind
from benchwright_harness.toolchain.native_tools import NativeTools


class NativeSandbox:
    """Runs a job unprotected."""

    name = "native"
    digest = "native"
    runs_images = False
    supervises = False

    def new_user(self) -> int | None:
        """The present user."""
        return None

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        """See `Sandbox.run`."""
        private = Path(tempfile.mkdtemp(prefix="benchwright-hidden-"))
        try:
            roots = {"/" + path.split("/")[1] for path in job.hidden_files}
            local_folders = {"/code": str(job.code)} | {root: f"{private}{root}" for root in roots}
            pattern = re.compile(rf"(?<![\w./-])({'|'.join(map(re.escape, local_folders))})(?![\w.-])")

            def localize(text: str) -> str:
                return pattern.sub(lambda match: local_folders[match[1]], text)

            for path, text in job.hidden_files.items():
                file = Path(f"{private}{path}")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(localize(text), encoding="utf-8")
            with restoring_permissions(Path(os.devnull)):
                return await run_within_limits(
                    [*prlimit_command_prefix(job.limits), *(localize(word) for word in job.argv)],
                    env={key: localize(value) for key, value in job.env.items()},
                    cwd=job.code / "rundir",
                    limits=job.limits,
                    limited_folder=job.code,
                    log=log,
                )
        finally:
            shutil.rmtree(private, ignore_errors=True)


@contextlib.contextmanager
def restoring_permissions(file: Path) -> Iterator[None]:
    """Restore a file's permissions afterwards, if this user may."""
    permissions = stat.S_IMODE(file.stat().st_mode)
    try:
        yield
    finally:
        if stat.S_IMODE(file.stat().st_mode) != permissions:
            with contextlib.suppress(OSError):
                file.chmod(permissions)


@contextlib.contextmanager
def _unconfined_program(argv: Sequence[str], confinement: Confinement) -> Iterator[ConfinedProgram]:
    """See `Confiner.confined`; the program has the limits alone that it sets itself."""
    with tempfile.TemporaryDirectory() as scratch:
        yield ConfinedProgram(list(argv), [], {**confinement.env, "TMPDIR": scratch})


NATIVE = SandboxKind(
    open=NativeSandbox,
    description="No sandbox: a design runs with your permissions, and can read and change your files.",
    toolchain=NativeTools,
    confiner=Confiner(_unconfined_program),
)
