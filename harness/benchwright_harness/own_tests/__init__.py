"""The solver's own tests: cocotb tests and testbenches, run with the tools of the hidden tests."""
