"""The map in `docs/architecture.md` and its neighbours name what there is, and the drawing is current."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import drawing
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMING = (
    "docs/architecture.md",
    "docs/explanation/dependencies.md",
    "docs/how-to/extend.md",
    "README.md",
    "CONTRIBUTING.md",
)
"""Pages whose paths are those of the checkout."""
QUOTED = re.compile(r"`([^`\s]+)`")
FILE = re.compile(r"[\w./{},-]+(?:/|\.(?:py|json|toml|ts|md|c|in|lock))")
USERS_FILES = {
    *("answer.md", "question.md", "report.json"),
    *("cluster.toml", "exam.toml", "judges.toml", "preset.toml", "review.toml"),
}


def paths_in(text: str) -> Iterator[str]:
    """The paths among what a text quotes, those in braces one by one."""
    for quoted in QUOTED.findall(text):
        if FILE.fullmatch(quoted) and quoted not in USERS_FILES:
            head, _, braced = quoted.partition("{")
            names, _, tail = braced.partition("}")
            yield from (head + name + tail for name in names.split(","))


def changes() -> Iterator[tuple[str, str]]:
    """Each row of *Where a change goes*: the change and its home."""
    _, _, section = PAGE.partition("### Where a change goes")
    for line in section.partition("\n### ")[0].splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            change, home = line.strip("| ").split(" | ")
            yield change, home


def missing(home: str) -> list[str]:
    """The paths that do not exist: from the root, or below a folder that the home names before."""
    folders = [ROOT]
    absent = []
    for path in paths_in(home):
        matching_paths = [
            path_found for folder in folders for path_found in folder.glob(path.replace("TOOL", "*").rstrip("/"))
        ]
        if not matching_paths:
            absent.append(path)
        folders += [path_found if path_found.is_dir() else path_found.parent for path_found in matching_paths]
    return absent


@pytest.mark.parametrize(("change", "home"), [*changes()][1:])
def test_where_a_change_goes_exists(change: str, home: str) -> None:
    assert missing(home) == []


def test_a_path_that_does_not_exist_is_noticed() -> None:
    assert missing("`problems/benchwright_problems/{problem,gone}.py`, `datasets/`") == [
        "problems/benchwright_problems/gone.py",
    ]


def endings() -> set[str]:
    """The files and folders of the checkout, each after a slash; a folder ends with one."""
    client_folder = ROOT / "client-vscode"
    tops = {package_folder.parent for package_folder in drawing.package_folders()} | {
        ROOT / name for name in ("docs", "setup", "tests")
    }
    paths = chain(
        ROOT.iterdir(),
        client_folder.iterdir(),
        *(top.rglob("*") for top in (*tops, client_folder / "src", client_folder / "test")),
    )
    return {f"/{path.relative_to(ROOT).as_posix()}" + "/" * path.is_dir() for path in paths}


@pytest.mark.parametrize("page", NAMING)
def test_a_path_that_a_page_names_is_the_end_of_one_of_the_checkout(page: str) -> None:
    path_endings = endings()
    named_paths = {
        path for path in paths_in((ROOT / page).read_text(encoding="utf-8")) if not re.search("[A-Z]{3}", path)
    }
    assert [path for path in sorted(named_paths) if not any(end.endswith("/" + path) for end in path_endings)] == []


def test_the_table_of_rooms_has_each_package_in_its_folder() -> None:
    package_homes = [(package_folder.parent.name, package_folder.name) for package_folder in drawing.package_folders()]
    assert sorted(drawing.questions_by_room(PAGE)) == sorted([*package_homes, (drawing.CLIENT, drawing.CLIENT_PACKAGE)])


def test_the_drawing_has_the_floors_packages_and_arrows_of_the_code() -> None:
    drawn_svg = drawing.house_svg(drawing.read_house())
    committed = drawing.DRAWING.read_text(encoding="utf-8")
    assert drawing.drawing_without_sizes(committed) == drawing.drawing_without_sizes(drawn_svg), (
        "run `.venv/bin/python setup/drawing.py`"
    )


def test_an_arrow_that_others_imply_is_left_out() -> None:
    assert drawing.without_detours([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d")]) == [
        ("a", "b"),
        ("b", "c"),
        ("c", "d"),
    ]
