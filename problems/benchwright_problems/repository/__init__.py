"""Problems that are whole repositories: the files they start with, changes to them, and tests that are named."""
