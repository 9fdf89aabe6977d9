"""Texts that list what is registered are made before any toy is: they outlive the test that registers it."""

from __future__ import annotations

from benchwright_server.cli.solve import explain as explain
from benchwright_server.cli.terminal import options as options
from benchwright_server.features.agent import aids as aids
