"""Duration of an attempt: its clock, and what stops it."""
