"""`benchwright problems canaries` on a log that Inspect has written."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from typer.testing import CliRunner

from benchwright_authoring.new_problem import DesignForm, write_new_problem
from benchwright_foundation.home import Home
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.store import Store
from benchwright_server.cli.app import app_with_commands


async def test_a_canary_is_found_in_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    write_new_problem(tmp_path / "mine", "adder", DesignForm.COCOTB)
    pack = read_pack_folder(tmp_path / "mine")
    Store(Home.from_environment()).add(pack)
    output = ModelOutput.from_content("mockllm/model", f"It is {pack.canary}.")
    # Else Inspect counts with a table of tokens that it downloads.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=[output])
    (log,) = await eval_async(Task([Sample("Say it.")]), model=model, log_dir=str(tmp_path))
    scan_command = CliRunner().invoke(app_with_commands(), ["problems", "canaries", log.location])
    assert (scan_command.exit_code, scan_command.stdout) == (1, f"{log.location}: the canary of mine\n")
