"""The next step where bubblewrap can't make its namespaces, by the kernel's settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_harness.sandbox.bwrap import namespaces_next_step


@pytest.mark.parametrize(
    ("name", "value", "command"),
    [
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces="),
    ],
)
def test_a_setting_that_forbids_namespaces_is_named_with_the_command(
    name: str, value: str, command: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.parent.mkdir()
    file.write_text(f"{value}\n")
    assert f"sudo sysctl -w {command}" in namespaces_next_step(tmp_path)
    file.write_text({"0": "1", "1": "0"}[value] if "max" not in name else "1000\n")
    assert "sysctl" not in namespaces_next_step(tmp_path)


def test_without_such_a_setting_the_account_or_the_container_is_named(tmp_path: Path) -> None:
    assert "inside a container" in namespaces_next_step(tmp_path)
