"""What runs of inline-completion servers come to: intervals over problems, and a report of its own."""
