"""How long an attempt took: its clock, and what stops it."""
