"""Documents, offers and how texts differ."""
