"""Contents of a report: one row per attempt, numbers from them, pictures, a page, and files for others to read."""
