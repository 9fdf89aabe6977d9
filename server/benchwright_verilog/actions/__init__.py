"""What can be done about a place in a file: fixes of findings, and rewrites of what stands there."""
