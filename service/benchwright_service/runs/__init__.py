"""The queue of runs, its workers and leases."""
