"""Processes, and the folders that they run in."""
