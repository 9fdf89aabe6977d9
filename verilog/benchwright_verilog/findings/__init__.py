"""What tools find in a file: waived, ranked, and merged into one list."""
