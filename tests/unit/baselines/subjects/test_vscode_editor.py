"""VS Code as a subject, without one: extensions as files, programs that are missing, and what the driver answers."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any, cast

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.inline.dialects.lsp import Latency, Trigger
from benchwright_subjects.inline.dialects.vscode import VSCodeDialect
from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.offer import Offer
from benchwright_subjects.inline.policies import AcceptedPart
from benchwright_subjects.inline.server.connection import ServerConnection, ServerResponse
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.vscode.editor_launch import (
    DriverPrograms,
    driver_command,
    find_programs,
    write_probe_extension,
)
from benchwright_subjects.inline.vscode.vsix import read_vsix, vsix_of_folder

DOCUMENT = DocumentVersion("file:///m.sv", "// 𝄞\n  \nendmodule\n", 7)
OFFER = Offer(7, 7, "a;\n  b;", 7)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    extension_folder = tmp_path / "extension"
    extension_folder.mkdir()
    (extension_folder / "package.json").write_text(json.dumps({"publisher": "p", "name": "n", "version": "1.2.3"}))
    (extension_folder / "main.js").write_text("exports.activate = () => undefined;")
    return extension_folder


def test_a_folder_is_packed_to_the_same_bytes_and_read_back(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "n.vsix"
    file.write_bytes(vsix_of_folder(folder))
    assert file.read_bytes() == vsix_of_folder(folder)
    extension = read_vsix(file)
    assert (extension.id, extension.version, len(extension.sha256)) == ("p.n", "1.2.3", 64)


@pytest.mark.parametrize("name", ["a/../../b", "", 'x" --flag'])
def test_what_is_no_extension_is_refused_with_its_name(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / "package.json").write_text(json.dumps({"publisher": "p", "name": name, "version": "1"}))
    file = tmp_path / "n.vsix"
    file.write_bytes(vsix_of_folder(folder))
    with pytest.raises(EvaluationError, match=r"n\.vsix is no \.vsix file"):
        read_vsix(file)
    file.write_text("no archive")
    with pytest.raises(EvaluationError, match=r"is no \.vsix file"):
        read_vsix(file)
    with pytest.raises(EvaluationError, match="can't be read: No such file"):
        read_vsix(tmp_path / "missing.vsix")


def test_the_probe_is_an_extension_too(tmp_path: Path) -> None:
    file = write_probe_extension(tmp_path)
    assert read_vsix(file).id == "benchwright-subjects.probe"
    assert "extension/extension.js" in zipfile.ZipFile(file).namelist()


def test_the_command_names_each_file_as_a_word(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "n.vsix"
    file.write_bytes(vsix_of_folder(folder))
    extension = read_vsix(file)
    command = driver_command(
        DriverPrograms("node", ("code-server", "-x"), "chromium"), [extension], tmp_path / "probe.vsix"
    )
    assert str(file) in command
    assert f"1.2.3 (vsix {extension.sha256[:12]})" in command
    assert command[-3:] == ("--", "code-server", "-x")


def write_program(folder: Path, name: str) -> None:
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)


def test_what_is_missing_is_said_one_after_the_other(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path)}
    for message, name in (
        ("Node.js 24", "node"),
        ("code-server is not there", "code-server"),
        ("Chromium", "chromium"),
    ):
        with pytest.raises(EvaluationError, match=message):
            find_programs((), tmp_path / "cache", environ)
        write_program(tmp_path, name)
    programs = find_programs((), tmp_path / "cache", environ)
    assert programs.code_server == (str(tmp_path / "code-server"),)
    assert find_programs(("mine", "--x"), tmp_path / "cache", environ).code_server == ("mine", "--x")
    with pytest.raises(EvaluationError, match="nowhere"):
        find_programs((), tmp_path / "cache", {**environ, "CHROMIUM": "nowhere"})


def test_the_cursor_is_said_in_utf_16() -> None:
    question = VSCodeDialect().request_params(DOCUMENT, Trigger.INVOKED, 2.5)
    assert (question["cursor"], question["timeoutMs"]) == (8, 2500)


def test_times_are_the_editors() -> None:
    answer: Any = {"items": [], "timing": {"answered": 3.5, "drawn": 4.5}}
    assert VSCodeDialect().latency(ServerResponse(answer, 900.0)) == Latency(3.5, 4.5)
    given_up: Any = {"items": [], "timing": {"answered": None}}
    assert VSCodeDialect().latency(ServerResponse(given_up, 900.0)) == Latency(None, None)


def test_a_document_that_changed_by_itself_is_a_failure() -> None:
    result: Any = {"items": [], "timing": {"answered": 1}, "isChanged": True}
    with pytest.raises(SubjectError) as caught:
        VSCodeDialect().offers_in_result(result, DOCUMENT)
    assert caught.value.failure is ServerFailure.CHANGED_FILES


class Driver:
    """Answers what the editor's text is after something was taken."""

    def __init__(self, text: str, cursor: int) -> None:
        self.editor_state = {"text": text, "cursor": cursor}
        self.received_requests: list[Any] = []

    async def request(self, method: str, params: Any, timeout_s: float) -> ServerResponse:
        self.received_requests.append((method, params))
        return ServerResponse(cast(Any, self.editor_state), 1.0)


async def test_what_was_taken_is_the_difference_of_texts() -> None:
    driver = Driver("// 𝄞\n  a;\nendmodule\n", 10)
    taken_offer = await VSCodeDialect().accept_offer(
        cast(ServerConnection, driver), DOCUMENT, OFFER, AcceptedPart("a;", False)
    )
    assert (taken_offer.text, taken_offer.deleted, taken_offer.document.text_before) == ("a;", "", "// 𝄞\n  a;")
    assert driver.received_requests == [("benchwright/take", {"text": "a;"})]


async def test_a_whole_offer_is_taken_as_such() -> None:
    driver = Driver("// 𝄞\n  a;\n  b;\nendmodule\n", 15)
    taken_offer = await VSCodeDialect().accept_offer(
        cast(ServerConnection, driver), DOCUMENT, OFFER, AcceptedPart(OFFER.text, True)
    )
    assert driver.received_requests == [("benchwright/take", {"text": None})]
    assert taken_offer.text == "a;\n  b;"


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("// changed\n  a;\nendmodule\n", ServerFailure.OUT_OF_RANGE),
        ("// 𝄞\n  a;\n", ServerFailure.OUT_OF_RANGE),
        ("x" * 200_000, ServerFailure.BAD_OFFER),
    ],
)
async def test_what_goes_beyond_the_cursors_line_is_a_failure(text: str, failure: ServerFailure) -> None:
    with pytest.raises(SubjectError) as caught:
        await VSCodeDialect().accept_offer(
            cast(ServerConnection, Driver(text, 8)), DOCUMENT, OFFER, AcceptedPart("a;", False)
        )
    assert caught.value.failure is failure
