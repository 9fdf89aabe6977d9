from __future__ import annotations

from typing import Any

import pytest

from benchwright_server.references.language import setting_description
from benchwright_server.settings import ServerSettings, flat_settings, read_settings


def test_no_options_are_the_defaults() -> None:
    assert read_settings(None) == (ServerSettings(), [])
    assert read_settings({}) == (ServerSettings(), [])


def test_what_is_set_is_taken() -> None:
    settings, complaints = read_settings(
        {
            "features": {"hover": False},
            "diagnostics": {"quietMs": 0},
            "lint": {"off": ["UNUSEDSIGNAL"], "severity": {"no-tabs": "hint"}},
            "assistant": {"apiKeyVariable": "KEY"},
        }
    )
    assert complaints == []
    assert (settings.features.hover, settings.features.completion) == (False, True)
    assert settings.diagnostics.quiet_ms == 0
    assert settings.lint.off == ("UNUSEDSIGNAL",)
    assert dict(settings.lint.severity) == {"no-tabs": "hint"}
    assert settings.assistant.api_key_variable == "KEY"


@pytest.mark.parametrize(
    ("options", "setting", "requirement"),
    [
        ([], "initializationOptions", "an object"),
        ({"features": 1}, "benchwright.features", "an object"),
        ({"features": {"hover": "yes"}}, "benchwright.features.hover", "true or false"),
        ({"diagnostics": {"quietMs": -1}}, "benchwright.diagnostics.quietMs", "a whole number, 0 or more"),
        ({"diagnostics": {"quietMs": True}}, "benchwright.diagnostics.quietMs", "a whole number, 0 or more"),
        ({"lint": {"off": ["A", 1]}}, "benchwright.lint.off", "a list of strings"),
        ({"lint": {"severity": {"A": "bad"}}}, "benchwright.lint.severity", "one of error, warning"),
        ({"lint": {"severity": ["A"]}}, "benchwright.lint.severity", "an object"),
        ({"judge": {"url": 1}}, "benchwright.judge.url", "a string"),
    ],
)
def test_a_bad_option_is_named_and_its_default_used(options: Any, setting: str, requirement: str) -> None:
    settings, (complaint,) = read_settings(options)
    assert settings == ServerSettings()
    assert setting in complaint
    assert requirement in complaint


def test_one_bad_option_does_not_lose_the_others() -> None:
    settings, complaints = read_settings({"features": {"hover": 1, "rename": False}, "judge": {"url": "http://j"}})
    assert len(complaints) == 1
    assert (settings.features.hover, settings.features.rename, settings.judge.url) == (True, False, "http://j")


def test_an_option_that_does_not_exist_is_told_only_where_everything_is_ours() -> None:
    options = {"hoover": {"enabled": True}}
    assert read_settings(options)[1] == ["Unknown setting benchwright.hoover is ignored."]
    assert read_settings(options, reports_unknown_options=False)[1] == []


def test_nothing_set_is_the_default() -> None:
    assert read_settings({"judge": {"url": None}}) == (ServerSettings(), [])


def test_every_setting_is_described() -> None:
    for setting in flat_settings():
        assert setting_description(setting.settings_class, setting.field_name)
