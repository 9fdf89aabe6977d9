"""Verdicts within an attempt: runs, judging, what is revealed."""
