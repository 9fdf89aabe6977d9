"""Running Inspect's tasks, and reading their logs."""
