"""Is the answer right? Deterministic scorers."""
