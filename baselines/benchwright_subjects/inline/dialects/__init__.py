"""Dialects of the servers of each kind."""
