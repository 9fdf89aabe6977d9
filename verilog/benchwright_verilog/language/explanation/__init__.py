"""What a name or a token means, in words."""
