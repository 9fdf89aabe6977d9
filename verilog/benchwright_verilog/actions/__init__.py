"""Code actions: fixes of findings, and rewrites of the code at the cursor."""
