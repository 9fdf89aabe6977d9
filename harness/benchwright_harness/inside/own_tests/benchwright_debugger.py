"""Lets a debugger into a simulation with cocotb: `debugpy` listens, and a process of its own passes its traffic on.

The sandbox has no network but its own loopback, so the editor's side is a Unix socket in the run's folder. The passing
on is another process because the simulator keeps Python's lock.
"""

import os
import socket
import subprocess
import sys
import threading

_BLOCK = 1 << 16


def wait_for_debugger(socket_path: str) -> None:
    """Return once the editor's debugger is there.

    Args:
        socket_path: The Unix socket where it is expected.
    """
    import debugpy

    interpreter = os.environ.get("PYGPI_PYTHON_BIN", sys.executable)
    debugpy.configure(python=interpreter, subProcess=False)
    _, port = debugpy.listen(("127.0.0.1", 0))
    subprocess.Popen(
        [interpreter, __file__, socket_path, str(port)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    debugpy.wait_for_client()


def _connect_editor_to_debugger(socket_path: str, debugger_port: int) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{socket_path}.new")
        server.listen(1)
        # Whoever sees it can connect.
        os.replace(f"{socket_path}.new", socket_path)  # noqa: PTH105 - no import that is not needed
        editor, _ = server.accept()
    with editor, socket.create_connection(("127.0.0.1", debugger_port)) as adapter:
        back = threading.Thread(target=_copy_until_end, args=(adapter, editor), daemon=True)
        back.start()
        _copy_until_end(editor, adapter)
        back.join()


def _copy_until_end(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_BLOCK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


if __name__ == "__main__":
    _connect_editor_to_debugger(sys.argv[1], int(sys.argv[2]))
