"""From what a run left to a verdict."""
