"""Courses, assignments, and what people do in them."""
