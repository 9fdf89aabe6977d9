"""The dialects by name."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_subjects.inline.dialects.copilot import CopilotDialect
from benchwright_subjects.inline.dialects.lsp import StandardDialect
from benchwright_subjects.inline.dialects.tabby import TabbyDialect
from benchwright_subjects.inline.dialects.vscode import VSCodeDialect

DIALECTS: Mapping[str, type[StandardDialect]] = {
    dialect.name: dialect for dialect in (StandardDialect, CopilotDialect, TabbyDialect, VSCodeDialect)
}
