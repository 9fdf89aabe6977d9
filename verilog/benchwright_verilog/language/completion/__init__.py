"""Completions at the cursor."""
