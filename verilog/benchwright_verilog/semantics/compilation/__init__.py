"""slang's compilation of files, and what it says."""
