"""The kinds of judges that `judges.toml` can configure: each has one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchwright_foundation.errors import explain_missing_extra
from benchwright_judges.models.model_settings import JudgeSettings, ModelSettings
from benchwright_judges.models.panel import VotingJudge


@dataclass(frozen=True)
class JudgeKind:
    """One way of scoring answers that rules can't decide."""

    settings_class: type[JudgeSettings]
    """The fields of a `[[judge]]` of this kind."""
    open: Callable[[JudgeSettings, Mapping[str, str]], VotingJudge]
    """Creates a judge from its settings and the environment. Raises `ConfigurationError` if they are inconsistent."""


def _open_model(settings: JudgeSettings, environ: Mapping[str, str]) -> VotingJudge:
    assert isinstance(settings, ModelSettings)  # noqa: S101 - the kind's own settings
    with explain_missing_extra("A model judge", "judges"):
        # The client library takes most of a second to import, so only users with a judge load it.
        from benchwright_judges.models.endpoint import ModelEndpoint
        from benchwright_judges.models.model_judge import ModelJudge

        return ModelJudge(ModelEndpoint(settings, environ))


KINDS: Mapping[str, JudgeKind] = {
    "model": JudgeKind(ModelSettings, _open_model),
}


def read_judge_settings(settings_table: object) -> object:
    """Settings of the kind named by a table of `judges.toml`; `model` by default.

    Raises:
        ValueError: No such kind exists, or the table does not fit it.
    """
    if not isinstance(settings_table, dict):
        return settings_table
    kind = settings_table.get("kind", "model")
    if kind not in KINDS:
        raise ValueError(f"there is no kind of judge called {kind!r}; choose from {', '.join(KINDS)}")
    return KINDS[kind].settings_class.model_validate(settings_table)
