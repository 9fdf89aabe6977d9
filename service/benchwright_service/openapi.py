"""Prints `docs/reference/bench-service.openapi.json`, the document that a service has at `/api/v1/openapi.json`.

Run as `python -m benchwright_service.openapi > docs/reference/bench-service.openapi.json`.
"""

from __future__ import annotations

import json
import sys

from benchwright_service.app import make_api


def openapi_text() -> str:
    """The document, JSON."""
    return json.dumps(make_api().openapi(), ensure_ascii=False, indent=1)


if __name__ == "__main__":
    print(openapi_text(), file=sys.stdout)  # noqa: T201 - it is what the module is for
