"""A study while people and models work on it, and after."""
