from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_judges.errors import ConfigurationError, RubricError
from benchwright_judges.models.configuration import open_panel_if_any, read_settings, records_location, settings_file
from benchwright_judges.rubric import load_rubric

JUDGE = '[[judge]]\nname = "a"\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'


def environment_with_judges_file(tmp_path: Path, text: str | None = None, **variables: str) -> dict[str, str]:
    if text is not None:
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "judges.toml").write_text(text)
    return {"BENCHWRIGHT_HOME": str(tmp_path), **variables}


def test_nothing_set_up_is_no_panel(tmp_path: Path) -> None:
    settings = read_settings(environment_with_judges_file(tmp_path))
    assert open_panel_if_any(settings, {}) is None


async def test_a_file_sets_up_judges_that_take_turns(tmp_path: Path) -> None:
    environment = environment_with_judges_file(tmp_path, "votes = 5\n" + JUDGE + JUDGE.replace('"a"', '"b"'))
    panel = open_panel_if_any(read_settings(environment), environment)
    assert panel is not None
    assert (panel.seats, [panel.voting_judge_of_seat(seat).name for seat in range(5)]) == (5, ["a", "b", "a", "b", "a"])
    await panel.close()


def test_the_environment_takes_the_place_of_the_files_judges(tmp_path: Path) -> None:
    environment = environment_with_judges_file(
        tmp_path, JUDGE, BENCHWRIGHT_JUDGE_URL="http://h/v1", BENCHWRIGHT_JUDGE_MODEL="x", BENCHWRIGHT_JUDGE_KEY_ENV="K"
    )
    (judge,) = read_settings(environment).models
    assert (judge.name, judge.model, judge.base_url, judge.api_key_env) == ("x", "x", "http://h/v1", "K")


def test_a_key_that_is_not_set_is_named(tmp_path: Path) -> None:
    environment = environment_with_judges_file(tmp_path, JUDGE + 'api_key_env = "MY_KEY"\n')
    with pytest.raises(ConfigurationError, match="MY_KEY"):
        open_panel_if_any(read_settings(environment), environment)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("votes = 2", "odd number"),
        ("votes = 0", "field votes"),
        ("budget_usd = -1", "field budget_usd"),
        ("what = 1", "field what"),
        ("[[judge]]", "field judge.0.name"),
        (JUDGE + JUDGE, "same name"),
        (JUDGE.replace("http://127", "ftp://127"), "field judge.0.base_url"),
        (JUDGE.replace("http://127", "http://u:SECRET@127"), "api_key_env"),
        (JUDGE + 'api_key = "sk-SECRET"', "field judge.0.api_key"),
        ("votes = ", "can't be read"),
    ],
)
def test_a_broken_file_is_named_with_its_field_and_no_secret(tmp_path: Path, text: str, message: str) -> None:
    environment = environment_with_judges_file(tmp_path, text)
    with pytest.raises(ConfigurationError) as refused:
        read_settings(environment)
    assert str(settings_file(environment)) in str(refused.value)
    assert message in str(refused.value) and "SECRET" not in str(refused.value)


def test_an_address_without_a_model_tells_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="BENCHWRIGHT_JUDGE_MODEL"):
        read_settings(environment_with_judges_file(tmp_path, BENCHWRIGHT_JUDGE_URL="http://h/v1"))


def test_judgements_lie_beside_the_sealed_parts_or_in_a_database(tmp_path: Path) -> None:
    home = Home.from_environment(environment_with_judges_file(tmp_path))
    assert (
        records_location(read_settings(environment_with_judges_file(tmp_path)), home)
        == tmp_path / "data/sealed/@judges/judges.sqlite"
    )
    url = "postgresql://h/x"
    assert (
        records_location(read_settings(environment_with_judges_file(tmp_path, BENCHWRIGHT_JUDGE_DATABASE=url)), home)
        == url
    )


@pytest.mark.parametrize(
    "name", ["fill-in-the-blank", "open-ended", "free-response", "code-question", "cvdp-subjective", "problem-audit"]
)
def test_every_rubric_has_a_version_and_a_hash_of_its_content(name: str) -> None:
    rubric = load_rubric(name)
    assert rubric.name == name and rubric.version and len(rubric.digest) == 64
    assert rubric.reference == f"{name}@{rubric.digest[:12]}"
    assert "Reply with one JSON object" in rubric.frame


def test_only_cvdps_rubric_scores_style() -> None:
    for name in ("open-ended", "free-response", "code-question"):
        text = load_rubric(name).prompt
        assert "style" not in text.lower() or "do not count" in text
    assert "style" in load_rubric("cvdp-subjective").prompt


@pytest.mark.parametrize("name", ["none", "../rubric", ""])
def test_an_unknown_rubric_is_refused(name: str) -> None:
    with pytest.raises(RubricError):
        load_rubric(name)
