"""The files that belong together, and how they include each other."""
