"""The events of an attempt, and who writes them."""
