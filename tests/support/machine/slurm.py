"""A real Slurm of one node: munged, slurmctld and slurmd, in private folders."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

_START_S = 180
_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "scancel", "setpriv")
_CONFIGURATION = """\
ClusterName=benchwright
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
PropagateResourceLimits=NONE
SlurmUser=slurm
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=debug Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True)
class Slurm:
    """A queue that takes jobs."""

    configuration: Path


class SlurmMissingError(Exception):
    """Reason why there can be no Slurm here."""


@contextlib.contextmanager
def slurm() -> Iterator[Slurm]:
    """Start one, and end it with all that it has started.

    Raises:
        SlurmMissingError: The machine can't start one.
    """
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
    programs = {name: shutil.which(name, path=path) for name in _PROGRAMS}
    if missing := [name for name, program in programs.items() if program is None]:
        raise SlurmMissingError(f"not installed: {', '.join(missing)}")
    if os.geteuid() != 0:
        raise SlurmMissingError("only root can start Slurm")
    with contextlib.ExitStack() as cleaning:
        folder = Path(cleaning.enter_context(tempfile.TemporaryDirectory(prefix="slurm-", ignore_cleanup_errors=True)))
        folder.chmod(0o755)
        configuration = folder / "slurm.conf"
        control, node = _free_ports(2)
        configuration.write_text(
            _CONFIGURATION.format(
                folder=folder,
                host=socket.gethostname(),
                control=control,
                node=node,
                cores=os.cpu_count(),
                memory=psutil.virtual_memory().total // (1 << 20) * 9 // 10,
            )
        )
        for name, user in (("munge", "munge"), ("state", "slurm"), ("spool", "root")):
            (folder / name).mkdir(mode=0o755)
            shutil.chown(folder / name, user)
        key_file = folder / "munge" / "key"
        key_file.write_bytes(os.urandom(128))
        key_file.chmod(0o400)
        shutil.chown(key_file, "munge")
        environment = os.environ | {"SLURM_CONF": str(configuration)}

        def start(name: str, *arguments: str, user: str | None = None) -> None:
            account = pwd.getpwnam(user) if user else None
            log = cleaning.enter_context((folder / f"{name}.out").open("wb"))
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", str(programs[name]), *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=account.pw_uid if account else None,
                group=account.pw_gid if account else None,
                extra_groups=() if account else None,
                start_new_session=True,
            )
            cleaning.callback(_end_daemon, process)

        munge = folder / "munge"
        start(
            "munged",
            *(
                "--foreground",
                "--force",
                f"--socket={munge}/socket",
                f"--key-file={key_file}",
                f"--seed-file={munge}/seed",
            ),
            *(f"--pid-file={munge}/pid", f"--log-file={munge}/log"),
            user="munge",
        )
        _wait_for(lambda: (munge / "socket").exists(), folder)
        start("slurmctld", "-D", user="slurm")
        start("slurmd", "-D", "-N", socket.gethostname())
        _wait_for(lambda: b"idle" in _node_states(str(programs["sinfo"]), environment), folder)
        yield Slurm(configuration)


def _node_states(sinfo_program: str, environment: dict[str, str]) -> bytes:
    return subprocess.run([sinfo_program, "-h", "-o", "%t"], env=environment, capture_output=True, check=False).stdout


def _wait_for(condition: Callable[[], bool], folder: Path) -> None:
    deadline = time.monotonic() + _START_S
    while not condition():
        if time.monotonic() > deadline:
            log_tails = "\n".join(path.read_text(errors="replace")[-1000:] for path in folder.glob("*.out"))
            raise SlurmMissingError(f"it does not start: {log_tails}")
        time.sleep(0.1)


def _end_daemon(daemon_process: subprocess.Popen[bytes]) -> None:
    family = psutil.Process(daemon_process.pid).children(recursive=True) if daemon_process.poll() is None else []
    daemon_process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        daemon_process.wait(30)
    for child_process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            child_process.kill()
    daemon_process.kill()
    daemon_process.wait()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        # All of them are held at once, or one could come twice.
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
