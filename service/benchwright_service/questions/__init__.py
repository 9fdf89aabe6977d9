"""Questions that people of a course write, try on models and review, until they are a pack."""
