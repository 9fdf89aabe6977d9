from __future__ import annotations

import contextlib
from pathlib import Path

from benchwright_harness.sandbox.native import restoring_permissions


def test_a_device_that_a_compiler_has_made_executable_is_put_back(tmp_path: Path) -> None:
    device = tmp_path / "null"
    device.touch()
    device.chmod(0o666)
    with contextlib.suppress(RuntimeError), restoring_permissions(device):
        device.chmod(0o755)
        raise RuntimeError
    assert device.stat().st_mode & 0o777 == 0o666
