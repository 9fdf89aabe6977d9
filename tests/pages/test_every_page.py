"""All commands in the README, the tutorial and the how-tos are run, and everything else in them is checked."""

from __future__ import annotations

import ast
import builtins
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest
from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from . import (
    test_first_pages,
    test_import_pages,
    test_judge_pages,
    test_model_pages,
    test_service_pages,
    test_study_pages,
)
from .page import PAGES, ROOT, Block, blocks
from .walk import Walk

WALKS: dict[str, Walk] = {
    **test_first_pages.WALKS,
    **test_import_pages.WALKS,
    **test_judge_pages.WALKS,
    **test_model_pages.WALKS,
    **test_service_pages.WALKS,
    **test_study_pages.WALKS,
}
EXTEND = "docs/how-to/extend.md"
CHECKED = {
    "json": "below",
    "python": "below, against the toy of its section",
    "ts": "client-vscode/test/webviews.test.ts has this webview",
    "lua": "tests/lsp/test_neovim.py starts Neovim with it",
    "elisp": "tests/lsp/test_emacs.py starts Emacs with it",
    "kak": "tests/lsp/test_kakoune.py starts Kakoune with it",
    "toml": "below, and in test_judge_pages.py and test_study_pages.py",
    "yaml": "test_study_pages.py",
    "text": "a file or an output that another block uses",
    "": "the configuration of another program",
}
"""Blocks that are not typed into a shell, with where they are checked."""


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_run_or_checked(page: str) -> None:
    for block in blocks(page):
        assert block.is_commands or block.language in CHECKED, f"{block.location}: nothing checks {block.language}"
        assert not block.is_commands or page in WALKS, f"{block.location}: nothing walks through this page"


ANY_KEYWORD = {("_fixed_capability", "colorProvider")}
"""Given to a function that takes any."""


def _options(page: str) -> Iterator[tuple[Block, list[str]]]:
    for block in blocks(page):
        if block.is_commands and WALKS[page].reason_against(block):
            for line in block.script.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["benchwright"]:
                    yield block, words[1:]


@pytest.mark.parametrize("page", WALKS)
def test_commands_that_are_not_run_have_options_that_exist(page: str) -> None:
    for block, words in _options(page):
        first_option = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
        names = [word for word in words[:first_option] if re.fullmatch(r"[a-z-]+", word)][:2]
        helped = CliRunner().invoke(app_with_commands(), [*names, "--help"], env={"COLUMNS": "400"})
        if helped.exit_code:
            helped = CliRunner().invoke(app_with_commands(), [*names[:1], "--help"], env={"COLUMNS": "400"})
        for word in words[first_option:]:
            if word.startswith("--"):
                assert word in helped.output, f"{block.location}: {' '.join(names)} has no {word}"


def _keywords(source: str) -> set[tuple[str, str]]:
    """Functions and classes with the names of what they are given or declare."""
    keywords = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            keywords |= {(node.func.id, keyword.arg) for keyword in node.keywords if keyword.arg}
        if isinstance(node, ast.ClassDef):
            assigned_targets = [
                assigned_target
                for assignment in node.body
                if isinstance(assignment, ast.Assign)
                for assigned_target in assignment.targets
            ]
            assigned_targets += [statement.target for statement in node.body if isinstance(statement, ast.AnnAssign)]
            bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
            keywords |= {(base, name.id) for base in bases for name in assigned_targets if isinstance(name, ast.Name)}
    return keywords


def _toys() -> list[tuple[Block, str]]:
    lines = (ROOT / EXTEND).read_text(encoding="utf-8").splitlines()
    toys = []
    for block in blocks(EXTEND):
        if block.language == "python":
            text_below = "\n".join(lines[block.line :])
            toy = re.search(r"Toy: `(\S+)`|\n## ", text_below)
            toys.append((block, toy[1] or "" if toy else ""))
    return toys


