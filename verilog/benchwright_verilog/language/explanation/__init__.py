"""Meanings of names and tokens, in words."""
