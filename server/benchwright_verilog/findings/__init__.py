"""What tools find in a file: told apart, waived, ranked, and made one list."""