def _declared(names: set[str]) -> set[tuple[str, str]]:
    """Parameters that our functions and classes of these names take."""
    parameters = set()
    for package in ROOT.glob("*/benchwright_*"):
        for file in package.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if not any(re.search(rf"(?:class|def) {name}\b", text) for name in names):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef):
                    annotated_targets = [
                        statement.target for statement in node.body if isinstance(statement, ast.AnnAssign)
                    ]
                    parameters |= {(node.name, field.id) for field in annotated_targets if isinstance(field, ast.Name)}
                if isinstance(node, ast.FunctionDef):
                    parameters |= {(node.name, argument.arg) for argument in (*node.args.args, *node.args.kwonlyargs)}
    return parameters


@pytest.mark.parametrize(("block", "toy"), [pytest.param(*example, id=example[0].location) for example in _toys()])
def test_how_to_extend_shows_what_the_toys_do(block: Block, toy: str) -> None:
    shown_keywords = _keywords(block.text.replace("…", "..."))
    unknown_keywords = shown_keywords - _keywords((ROOT / toy).read_text(encoding="utf-8")) if toy else set()
    assert not unknown_keywords - _declared({name for name, _ in unknown_keywords}) - ANY_KEYWORD, toy


def _names_in_code(source: str) -> set[str]:
    """Functions that are called, capitalised names and members; without what the source assigns itself."""
    names = set()
    own_names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own_names.add(node.id)
        if isinstance(node, ast.Call):
            names |= {node.func.id} if isinstance(node.func, ast.Name) else set()
            names |= {node.func.attr} if isinstance(node.func, ast.Attribute) else set()
        if isinstance(node, ast.Name) and node.id.lstrip("_")[:1].isupper():
            names.add(node.id)
        if isinstance(node, ast.Attribute) and node.attr[:1].isupper():
            names.add(node.attr)
    return names - own_names


@cache
def _sources() -> str:
    suffixes = {".py", ".ts", ".json", ".toml"}
    files = (file for folder in ("*/benchwright_*", "client-vscode/src") for file in ROOT.glob(f"{folder}/**/*"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.suffix in suffixes)


@cache
def _defined_names() -> frozenset[str]:
    """Names of our functions, classes, constants and members, and what is imported from elsewhere."""
    definition = r"^ *(?:async def|def|class) (\w+)|^(?:    )?([A-Z_]\w*)(?:: [^=\n]+)? = "
    imported = re.findall(r"^from (?!benchwright_)\S+ import ([\w, ]+)", _sources(), re.MULTILINE)
    names = {name for pair in re.findall(definition, _sources(), re.MULTILINE) for name in pair}
    return frozenset(names | {word for line in imported for word in re.findall(r"\w+", line)} | set(dir(builtins)))


@pytest.mark.parametrize(("block", "toy"), [pytest.param(*example, id=example[0].location) for example in _toys()])
def test_how_to_extend_names_what_there_is(block: Block, toy: str) -> None:
    own_words = set(re.findall(r"\w+", (ROOT / toy).read_text(encoding="utf-8"))) if toy else set()
    unknown_names = _names_in_code(block.text.replace("…", "...")) - own_words - _defined_names()
    assert unknown_names == set(), block.location


def test_names_in_the_prose_of_how_to_extend_are_in_the_sources() -> None:
    text = (ROOT / EXTEND).read_text(encoding="utf-8")
    toys = "\n".join(file.read_text(encoding="utf-8") for file in ROOT.glob("tests/unit/extend/*.py"))
    prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    names = {
        name
        for code in re.findall(r"`([^`/\n]+)`", prose)
        for name in re.findall(r"\b[a-z]+_\w+|\b[A-Z][a-z]+[A-Z]\w+", code)
    }
    assert len(names) > 30
    unknown_names = names - set(re.findall(r"\w+", _sources() + toys))
    assert unknown_names == set()


def test_json_and_toml_of_the_pages_are_valid() -> None:
    parse_by_language = {"json": json.loads, "toml": tomllib.loads}
    for page in PAGES:
        for block in blocks(page):
            if parse := parse_by_language.get(block.language):
                parse(block.text)
