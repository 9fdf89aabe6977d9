"""Sources of Debian's packages, as the machine's apt is configured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_harness.errors import ToolchainError
from benchwright_harness.toolchain.build.debian import Mirror


def apt_folder(apt: Path, **files: str) -> Path:
    for name, text in files.items():
        file = apt / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return apt


def test_sources_in_stanzas(tmp_path: Path) -> None:
    text = """\
# the archive
Types: deb deb-src
# a comment inside
URIs: https://mirror.example/debian
Suites: trixie trixie-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://mirror.example/debian-security
Suites: trixie-security
Components: main
"""
    apt = apt_folder(tmp_path, **{"sources.list.d__debian_sources": text})
    assert Mirror.of_this_machine(apt) == Mirror(
        "https://mirror.example/debian", "https://mirror.example/debian-security"
    )


def test_sources_in_lines(tmp_path: Path) -> None:
    text = """\
# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/x.gpg] http://mirror.example/debian bookworm main # the archive
deb http://security.example/ bookworm-security main
"""
    apt = apt_folder(tmp_path, sources_list=text)
    assert Mirror.of_this_machine(apt) == Mirror("http://mirror.example/debian", "http://security.example/")


def test_values_may_go_on_in_the_next_line(tmp_path: Path) -> None:
    text = "Types: deb\nURIs:\n https://mirror.example/debian\nSuites: sid\n forky\nComponents: main\n"
    apt = apt_folder(tmp_path, **{"sources.list.d__a_sources": text})
    assert Mirror.of_this_machine(apt) == Mirror("https://mirror.example/debian")


@pytest.mark.parametrize(
    "text",
    [
        "deb http://archive.example/ubuntu noble main universe\n",
        "deb http://packages.example/tool bookworm-tool main\n",
        "deb-src http://mirror.example/debian bookworm main\n",
        "deb http://mirror.example/debian bookworm contrib\n",
        "deb http://mirror.example/debian bookworm-backports main\n",
        "deb cdrom:[Debian]/ bookworm main\n",
        "",
    ],
)
def test_a_machine_without_a_debian_mirror_is_told_what_to_do(text: str, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError) as refused:
        Mirror.of_this_machine(apt_folder(tmp_path, sources_list=text))
    assert "--mirror URL" in refused.value.hint


def test_a_source_that_is_switched_off_does_not_count(tmp_path: Path) -> None:
    text = "Enabled: no\nTypes: deb\nURIs: https://mirror.example/debian\nSuites: sid\nComponents: main\n"
    with pytest.raises(ToolchainError):
        Mirror.of_this_machine(apt_folder(tmp_path, **{"sources.list.d__a_sources": text}))


def test_a_release_has_its_updates_where_it_has_any() -> None:
    text = Mirror("https://mirror.example/debian", "https://mirror.example/security").sources_list(
        "bookworm", with_updates=True
    )
    suites = [line.split()[-2] for line in text.splitlines()]
    assert suites == ["bookworm", "bookworm-updates", "bookworm-security"]
    assert Mirror("https://mirror.example/debian").sources_list("sid", with_updates=False).count("\n") == 1
