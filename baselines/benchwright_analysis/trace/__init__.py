"""Traces: one subject's attempt, step by step, as a page that asks nothing of the network."""
