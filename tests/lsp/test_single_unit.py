"""A list with `--single-unit`: what a file defines and declares outside of modules reaches the files that follow."""

from __future__ import annotations

import pytest

from .cursor import scratch
from .session import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

TYPES = "`define «DEPTH» 4\ntypedef logic [7:0] word_t;\n"
USER = "module user;\n  word_t w [`DEPTH‸];\nendmodule\n"
LIST = "types.sv\nuser.sv\n--single-unit\n"


@pytest.fixture
def editor(shared_editor: Editor) -> Editor:
    return shared_editor.forget()


async def test_names_of_earlier_files_are_known(editor: Editor) -> None:
    async with scratch(editor, {"user.sv": USER, "types.sv": TYPES}, on_disk={"all.f": LIST}) as file:
        await file.marked()
        assert await file.definition() == file.expected_spans
        assert "logic [7:0]" in (await file.go_to("word_t").hover() or "")
        assert {span.file for span in await file.references()} == {"types.sv", "user.sv"}


async def test_a_type_of_an_earlier_file_is_renamed_everywhere(editor: Editor) -> None:
    async with scratch(editor, {"user.sv": USER, "types.sv": TYPES}, on_disk={"all.f": LIST}) as file:
        edited = file.edited_files(await file.go_to("word_t").rename("byte_t"))
        assert edited == {
            "types.sv": "`define DEPTH 4\ntypedef logic [7:0] byte_t;\n",
            "user.sv": "module user;\n  byte_t w [`DEPTH];\nendmodule\n",
        }


async def test_an_edit_of_an_earlier_file_counts_at_once(editor: Editor) -> None:
    async with scratch(editor, {"user.sv": USER, "types.sv": TYPES}, on_disk={"all.f": LIST}) as file:
        await file.marked()
        file.open_files["types.sv"].type("X", after_text="word_t")
        await file.marked("use of undeclared identifier 'word_t'; did you mean 'word_tX'?")


@pytest.mark.parametrize(
    ("options", "is_known"),
    [
        ("--single-unit -y lib", True),
        ("--single-unit -v lib/part.sv", False),
        ("--single-unit --libraries-inherit-macros -v lib/part.sv", True),
        ("-y lib", False),
    ],
)
async def test_libraries_begin_with_the_macros_that_slang_lets_them_begin_with(
    editor: Editor, options: str, is_known: bool
) -> None:
    files = {
        "lib/part.sv": "module part;\n  wire [`WIDTH:0] w;\nendmodule\n",
        "a.sv": "`define WIDTH 3\nmodule a;\n  part u ();\nendmodule\n",
    }
    async with scratch(editor, files, on_disk={"all.f": f"a.sv\n{options}\n"}) as file:
        library = file.open_files["lib/part.sv"]
        await library.marked(*([] if is_known else ["unknown macro or compiler directive '`WIDTH'"]))
