"""What a free-form reply answers."""
