"""Canaries of packs, and what models said of them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_authoring.new_problem import DesignForm, write_new_problem
from benchwright_foundation.home import Home
from benchwright_problems.canary import packs_with_canary_in
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands

CANARY = "3f2c8f1e-0d1b-4c5e-9a52-6f4f8d5b2a10"


@pytest.mark.parametrize("offset", [0, 100, (1 << 20) - 1, (1 << 20) - 35, (1 << 20) - 36, 1 << 20])
def test_a_canary_is_found_wherever_a_chunk_ends(offset: int) -> None:
    content = b"\xff" * offset + CANARY.upper().encode() + b"."
    assert packs_with_canary_in(io.BytesIO(content), {"mine": CANARY, "other": CANARY[::-1]}) == {"mine"}


def test_a_part_of_one_is_none() -> None:
    assert packs_with_canary_in(io.BytesIO(CANARY[:-1].encode()), {"mine": CANARY}) == set()


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    write_new_problem(tmp_path / "mine", "adder", DesignForm.COCOTB)
    pack = read_pack_folder(tmp_path / "mine")
    Store(Home.from_environment()).add(pack)
    assert pack.canary is not None
    return pack.canary


def search_command(*files: Path) -> tuple[int, str]:
    invocation = CliRunner().invoke(app_with_commands(), ["problems", "canaries", *map(str, files), "--json"])
    return invocation.exit_code, invocation.stdout


def test_a_new_pack_has_its_own_and_it_is_found_in_replies(canary: str, tmp_path: Path) -> None:
    assert json.loads(search_command()[1])["mine"] == canary
    folder = tmp_path / "said"
    folder.mkdir()
    (folder / "none.jsonl").write_text('{"response": "module adder; endmodule"}\n')
    assert search_command(folder) == (0, "[]\n")
    (folder / "replies.jsonl").write_text(json.dumps({"response": f"# canary = {canary}"}) + "\n")
    code, console_text = search_command(folder)
    assert code == 1
    assert json.loads(console_text) == [{"file": str(folder / "replies.jsonl"), "packs": ["mine"]}]


def test_what_is_no_log_is_named(canary: str, tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_text("no log")
    invocation = CliRunner().invoke(app_with_commands(), ["problems", "canaries", str(tmp_path / "x.eval")])
    assert invocation.exit_code not in (0, 1), invocation.output
    assert "x.eval is no log" in invocation.output.replace("\n", " ")
