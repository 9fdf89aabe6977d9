from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_problems.errors import DatasetError
from benchwright_problems.partial_date import may_be_before_or_equal, require_partial_date
from benchwright_problems.storage.pack_folder import read_built_in, read_pack_folder
from benchwright_problems.storage.store import Store


@pytest.mark.parametrize("text", ["2024-02-29", "2024-02", "1999-12-31"])
def test_a_date_is_a_day_or_a_month(text: str) -> None:
    assert require_partial_date(text) == text


@pytest.mark.parametrize(
    "text", ["", "2024", "2024-00", "2023-02-29", "2024-2-1", "20240201", "2024-02-01T00", "\uff12024-02"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a date"):
        require_partial_date(text)


@pytest.mark.parametrize(
    ("first_date", "second_date", "is_possible"),
    [
        ("2023-11-05", "2023-11-05", True),
        ("2023-11-05", "2023-11-06", True),
        ("2023-11-06", "2023-11-05", False),
        ("2023-11", "2023-11-05", True),
        ("2023-11-30", "2023-11", True),
        ("2023-12", "2023-11-30", False),
        ("2023-12-01", "2023-11", False),
    ],
)
def test_what_is_unknown_of_a_date_rules_nothing_out(first_date: str, second_date: str, is_possible: bool) -> None:
    assert may_be_before_or_equal(first_date, second_date) is is_possible


def test_a_pack_keeps_its_date_in_the_store_and_its_problems_their_digests(store: Store) -> None:
    starter = read_built_in("starter")
    assert starter.published == "2026-11-20"
    store.add(starter.model_copy(update={"name": "dated"}))
    store.add(starter.model_copy(update={"name": "undated", "published": None}))
    assert (store.public_pack("dated").published, store.public_pack("undated").published) == ("2026-11-20", None)
    dated, undated = (store.public_pack(name).problems for name in ("dated", "undated"))
    assert [problem.public_digest for problem in dated] == [problem.public_digest for problem in undated]


@pytest.mark.parametrize("date_text", ["2024-05-17", '"2024-05-17"'])
def test_a_pack_folder_may_have_a_date(date_text: str, tmp_path: Path) -> None:
    assert read_pack_folder(_pack_folder_with_date(tmp_path, date_text)).published == "2024-05-17"


def test_a_pack_folder_with_a_wrong_date_names_file_and_field(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"pack\.toml.*published.*not a date"):
        read_pack_folder(_pack_folder_with_date(tmp_path, '"May"'))


def _pack_folder_with_date(folder: Path, date_toml: str) -> Path:
    (folder / "q").mkdir()
    (folder / "pack.toml").write_text(
        'name = "p"\ntitle = "P"\nversion = "1"\nlicense = "MIT"\nsource = "here"\norder = ["q"]\n'
        f"published = {date_toml}\n"
    )
    (folder / "q" / "problem.toml").write_text(
        'id = "q"\nkind = "question"\ndifficulty = "hard"\n[question]\nformat = "open-ended"\n[answer]\nvalue = "B"\n'
    )
    (folder / "q" / "statement.md").write_text("# Which?\n\nA or B?\n")
    return folder
