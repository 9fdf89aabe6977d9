"""Results of runs of inline-completion servers: intervals over problems, and a report of its own."""
