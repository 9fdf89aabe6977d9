"""The behaviour of a design: calls, clocks, states, signal flow."""
