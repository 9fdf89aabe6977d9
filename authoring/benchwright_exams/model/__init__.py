"""Statements of a model on an exam, checked against the pages. It names places and roles; every word is from a page."""
