"""What a design does: calls, clocks, states, signal flow."""
