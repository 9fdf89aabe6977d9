"""How a problem is made, and whether it is any good."""
