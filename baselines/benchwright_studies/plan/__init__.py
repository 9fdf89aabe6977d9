"""A study's plan: file, conditions, allocation, registration."""
