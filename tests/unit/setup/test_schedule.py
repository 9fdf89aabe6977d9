"""Steps of the set-up run side by side, in the order that they need, with the time that is left."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import packages
import pytest
import schedule
from packages import SystemPackage
from progress import SetupError, SetupStep, Tools

_WAIT_S = 60


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "SETUP_STATE", tmp_path)


def step(title: str, do_work: Callable[[Tools], object], *needs: str, seconds: float = 1.0) -> SetupStep:
    completions: list[bool] = []

    def once(tools: Tools) -> None:
        do_work(tools)
        completions.append(True)

    return SetupStep(title, lambda: bool(completions), once, needs=needs, seconds=seconds)


def test_steps_that_need_nothing_of_each_other_run_at_once() -> None:
    meeting = threading.Barrier(2, timeout=_WAIT_S)
    schedule.run_steps([step(title, lambda tools: meeting.wait()) for title in ("one", "other")], locks=[])


def test_a_step_comes_after_those_that_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    order: list[str] = []
    steps = [
        step("first", lambda tools: order.append("first")),
        step("second", lambda tools: order.append("second"), "first", "a step that is not to be done"),
        step("third", lambda tools: order.append("third"), "second"),
    ]
    schedule.run_steps(steps, locks=[])
    assert order == ["first", "second", "third"]
    assert "[3/3] third: done in 0 s" in capsys.readouterr().out


def test_what_is_ready_is_neither_done_again_nor_locked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = tmp_path / "lock"
    schedule.run_steps([SetupStep("one", lambda: True, lambda tools: pytest.fail("done again"))], locks=[lock])
    assert capsys.readouterr().out == "[1/1] one: ready\n"
    assert not lock.exists()


def test_a_failure_ends_the_programs_of_other_steps_and_is_told(tmp_path: Path) -> None:
    started_file = tmp_path / "started"

    def lasts(tools: Tools) -> None:
        program = f"import pathlib, time; pathlib.Path({str(started_file)!r}).touch(); time.sleep(600)"
        tools.run([sys.executable, "-c", program], failure="It was ended.")

    def fails(tools: Tools) -> None:
        tools.run(
            [
                sys.executable,
                "-c",
                f"import os\nwhile not os.path.exists({str(started_file)!r}): pass\nraise SystemExit(3)",
            ],
            failure="It failed. Next step: none.",
        )

    with pytest.raises(SetupError, match="It failed"):
        schedule.run_steps([step("long", lasts), step("broken", fails), step("later", lasts, "broken")], locks=[])


def test_a_disk_that_is_full_is_told_with_the_next_step() -> None:
    def fills(tools: Tools) -> None:
        raise OSError(28, "No space left on device", "/cache")

    with pytest.raises(SetupError, match=r"one: No space left on device: /cache\nNext step: .*disk has room"):
        schedule.run_steps([step("one", fills)], locks=[])


def test_the_time_that_is_left_is_that_of_the_longest_chain() -> None:
    def no_work(tools: Tools) -> None: ...

    steps = [
        step("a", no_work, seconds=10),
        step("b", no_work, seconds=60),
        step("c", no_work, "a", seconds=90),
    ]
    assert schedule.remaining_s(steps, {}, pace=1) == 100
    assert schedule.remaining_s(steps, {"a": 4}, pace=2) == 196
    assert schedule.remaining_s(steps[1:2], {"b": 70}, pace=1) == 7, "late, so a while longer"
    assert schedule.remaining_s([], {}, pace=1) == 0


@pytest.mark.parametrize(("seconds", "words"), [(3, "a few seconds"), (34, "30 s"), (55, "1 min"), (200, "3 min")])
def test_times_are_said_no_more_exactly_than_they_are_known(seconds: float, words: str) -> None:
    assert schedule.duration_in_words(seconds) == words


def test_every_step_that_another_needs_has_that_title() -> None:
    import browser_editor
    import installation
    import token_table

    steps = [
        packages.package_step([], may_install=True),
        installation.python_environment(),
        installation.node(),
        installation.python_packages(),
        installation.development_packages(),
        installation.command_line(),
        installation.toolchain(),
        installation.build_cache(),
        installation.npm_packages(),
        token_table.token_table_step(),
        browser_editor.code_server_step(),
        installation.extension(),
        browser_editor.extension_in_code_server_step(Path("editor")),
    ]
    known_titles: set[str] = set()
    for planned_step in steps:
        assert set(planned_step.needs) <= known_titles, planned_step.title
        known_titles.add(planned_step.title)


def test_what_the_system_gets_is_announced_and_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    docker = SystemPackage(
        "docker.io", lambda: False, "tests in Docker; with systemd it starts a service", optional=True
    )
    sandbox_package = SystemPackage("bubblewrap", lambda: False, "the sandbox")
    packages.announce([docker, sandbox_package], may_install=True)
    assert capsys.readouterr().out == (
        "To be installed on this system (--no-system: leave the system as it is):\n"
        "    docker.io   for tests in Docker; with systemd it starts a service\n"
        "    bubblewrap  for the sandbox\n"
    )
    packages.announce([docker], may_install=False)
    assert capsys.readouterr().out.startswith("Left out, as --no-system says:\n    docker.io  for")
    assert packages.package_step([docker], may_install=False).ready()
    with pytest.raises(
        SetupError, match=r"--no-system forbids[\s\S]*apt-get install --no-install-recommends bubblewrap"
    ):
        schedule.run_steps([packages.package_step([docker, sandbox_package], may_install=False)], locks=[])


def test_an_optional_package_that_no_source_offers_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed_file = tmp_path / "installed"
    programs = {
        "apt-get": f'for word; do case "$word" in *emacs* | *eglot*) echo "$word" >> {installed_file} ;; esac; done',
        "apt-cache": "printf 'emacs-nox:\\n  Installed: (none)\\n  Candidate: 30.1\\n"
        "elpa-eglot:\\n  Installed: (none)\\n  Candidate: (none)\\n'",
        "sudo": 'while [ "$1" = -n ]; do shift; done; exec "$@"',
    }
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    emacs = SystemPackage("emacs-nox", installed_file.exists, "tests in Emacs", optional=True)
    eglot = SystemPackage("elpa-eglot", lambda: False, "tests in Emacs", optional=True)
    schedule.run_steps([packages.package_step([emacs, eglot], may_install=True)], locks=[])
    assert installed_file.read_text() == "emacs-nox\n"


def test_what_is_needed_later_goes_on_while_the_rest_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    use_event, order = threading.Event(), []

    def tools_for_later(tools: Tools) -> None:
        assert use_event.wait(_WAIT_S)
        order.append("later")

    def use() -> None:
        order.append("used")
        use_event.set()
        while len(order) < 2:
            pass

    steps = [step("later", tools_for_later), step("first", lambda tools: order.append("first"))]
    order_before_use: list[str] = []

    def using() -> None:
        order_before_use.extend(order)
        order.clear()
        use()

    schedule.run_steps(steps, locks=[], later_titles={"later"}, start_using=using)
    assert order_before_use == ["first"]
    assert order == ["used", "later"]
    assert "[2/2] later: done" in capsys.readouterr().out


def test_a_later_step_that_fails_is_told_and_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    end_event = threading.Event()

    def fails(tools: Tools) -> None:
        try:
            tools.run([sys.executable, "-c", "raise SystemExit(3)"], failure="It failed. Next step: none.")
        finally:
            end_event.set()

    def use() -> None:
        assert end_event.wait(_WAIT_S)

    schedule.run_steps(
        [step("later", fails), step("first", lambda tools: None)], locks=[], later_titles={"later"}, start_using=use
    )


def test_what_goes_on_is_stopped_when_the_use_ends(tmp_path: Path) -> None:
    started_file = tmp_path / "started"

    def lasts(tools: Tools) -> None:
        program = f"import pathlib, time; pathlib.Path({str(started_file)!r}).touch(); time.sleep(600)"
        tools.run([sys.executable, "-c", program], failure="It was ended.")

    def use() -> None:
        while not started_file.exists():
            pass
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schedule.run_steps([step("later", lasts)], locks=[], later_titles={"later"}, start_using=use)


def test_everything_is_done_before_use_where_nothing_may_be_later() -> None:
    order: list[str] = []
    steps = [step(title, lambda tools, title=title: order.append(title)) for title in ("a", "b")]  # type: ignore[misc]
    schedule.run_steps(steps, locks=[], start_using=lambda: order.append("used"))
    assert sorted(order[:2]) == ["a", "b"]
    assert order[2] == "used"
