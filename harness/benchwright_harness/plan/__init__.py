"""What runs, with which tools, for a problem and a solution."""
