"""How a problem is made, and whether it is any good: its files, mutation of its reference, near-copies."""
