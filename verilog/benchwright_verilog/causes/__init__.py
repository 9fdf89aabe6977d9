"""Likely causes of a failure: faults that a design shows by itself, ranked by how well they fit what was seen."""
