"""The settings and sandboxes that the extension offers are those of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright_server.references.schema import sandbox_descriptions, setting_schemas

CLIENT = Path(__file__).parents[3] / "client-vscode"
SECTIONS = json.loads((CLIENT / "package.json").read_text())["contributes"]["configuration"]
TEXTS = json.loads((CLIENT / "package.nls.json").read_text())
OFFERED: dict[str, Any] = {name: setting for section in SECTIONS for name, setting in section["properties"].items()}
GENERATE = "run: npm --workspace client-vscode run generate"


@pytest.mark.parametrize(("name", "schema"), setting_schemas().items())
def test_a_setting_is_offered_as_the_server_describes_it(name: str, schema: dict[str, Any]) -> None:
    description = schema.pop("description")
    assert OFFERED[f"benchwright.{name}"].items() >= schema.items(), GENERATE
    # The judge's is shown with the settings of problems, and says there how to keep a token.
    assert name == "judge.url" or TEXTS[f"setting.{name}"] == description, GENERATE


def test_the_section_of_the_server_has_no_other_settings() -> None:
    section = next(section for section in SECTIONS if section["title"] == "%settings.languageServer%")
    names = {name.removeprefix("benchwright.") for name in section["properties"]}
    assert names == setting_schemas().keys() - {"judge.url"}, GENERATE


def test_each_sandbox_is_offered_as_it_describes_itself() -> None:
    setting = OFFERED["benchwright.sandbox"]
    descriptions = {name: TEXTS[f"setting.sandbox.{name}"] for name in setting["enum"]}
    assert list(descriptions.items()) == list(sandbox_descriptions().items()), GENERATE
    assert setting["default"] == next(iter(descriptions))
