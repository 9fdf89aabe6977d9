"""What is running for which problem, and what the solver may see of it."""
