"""Points of students: worked out from their runs, and kept so that no page has to."""
