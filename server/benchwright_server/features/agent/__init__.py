"""The tools that an agent may use on an attempt, by subject."""
