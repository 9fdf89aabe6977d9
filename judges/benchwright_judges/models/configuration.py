"""Configuration of judges: `judges.toml`, or the environment instead. It names keys but never contains them.

`docs/how-to/judges.md` shows an example.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationError, model_validator

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_judges.errors import ConfigurationError
from benchwright_judges.models import judge_kinds
from benchwright_judges.models.model_judge import ModelJudge
from benchwright_judges.models.model_settings import EmbeddingSettings, JudgeSettings, ModelSettings, Usd
from benchwright_judges.models.panel import Panel
from benchwright_judges.reading.model_reader import ModelReader

if TYPE_CHECKING:
    from benchwright_judges.models.endpoint import ModelEndpoint

_URL, _MODEL, _KEY = "BENCHWRIGHT_JUDGE_URL", "BENCHWRIGHT_JUDGE_MODEL", "BENCHWRIGHT_JUDGE_KEY_ENV"
_DATABASE = "BENCHWRIGHT_JUDGE_DATABASE"


class JudgesSettings(Model):
    """`judges.toml`."""

    judge: tuple[Annotated[SerializeAsAny[JudgeSettings], BeforeValidator(judge_kinds.read_judge_settings)], ...] = ()
    """The judges; they take turns."""
    votes: Annotated[int, Field(ge=1, le=9)] = 3
    """Maximum number of votes on an answer, odd."""
    spares: Annotated[int, Field(ge=0, le=9)] = 2
    """Number of votes without a usable reply that are replaced per answer."""
    comparable: bool = True
    """True if answers to CVDP's questions about code also get a vote by CVDP's own aspects."""
    reader: str = ""
    second_reader: str = ""
    """Name of the model judge that reads answers in which rules find no value; empty if none does."""
    offline: bool = False
    """True if only recorded votes count."""
    budget_usd: Usd | None = None
    """The budget of one command or one editor session."""
    embeddings: EmbeddingSettings | None = None
    """A model of embeddings for `benchwright problems label`; TF-IDF if not given."""
    database: str = ""
    """URL of a PostgreSQL database for judgements; a file below the data folder if not given."""

    @property
    def models(self) -> tuple[ModelSettings, ...]:
        """The judges that are language models."""
        return tuple(judge for judge in self.judge if isinstance(judge, ModelSettings))

    @model_validator(mode="after")
    def _require_consistent_judges(self) -> JudgesSettings:
        if self.votes % 2 == 0:
            raise ValueError("votes must be an odd number, so that there can be a majority")
        names = [judge.name for judge in self.judge]
        if len(set(names)) < len(names):
            raise ValueError("two judges have the same name")
        for reader_name in filter(None, (self.reader, self.second_reader)):
            if reader_name not in [model.name for model in self.models]:
                raise ValueError(
                    f"the reader {reader_name!r} is none of the model judges; add it as a [[judge]], or choose from"
                    f" {', '.join(model.name for model in self.models) or 'none so far'}"
                )
        return self


def settings_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Path at which `judges.toml` is looked for."""
    home = environ.get("BENCHWRIGHT_HOME")
    folder = Path(home).absolute() / "config" if home else platformdirs.user_config_path("benchwright")
    return folder / "judges.toml"


def read_settings(environ: Mapping[str, str] = os.environ, *, reader_name: str = "") -> JudgesSettings:
    """The settings; without judges if none are configured.

    `BENCHWRIGHT_JUDGE_URL` and `BENCHWRIGHT_JUDGE_MODEL` replace the file's judges by one.

    Args:
        environ: Says where the file is.
        reader_name: Name of the judge that reads answers; as the file says if not given.

    Raises:
        ConfigurationError: File or environment don't describe judges.
    """
    file = settings_file(environ)
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        values = {}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} can't be read: {error}") from error
    origin = str(file)
    if environ.get(_URL):
        origin = _URL
        values.pop("reader", None)
        values.pop("second_reader", None)
        values["judge"] = [
            {
                "name": environ.get(_MODEL, ""),
                "base_url": environ[_URL],
                "model": environ.get(_MODEL, ""),
                "api_key_env": environ.get(_KEY, ""),
            }
        ]
        if not environ.get(_MODEL):
            raise ConfigurationError(f"{_URL} is set, {_MODEL} is not; set it to the model's name at that endpoint")
    if reader_name:
        values["reader"] = reader_name
    if environ.get(_DATABASE):
        values["database"] = environ[_DATABASE]
    try:
        return JudgesSettings.model_validate(values)
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first_error["loc"])
        message = first_error["msg"].removeprefix("Value error, ")
        raise ConfigurationError(f"{origin}: {f'field {field}: ' if field else ''}{message}") from None


def open_all_endpoints(settings: JudgesSettings, environ: Mapping[str, str] = os.environ) -> Sequence[ModelEndpoint]:
    """Every configured model.

    Raises:
        ConfigurationError: A key's environment variable is not set.
        ExtraMissingError: The packages for model judges are not installed.
    """
    if not settings.models:
        return ()
    with explain_missing_extra("A model judge", "judges"):
        # The client library takes most of a second to import: nobody pays without a judge.
        from benchwright_judges.models.endpoint import ModelEndpoint

    environ = _environment_of_model_keys(settings, environ)
    return tuple(ModelEndpoint(model, environ) for model in settings.models)


def open_panel_if_any(settings: JudgesSettings, environ: Mapping[str, str] = os.environ) -> Panel | None:
    """The configured judges, ready for requests; None if there are none.

    Raises:
        ConfigurationError: A key's environment variable is not set.
        ExtraMissingError: The packages for a judge are not installed.
    """
    if not settings.judge:
        return None
    environ = _environment_of_model_keys(settings, environ)
    judges = tuple(judge_kinds.KINDS[judge.kind].open(judge, environ) for judge in settings.judge)
    readers = tuple(
        judge
        for name in (settings.reader, settings.second_reader)
        for judge in judges
        if isinstance(judge, ModelJudge) and judge.name == name
    )
    return Panel(
        judges=judges,
        model_reader=ModelReader(readers) if settings.reader else None,
        seats=settings.votes,
        spares=settings.spares,
        adds_cvdp_vote=settings.comparable,
        offline=settings.offline,
    )


def _environment_of_model_keys(settings: JudgesSettings, environ: Mapping[str, str]) -> Mapping[str, str]:
    """Environment in which judges find their keys; offline they need none."""
    return dict.fromkeys((model.api_key_env for model in settings.models), "offline") if settings.offline else environ


def records_location(settings: JudgesSettings, home: Home) -> str | Path:
    """Location of judgements: a database's URL, or a file beside the sealed parts."""
    return settings.database or home.data / "sealed" / "@judges" / "judges.sqlite"
