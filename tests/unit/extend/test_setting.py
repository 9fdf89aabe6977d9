"""A toy setting, added as a field of the settings, is read, checked, documented and offered by VS Code."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from benchwright_server import settings as settings_module
from benchwright_server.references.language import settings_page
from benchwright_server.references.schema import setting_schemas
from benchwright_server.settings import ServerSettings, read_settings


@dataclass(frozen=True)
class Waveforms:
    """Display of waveforms."""

    max_signals: int = 100
    """Largest number of signals that are shown."""


@dataclass(frozen=True)
class ToySettings(ServerSettings):
    waveforms: Waveforms = field(default_factory=Waveforms)


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_module, "ServerSettings", ToySettings)


def settings_and_complaints(raw_options: object) -> tuple[int, list[str]]:
    settings, complaints = read_settings(raw_options)
    assert isinstance(settings, ToySettings)
    return settings.waveforms.max_signals, complaints


def test_it_is_read_under_its_name_on_the_wire() -> None:
    assert settings_and_complaints({"waveforms": {"maxSignals": 7}}) == (7, [])
    assert settings_and_complaints({}) == (100, [])


def test_a_wrong_value_is_reported_and_the_default_used() -> None:
    value, (complaint,) = settings_and_complaints({"waveforms": {"maxSignals": "many"}})
    assert value == 100
    assert "benchwright.waveforms.maxSignals" in complaint


def test_the_reference_describes_it() -> None:
    page = settings_page()
    assert "## `waveforms`\n\nDisplay of waveforms." in page
    assert (
        "| `waveforms.maxSignals` | a whole number, 0 or more | `100` | Largest number of signals that are shown. |"
        in page
    )


def test_the_settings_of_vs_code_are_generated_with_it() -> None:
    assert setting_schemas()["waveforms.maxSignals"] == {
        "type": "integer",
        "minimum": 0,
        "default": 100,
        "description": "Largest number of signals that are shown.",
    }
