"""A reader that a page has taken over: stand-ins for it try what such a program would, in the real bubblewrap."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import psutil
import pytest

from benchwright_exams.errors import ExamError
from benchwright_exams.reading import reader_process
from benchwright_exams.reading.reader_process import ReaderAnswer, ReaderProcess
from benchwright_exams.reading.reading import read_exam
from benchwright_harness.errors import SandboxUnavailableError

from ..support.packs.exam_papers import papers

ALLOWED = ("LANG", "LC_CTYPE", "OMP_THREAD_LIMIT", "PATH", "PWD")
TRIES = """
import json, os, pathlib, socket, sys

def tried(what):
    try:
        return repr(what())
    except (OSError, MemoryError) as error:
        return f"refused: {type(error).__name__}"

def forks():
    count = 0
    try:
        while count < 400:
            if os.fork() == 0:
                import time
                time.sleep(20)
                os._exit(0)
            count += 1
    except OSError:
        pass
    return count

secret, outside, port = sys.argv[2:]
print(json.dumps({
    "home": tried(lambda: os.listdir("/root") + os.listdir("/home")),
    "secret": tried(lambda: pathlib.Path(secret).read_text()),
    "passwords": tried(lambda: pathlib.Path("/etc/shadow").read_text()),
    "outside": tried(lambda: pathlib.Path(outside).write_text("x")),
    "package": tried(lambda: pathlib.Path(json.loads(sys.argv[1])[-1], "x.py").write_text("x")),
    "exam": tried(lambda: os.write(0, b"x")),
    "root": tried(lambda: pathlib.Path("/x").write_text("x")),
    "network": tried(lambda: socket.create_connection(("127.0.0.1", int(port)), timeout=2)),
    "vsock": tried(lambda: socket.socket(40, socket.SOCK_STREAM)),
    "scratch": tried(lambda: pathlib.Path("/tmp/x").write_bytes(b"x" * 9)),
    "flood": tried(lambda: [pathlib.Path(f"/tmp/{at}").write_bytes(bytes(90 << 20)) for at in range(9)]),
    "others": sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) > 9),
    "environment": sorted(os.environ),
    "forks": forks(),
}))
"""


def stand_in(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(reader_process, "_START", program)


@pytest.fixture
def exam(tmp_path: Path) -> Path:
    file = tmp_path / "exam.pdf"
    file.write_bytes(papers()[0].pdf)
    return file


def test_a_reader_that_was_taken_over_reaches_nothing(
    exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, TRIES)
    monkeypatch.setenv("SECRET_TOKEN", "not for readers")
    secret, outside = tmp_path / "secret.txt", tmp_path / "outside.txt"
    secret.write_text("hidden")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        arguments = [str(secret), str(outside), str(listening.getsockname()[1])]
        report = ReaderProcess("bwrap").run_reader(exam, arguments).reply
    refused_names = ("home", "secret", "passwords", "outside", "package", "exam", "root", "network", "vsock", "flood")
    assert {name: report[name][:8] for name in refused_names} == dict.fromkeys(refused_names, "refused:")
    assert report["scratch"] == "9"
    assert {"LANG", "OMP_THREAD_LIMIT", "PATH"} <= set(report["environment"]) <= {*ALLOWED}
    assert report["others"] == []
    assert report["forks"] < 16
    assert not outside.exists()


def test_its_answer_is_limited(exam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "import os\nwhile True: os.write(1, bytes(1 << 20))")
    assert "error" in ReaderProcess("bwrap").run_reader(exam, []).reply


@pytest.mark.parametrize(
    "output", ["", "[]", "[" * 90_000, '{"pages": -1, "ignored": []}', '{"pages": "x"}', '{"error": {"a": 1}}']
)
def test_an_answer_that_is_none_ends_with_a_sentence(
    output: str, exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, f"print({output!r})")
    with pytest.raises(ExamError, match="can't be read"):
        read_exam(exam, tmp_path / "out")


@pytest.mark.parametrize("picture_size", [None, [1, 2, 3], [-1, -4], [2, 2], ["a", "b"], [1 << 40, 1 << 40]])
def test_a_picture_has_the_pixels_that_it_says(
    picture_size: object, exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies_by_command = {
        "about": {"pages": 1, "ignored": []},
        "page": {"width": 9, "height": 9, "picture": picture_size, "number": 7},
    }
    stand_in(monkeypatch, f"import json, sys; print(json.dumps({replies_by_command!r}[sys.argv[2]])); print('xyz')")
    (page,) = read_exam(exam, tmp_path / "out").pages
    assert (page.number, page.error) == (1, "the page gave no readable result")
    assert list((tmp_path / "out" / "pages").iterdir()) == []


def test_what_a_reader_leaves_behind_is_ended(exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        "import os, time\nif os.fork(): print('{}')\nelse:\n os.setsid()\n while True: time.sleep(1)",
    )
    marker = f"left-behind-{os.getpid()}"
    assert ReaderProcess("bwrap").run_reader(exam, [marker]) == ReaderAnswer({})
    commands = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert [command for command in commands if marker in command] == []


def test_without_a_sandbox_only_who_asks_for_it_reads(
    exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailableError, match="does not work here: bubblewrap is not installed") as refused:
        read_exam(exam, tmp_path / "out")
    assert "--sandbox native" in refused.value.hint
    assert len(read_exam(exam, tmp_path / "out", sandbox_name="native").pages) == 2


def test_both_sandboxes_read_the_same(exam: Path, tmp_path: Path) -> None:
    confined, native = (read_exam(exam, tmp_path / name, sandbox_name=name) for name in ("bwrap", "native"))
    assert confined == native


def test_a_sandbox_that_reads_no_exams_is_refused(exam: Path, tmp_path: Path) -> None:
    with pytest.raises(ExamError, match="bwrap or native, not in docker"):
        read_exam(exam, tmp_path / "out", sandbox_name="docker")


def test_what_was_read_needs_no_sandbox(exam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_reading = read_exam(exam, tmp_path / "out")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_exam(exam, tmp_path / "out") == first_reading
    assert json.loads((tmp_path / "out" / "pages.json").read_text())["file"] == "exam.pdf"
