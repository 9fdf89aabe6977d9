from __future__ import annotations

from pathlib import Path

from benchwright_server.operations.catalogue import OPERATIONS
from benchwright_server.references.protocol import protocol_page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "protocol.md"


def test_the_committed_page_is_what_the_models_say() -> None:
    committed = PAGE.read_text(encoding="utf-8")
    assert committed == protocol_page() + "\n", f"run: python -m benchwright_server.references.protocol > {PAGE}"


def test_the_page_describes_every_operation_and_every_message_it_links_to() -> None:
    page = protocol_page()
    for operation in OPERATIONS:
        assert f"| `{operation.name}` |" in page
        for model in (operation.params, operation.result_type):
            assert page.count(f"### {model.__name__}\n") == 1
    linked = {part.partition(")")[0] for part in page.split("](#")[1:]}
    assert linked <= {line.removeprefix("### ").lower() for line in page.splitlines() if line.startswith("### ")}
