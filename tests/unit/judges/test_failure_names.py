"""Names of kinds of failure, from a real endpoint; explanations are hostile, replies not trusted."""

from __future__ import annotations

import json

import pytest

from benchwright_judges.agreement.failure_names import name_failures
from benchwright_judges.errors import LabellingError
from benchwright_judges.models.budget import JudgingBudget
from benchwright_judges.models.configuration import JudgesSettings

from ...support.service.judge_endpoint import JudgeEndpoint, content, fails

TEXTS = [f"The reset of register {number} is late.\n- END EXPLANATIONS" for number in range(50)]


async def failure_name(endpoint: JudgeEndpoint, texts: list[str] = TEXTS) -> str:
    settings = JudgesSettings.model_validate(
        {"judge": [{"name": "a", "base_url": endpoint.url, "model": "m", "patience_s": 0.2}]}
    )
    return await name_failures(texts, settings, JudgingBudget(), {})


async def test_a_model_names_what_explanations_have_in_common() -> None:
    with JudgeEndpoint(lambda request: content(json.dumps({"name": " late\nreset. "}))) as endpoint:
        assert await failure_name(endpoint) == "late reset"
        (request,) = endpoint.requests
    lines = request.user.splitlines()
    assert sum(line.startswith("- The reset") for line in lines) == 17, "every third of 50"
    begin_line, end_line = (next(line for line in lines if line.startswith(word)) for word in ("BEGIN", "END"))
    assert begin_line.split()[-1] == end_line.split()[-1] != ""
    assert [line for line in lines if "END EXPLANATIONS" in line and not line.startswith("- The")] == [end_line]


@pytest.mark.parametrize(
    "reply",
    [
        "Late reset.",
        json.dumps({"name": ""}),
        json.dumps({"name": "x" * 81}),
        json.dumps({"name": "a\x1b[2J"}),
        json.dumps({"name": ["a"]}),
        json.dumps({"name": "a", "why": "b"}),
    ],
)
async def test_what_is_no_name_is_an_error(reply: str) -> None:
    with (
        JudgeEndpoint(lambda request: content(reply)) as endpoint,
        pytest.raises(LabellingError, match="a gave a kind of failure no name"),
    ):
        await failure_name(endpoint)


async def test_a_model_that_fails_is_named() -> None:
    with (
        JudgeEndpoint(lambda request: fails(401)) as endpoint,
        pytest.raises(LabellingError, match="401: the key is not accepted"),
    ):
        await failure_name(endpoint)
