"""What a design means, by slang."""
