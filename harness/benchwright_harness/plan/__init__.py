"""Steps and tools of a run, for a problem and a solution."""
