"""The service's reference page and its OpenAPI document."""

from __future__ import annotations

from pathlib import Path

from benchwright_judges.service.app import make_api
from benchwright_judges.service.reference import reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "judge-service.md"


def test_the_page_says_what_the_service_does() -> None:
    page_text = PAGE.read_text("utf-8")
    assert page_text == f"{reference()}\n", "run: python -m benchwright_judges.service.reference > " + str(PAGE)


def test_every_refusal_is_documented_with_an_example() -> None:
    document = make_api().openapi()
    for path, operations in document["paths"].items():
        for operation in operations.values():
            refusals = {status: response for status, response in operation["responses"].items() if status >= "400"}
            for response in refusals.values():
                content = response["content"]["application/problem+json"]
                assert content["schema"] == {"$ref": "#/components/schemas/ProblemDetails"}
                assert content["examples"]
            if "/health/" not in path:
                assert {"401", "403", "422", "429", "500", "503"} <= set(refusals)
                assert operation["security"]
    assert {"ProblemDetails", "Flaw"} <= set(document["components"]["schemas"])
