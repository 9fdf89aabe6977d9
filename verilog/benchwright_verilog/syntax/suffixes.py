"""Suffixes of the names of design files."""

from __future__ import annotations

SOURCES = frozenset({".v", ".sv"})
"""Files that are compiled by themselves."""
HEADERS = frozenset({".vh", ".svh"})
"""Files that others include."""
DESIGN_SUFFIXES = SOURCES | HEADERS
