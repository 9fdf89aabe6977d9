"""A lab's or a course's own bench service: accounts, assignments, evidence, runs and results over HTTP."""
