"""The folders that problems open into: only the public part and the solver's work."""
