"""Basics that all rooms need and no domain owns: folders, files, locks, processes, errors, databases, HTTP refusals."""
