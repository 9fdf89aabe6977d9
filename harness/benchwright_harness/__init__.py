"""Does the design work? Plans, sandboxes, toolchains, lint tools and verdicts."""
