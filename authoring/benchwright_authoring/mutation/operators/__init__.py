"""The kinds of faults, a family per module: what each makes of a piece of a reference."""
