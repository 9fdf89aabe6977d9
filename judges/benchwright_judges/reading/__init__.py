"""Reading of the answer in a free-form reply."""
