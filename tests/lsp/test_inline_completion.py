from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from ..support.models.inline_completion import Model, inline_capabilities, model, offers, options, serving, with_help
from ..support.service.judge_endpoint import PlayedReply, content, fails
from .conftest import Editors
from .session import Desk, Editor, File, starter

__all__ = ("model", "serving")

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = "module mine(input a, output y);\n  assign y = \nendmodule\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started(serving: Model, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor with the assistant on."""
    home = tmp_path_factory.mktemp("assisted") / "home"
    editor = await Editor.start(
        home,
        capabilities=inline_capabilities(),
        options=options(serving, apiKeyVariable="SCRIPTED_KEY"),
        environment={"SCRIPTED_KEY": "secret"},
    )
    yield editor
    await editor.quit()


@pytest.fixture
def editor(started: Editor) -> Editor:
    return started.forget()


def lone(editor: Editor, folder: Path, text: str = TEXT) -> File:
    path = folder / "mine.sv"
    path.write_text(text)
    return editor.open(path)


async def test_the_model_sees_the_open_document_and_its_words_are_offered(
    editor: Editor, model: Model, tmp_path: Path
) -> None:
    (inline_item,) = await offers(lone(editor, tmp_path))
    assert (inline_item.insert_text, inline_item.command) == ("a;", None)
    (request,) = model.requests
    assert request.body["model"] == "scripted"
    assert request.headers["authorization"] == "Bearer secret"
    assert request.user == f"File: mine.sv\n\n{TEXT.replace('y = ', 'y = <CURSOR>')}"
    assert str(tmp_path) not in str(request.body)


@pytest.mark.parametrize(
    ("reply", "inserted"),
    [
        ("```verilog\na;\n```", "a;"),
        ("assign y = a;", "a;"),
        ("a;\n  // done\n", "a;\n  // done"),
        ("<CURSOR>a;", "a;"),
        ("é𝄞", "é𝄞"),
    ],
)
async def test_only_what_is_new_is_offered(
    editor: Editor, model: Model, tmp_path: Path, reply: str, inserted: str
) -> None:
    model.reply = content(reply)
    (inline_item,) = await offers(lone(editor, tmp_path))
    assert inline_item.insert_text == inserted


async def test_nothing_is_offered_where_there_is_nothing_to_say(editor: Editor, model: Model, tmp_path: Path) -> None:
    file = lone(editor, tmp_path)
    for reply in ("", "  \n", "```\n```", None):
        model.reply = content(reply)
        assert await offers(file) == []


async def test_it_is_off_unless_it_is_turned_on(editors: Editors, model: Model, tmp_path: Path) -> None:
    editor = await editors(capabilities=inline_capabilities(), options={"assistant": {"url": model.url}})
    assert editor.initialized is not None
    assert editor.initialized.capabilities.inline_completion_provider is None
    with pytest.raises(Exception, match="Method Not Found"):
        await offers(lone(editor, tmp_path))
    assert model.requests == []


async def test_an_attempt_without_help_gets_none_and_no_prompt_is_sent(editor: Editor, model: Model) -> None:
    desk = await editor.open_problem("starter/saturating-counter")
    await desk.start()
    file = desk.open(text=TEXT)
    assert await offers(file) == []
    assert model.requests == []
    assert desk.events_of_kind("assist_shown") == []


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (fails(401, "no"), "answered with HTTP status 401"),
        (PlayedReply(b"<html>", headers={"Content-Type": "text/html"}), "does not implement OpenAI's chat API"),
        (PlayedReply(b"", 302, {"Location": "http://127.0.0.1:9/elsewhere"}), "answered with HTTP status 302"),
    ],
)
async def test_a_model_that_fails_is_told_with_the_setting_to_look_at(
    editor: Editor, model: Model, tmp_path: Path, reply: PlayedReply, message: str
) -> None:
    model.reply = reply
    with pytest.raises(Exception, match=f"{message}.*benchwright.assistant.url"):
        await offers(lone(editor, tmp_path))


async def test_a_key_that_is_not_there_is_named(editors: Editors, model: Model, tmp_path: Path) -> None:
    editor = await editors(capabilities=inline_capabilities(), options=options(model, apiKeyVariable="NO_SUCH_KEY"))
    with pytest.raises(Exception, match="NO_SUCH_KEY"):
        await offers(lone(editor, tmp_path))


async def test_an_attempt_with_help_records_every_offer_and_what_became_of_it(editor: Editor, model: Model) -> None:
    folder = with_help(editor.home)
    editor.always_fresh = False
    desk: Desk = await editor.open_problem("starter/saturating-counter")
    assert desk.folder == folder
    await desk.start()
    file = desk.open(text=TEXT)
    (first_item,) = await offers(file)
    assert first_item.command is not None
    file.type("a;", after_text="y = ")
    command_params = types.ExecuteCommandParams(first_item.command.command, first_item.command.arguments)
    await editor.client.workspace_execute_command_async(command_params)
    file.type("  assign z = \n", before_text="endmodule")
    (second_item,) = await offers(file, "z = ")
    file.type("b;", after_text="z = ")
    file.type("  assign w = \n", before_text="endmodule")
    (third_item,) = await offers(file, "w = ")
    file.type("a;", after_text="w = ")
    model.reply = content("")
    assert await offers(file) == []
    shown_events, accepted_events, rejected = (
        desk.events_of_kind(f"assist_{kind}") for kind in ("shown", "accepted", "rejected")
    )
    assert [(event.text, event.length, event.model, event.trigger, event.provider) for event in shown_events] == [
        ("a;", 2, "scripted", "automatic", "benchwright")
    ] * 3
    assert [event.assist for event in accepted_events] == [shown_events[0].assist, shown_events[2].assist]
    assert [(event.assist, event.reason) for event in rejected] == [(shown_events[1].assist, "superseded")]
    assert desk.verify_log().ok
    harness = "".join(starter("saturating-counter").hidden.reference.values())
    assert all(harness not in str(request.body) for request in model.requests)
    assert second_item.insert_text == third_item.insert_text == "a;"
