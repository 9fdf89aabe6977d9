"""Findings of tools in a file: waived, ranked, and merged into one list."""
