"""Grades, regrades and item analysis."""
