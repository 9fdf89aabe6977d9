"""Declarations, scopes, references and renaming."""
