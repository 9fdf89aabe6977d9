"""System calls that no harness needs and that have let programs out of sandboxes."""

from __future__ import annotations

import errno
import json
import os
from functools import lru_cache
from typing import Any

from benchwright_harness.errors import SandboxUnavailableError

_DENIED = """
    acct add_key bpf delete_module finit_module fsconfig fsmount fsopen fspick init_module
    io_uring_enter io_uring_register io_uring_setup ioperm iopl kexec_file_load kexec_load keyctl
    lookup_dcookie mount mount_setattr move_mount name_to_handle_at open_by_handle_at open_tree
    perf_event_open personality pivot_root process_vm_readv process_vm_writev ptrace quotactl reboot
    request_key setns swapoff swapon syslog umount2 unshare userfaultfd vhangup
"""
# AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK of Linux, whatever they are where this runs. Network namespaces do not hold
# others, such as AF_VSOCK to a virtual machine's host.
_FAMILIES = frozenset({1, 2, 10, 16})
_CLONE_NEW_USER = 0x10000000
_TIOCSTI = 0x5412


@lru_cache
def compiled_seccomp_filter() -> bytes:
    """The compiled BPF program, as `bwrap --seccomp` takes it.

    Raises:
        SandboxUnavailableError: The library that compiles it is not installed.
    """
    try:
        import pyseccomp  # Loads the C library behind it, which only starting a sandbox needs.
    except (OSError, RuntimeError) as error:
        raise SandboxUnavailableError(
            "libseccomp is not installed", "install libseccomp (Debian and Ubuntu: apt-get install libseccomp2)"
        ) from error

    rules = pyseccomp.SyscallFilter(defaction=pyseccomp.ALLOW)
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in _DENIED.split():
        rules.add_rule(refuse, name)
    rules.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _CLONE_NEW_USER, _CLONE_NEW_USER))
    # clone3 hides its flags from filters; without it libc falls back to clone.
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    rules.add_rule(refuse, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, _TIOCSTI))
    for family in set(range(max(_FAMILIES))) - _FAMILIES:
        rules.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
    rules.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.GT, max(_FAMILIES)))
    handle = os.memfd_create("seccomp")
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            rules.export_bpf(stream)
        os.lseek(handle, 0, os.SEEK_SET)
        filter_bytes = b""
        while chunk := os.read(handle, 1 << 16):
            filter_bytes += chunk
        return filter_bytes
    finally:
        os.close(handle)


@lru_cache
def docker_seccomp_profile_json() -> str:
    """The same filter as a container engine takes it: JSON of the OCI runtime specification, `linux.seccomp`."""

    def rule(names: list[str], error: int, *arguments: dict[str, int | str]) -> dict[str, Any]:
        return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": list(arguments)}

    def argument(index: int, value: int, op: str, second_value: int = 0) -> dict[str, int | str]:
        return {"index": index, "value": value, "valueTwo": second_value, "op": op}

    families = (argument(0, family, "SCMP_CMP_EQ") for family in sorted(set(range(max(_FAMILIES))) - _FAMILIES))
    syscall_rules = [
        rule(_DENIED.split(), errno.EPERM),
        rule(["clone"], errno.EPERM, argument(0, _CLONE_NEW_USER, "SCMP_CMP_MASKED_EQ", _CLONE_NEW_USER)),
        rule(["clone3"], errno.ENOSYS),
        rule(["ioctl"], errno.EPERM, argument(1, 0xFFFFFFFF, "SCMP_CMP_MASKED_EQ", _TIOCSTI)),
        *(rule(["socket"], errno.EPERM, family) for family in families),
        rule(["socket"], errno.EPERM, argument(0, max(_FAMILIES), "SCMP_CMP_GT")),
    ]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": syscall_rules})
