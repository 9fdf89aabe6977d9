"""Secrets come from files or the environment; plain HTTP is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from benchwright_service.command_line.options import DatabaseUrl, transport_remarks

URL = "postgresql://bench:zqsecret@db/bench"


@pytest.fixture
def told() -> Iterator[typer.Typer]:
    app = typer.Typer()

    @app.command()
    def command(database: DatabaseUrl = "") -> None:
        typer.echo(f"told {database}")

    yield app


def test_a_password_may_come_from_the_environment_or_from_a_file(told: typer.Typer, tmp_path: Path) -> None:
    file = tmp_path / "database"
    file.write_text(f"{URL}\n")
    by_variable = CliRunner().invoke(told, env={"BENCHWRIGHT_SERVICE_DATABASE": URL})
    by_file = CliRunner().invoke(told, env={"BENCHWRIGHT_SERVICE_DATABASE_FILE": str(file)})
    assert by_variable.output == by_file.output == f"told {URL}\n"


@pytest.mark.parametrize("url", [URL, "postgresql://db/bench?user=bench&password=zqsecret"])
def test_a_password_on_the_command_line_is_refused_and_not_repeated(told: typer.Typer, url: str) -> None:
    refused_command = CliRunner().invoke(told, ["--database", url])
    assert refused_command.exit_code == 2
    assert "zqsecret" not in refused_command.output
    assert CliRunner().invoke(told, ["--database", "postgresql://db/bench"]).exit_code == 0


def test_a_file_that_is_absent_is_named(told: typer.Typer, tmp_path: Path) -> None:
    refused_command = CliRunner().invoke(told, env={"BENCHWRIGHT_SERVICE_DATABASE_FILE": str(tmp_path / "absent")})
    assert refused_command.exit_code == 2
    assert "absent" in refused_command.output


@pytest.mark.parametrize(
    ("host", "address", "beginning"),
    [
        ("127.0.0.1", "https://bench.example.org", ""),
        ("127.0.0.1", "", "Plain HTTP"),
        ("127.0.0.1", "http://bench.example.org", "Plain HTTP"),
        ("::1", "https://bench.example.org", ""),
        ("0.0.0.0", "https://bench.example.org", "Whoever reaches 0.0.0.0"),
        ("bench.local", "", "Whoever reaches bench.local"),
    ],
)
def test_plain_http_is_said(host: str, address: str, beginning: str) -> None:
    sentences = " ".join(transport_remarks(host, address))
    assert sentences.startswith(beginning)
    assert bool(sentences) == bool(beginning)
