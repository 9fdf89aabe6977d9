"""A bench on which the commands of the papers' list are run as the list has them, on data made by hand."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from typer.testing import CliRunner

from benchwright_server.cli.app import app_with_commands

from ..service.judge_endpoint import JudgeEndpoint, Play


@dataclass
class Bench:
    """A folder with a home of its own, whose models and judges are played."""

    folder: Path
    url: str
    taken_commands: set[str] = field(default_factory=set)
    """Commands of the list that were run, as the list has them."""

    def write_lines(self, name: str, records: Sequence[object]) -> None:
        """Write JSON Lines."""
        (self.folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))

    def set_judges(self, *names: str, extra_lines: Sequence[str] = ()) -> None:
        """Set up judges of these names."""
        config = self.folder / "home" / "config"
        config.mkdir(parents=True, exist_ok=True)
        judges = "".join(
            f'[[judge]]\nname = "{name}"\nbase_url = "{self.url}"\nmodel = "{name}"\ninput_usd = 1\n' for name in names
        )
        (config / "judges.toml").write_text(f"budget_usd = 100\n{judges}" + "\n".join(extra_lines))

    def run(self, command: str, *, typed: Sequence[str] = (), status: int = 0) -> Any:
        """The value that a command prints with `--json`, else its text."""
        words = shlex.split(command)[1:]
        cli_run = CliRunner().invoke(
            app_with_commands(), words, input="".join(f"{line}\n" for line in typed), catch_exceptions=False
        )
        assert cli_run.exit_code == status, f"{command}: {cli_run.output}"
        return json.loads(cli_run.stdout) if "--json" in words else cli_run.stdout

    def run_listed(self, command: str, extra_options: str = "", *, typed: Sequence[str] = (), status: int = 0) -> Any:
        """As `run`, of a command of the list with options that only the test needs."""
        self.taken_commands.add(command)
        return self.run(f"{command} {extra_options}", typed=typed, status=status)

    def report(self, *listed_commands: str) -> dict[str, Any]:
        """The sections of one report with the options of all these commands."""
        words = [shlex.split(command) for command in listed_commands]
        self.taken_commands.update(listed_commands)
        merged = max(words, key=len)
        for command_words in words:
            for index, word in enumerate(command_words):
                if word.startswith("--") and word not in merged:
                    following = command_words[index + 1 : index + 2]
                    merged += [word, *(value for value in following if not value.startswith("--"))]
        self.run(f"{shlex.join(merged)} --no-events")
        sections: dict[str, Any] = json.loads((self.folder / "report" / "report.json").read_text())["sections"]
        return sections


@contextmanager
def bench(folder: Path, play: Play) -> Iterator[Bench]:
    """A new bench for the block."""
    environment = {"BENCHWRIGHT_HOME": str(folder / "home"), "LOCAL_API_KEY": "none", "OPENAI_API_KEY": "none"}
    previous = Path.cwd()
    with (
        mock.patch.dict(os.environ, environment | {"COLUMNS": "300"}),
        JudgeEndpoint(play) as endpoint,
    ):
        os.environ.pop("BENCHWRIGHT_JUDGE_URL", None)
        os.chdir(folder)
        try:
            yield Bench(folder, endpoint.url)
        finally:
            os.chdir(previous)
