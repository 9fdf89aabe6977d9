from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright_attempts.events.events import Save
from benchwright_attempts.events.file_text import Change, FileText, apply_changes
from benchwright_verilog.syntax.surrogates import encode_text, join_surrogates


def test_changes_apply_in_order_each_to_the_result_of_the_one_before() -> None:
    changes = [Change(start=0, end=1, text="XY"), Change(start=2, end=2, text="-"), Change(start=3, end=4, text="")]
    assert apply_changes("abc", changes) == "XY-c"


def test_a_change_without_range_replaces_everything() -> None:
    assert apply_changes("abc", [Change(text="new"), Change(start=3, end=3, text="er")]) == "newer"


def test_offsets_count_code_points_not_utf16_units() -> None:
    assert apply_changes("😀x😀y", [Change(start=3, end=4, text="z")]) == "😀x😀z"


def test_a_change_beyond_the_end_is_refused() -> None:
    with pytest.raises(ValueError, match="ends at 4, the text at 3"):
        apply_changes("abc", [Change(start=2, end=4, text="")])


@pytest.mark.parametrize("flawed", [{"start": 1, "text": ""}, {"start": 2, "end": 1, "text": ""}])
def test_a_change_with_half_or_reversed_range_is_refused(flawed: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Change.model_validate(flawed)


def test_surrogate_halves_that_edits_put_side_by_side_become_one_code_point() -> None:
    changes = [Change(start=1, end=1, text="\ud83d"), Change(start=2, end=2, text="\ude00")]
    assert apply_changes("ab", changes) == "a😀b"


def test_a_lone_surrogate_is_saved_as_replacement_character() -> None:
    assert encode_text("a\ud800b") == b"a\xef\xbf\xbdb"


@given(st.text(st.characters()))
def test_encoding_equals_what_utf16_editors_write(text: str) -> None:
    utf16 = text.encode("utf-16-le", "surrogatepass")
    assert encode_text(text) == utf16.decode("utf-16-le", "replace").encode()
    assert join_surrogates(text).encode("utf-16-le", "surrogatepass") == utf16


@given(st.binary() | st.text().map(str.encode) | st.text().map(lambda text: codecs.BOM_UTF8 + text.encode()))
def test_a_file_that_is_utf8_encodes_back_to_its_bytes(data: bytes) -> None:
    file = FileText.of_bytes(data)
    if file.text is None:
        with pytest.raises(UnicodeDecodeError):
            data.decode()
    else:
        assert encode_text(file.text, bom=file.bom) == data


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../up", "rtl/../../up", "nul\0"])
def test_a_path_outside_the_workspace_is_refused(path: str) -> None:
    with pytest.raises(ValidationError, match="inside the workspace"):
        Save(path=path, sha256="0" * 64, size=0)
