"""Which files belong together, and how they include each other."""
