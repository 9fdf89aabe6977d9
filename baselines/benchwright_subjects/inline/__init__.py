"""Inline-completion language servers as subjects: where they are asked, what is accepted, and what it comes to."""
