"""Runs a sandbox beside an open pipe: at the pipe's end, its starter has ended, and the whole process group is killed.

`bwrap --die-with-parent` does not suffice: its own child waits for it endlessly if it is killed right after its start.
Started with `-I -S`, so it imports nothing but the standard library.

Arguments: number of the file to read from, then the command.
"""

import os
import select
import signal
import sys


def main() -> None:
    """Ends with the command's exit status; that of a killed one is 128 and the number of the signal."""
    pipe, command = int(sys.argv[1]), sys.argv[2:]
    pid = os.fork()
    if pid == 0:
        os.close(pipe)
        os.execvp(command[0], command)  # noqa: S606
    # Whoever reads the command's output has to see its end.
    for stream in range(3):
        os.close(stream)
    ended = os.pidfd_open(pid)
    ready, _, _ = select.select([pipe, ended], [], [])
    if ended not in ready:
        os.killpg(0, signal.SIGKILL)
    exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(exit_code if exit_code >= 0 else 128 - exit_code)


if __name__ == "__main__":
    main()
