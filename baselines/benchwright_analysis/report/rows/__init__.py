"""Attempts, events and subjects as the rows that sections count."""
