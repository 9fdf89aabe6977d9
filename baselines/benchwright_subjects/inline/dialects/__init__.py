"""How the servers of each kind are spoken to."""
