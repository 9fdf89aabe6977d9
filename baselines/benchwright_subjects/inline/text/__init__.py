"""Documents, offers and how one differs from another."""
