"""Statistics of attempts, and the report that shows them."""
