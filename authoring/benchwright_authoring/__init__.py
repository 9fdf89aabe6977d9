"""Authoring of problems, and checks of their quality: files, mutation of the reference, near-copies."""
