"""A judge is a class with its settings, and one line in `benchwright_judges.models.judge_kinds`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright_judges.errors import ConfigurationError
from benchwright_judges.judgement import Vote
from benchwright_judges.models import judge_kinds
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.configuration import open_panel_if_any, read_settings
from benchwright_judges.models.judge_kinds import JudgeKind
from benchwright_judges.models.model_settings import JudgeSettings
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_judges.rubric import Rubric
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)
from benchwright_server.cli.app import app_with_commands


class KeywordSettings(JudgeSettings):
    """`[[judge]]` with `kind = "keywords"`."""

    words: tuple[str, ...]

    def facts(self) -> dict[str, str | float]:
        return super().facts() | {"words": " ".join(self.words)}


@dataclass(frozen=True)
class KeywordJudge:
    """Calls an answer correct if it holds all words."""

    settings: KeywordSettings

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def identity(self) -> str:
        return f"keywords {' '.join(self.settings.words)}"

    async def vote(
        self, problem: Problem, answer: str, rubric: Rubric, *, index: int = 0, budget: JudgingBudget
    ) -> Vote:
        label = "correct" if all(word in answer for word in self.settings.words) else "incorrect"
        return Vote(judge=self.name, label=label, score=rubric.scale.score(label))

    def maximum_cost_usd(self, problem: Problem, answer: str, rubric: Rubric) -> float:
        return 0.0

    async def close(self) -> None:
        pass


def open_keywords(settings: JudgeSettings, environ: Mapping[str, str]) -> KeywordJudge:
    assert isinstance(settings, KeywordSettings)
    return KeywordJudge(settings)


QUESTION = Problem(
    id="q",
    kind=ProblemKind.QUESTION,
    title="q",
    difficulty=Difficulty.EASY,
    provenance=Provenance(source="test", license="Apache-2.0", version="1"),
    public=Public(statement="Why a TLB?", question=Question(format=QuestionFormat.FREE_RESPONSE)),
    hidden=Hidden(answer=Answer(value="It caches translations of addresses.")),
)


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(
        judge_kinds, "KINDS", {**judge_kinds.KINDS, "keywords": JudgeKind(KeywordSettings, open_keywords)}
    )
    file = tmp_path / "config" / "judges.toml"
    file.parent.mkdir()
    file.write_text('[[judge]]\nkind = "keywords"\nname = "words"\nwords = ["caches", "translations"]\n')
    return {"BENCHWRIGHT_HOME": str(tmp_path)}


async def test_an_added_judge_votes(environ: dict[str, str], tmp_path: Path) -> None:
    panel = open_panel_if_any(read_settings(environ), environ)
    records = await Records.open(tmp_path / "judges.sqlite")
    try:
        right_judgement = await judge_and_record(QUESTION, "It caches translations.", panel, records, problem_ref="p/q")
        wrong_judgement = await judge_and_record(QUESTION, "It is fast.", panel, records, problem_ref="p/q")
    finally:
        await records.close()
    assert (right_judgement.label, right_judgement.passed, {vote.judge for vote in right_judgement.votes}) == (
        "correct",
        True,
        {"words"},
    )
    assert (wrong_judgement.label, wrong_judgement.passed) == ("incorrect", False)


def test_it_is_listed_with_what_it_adds(environ: dict[str, str]) -> None:
    printed, json_text = (
        CliRunner().invoke(app_with_commands(), ["judge", "config", *options], env=environ).stdout
        for options in ([], ["--json"])
    )
    assert "words\t–" in printed
    assert json.loads(json_text)["judges"] == [{"name": "words", "kind": "keywords", "words": "caches translations"}]


def test_its_settings_are_checked(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config" / "judges.toml").write_text('[[judge]]\nkind = "keywords"\nname = "words"\n')
    with pytest.raises(ConfigurationError, match=r"field judge\.0\.words"):
        read_settings(environ)


def test_a_kind_without_a_line_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config" / "judges.toml"
    file.parent.mkdir()
    file.write_text('[[judge]]\nkind = "keywords"\nname = "words"\n')
    with pytest.raises(ConfigurationError, match="no kind of judge called 'keywords'; choose from model"):
        read_settings({"BENCHWRIGHT_HOME": str(tmp_path)})
