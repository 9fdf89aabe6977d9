"""The meaning of a design, by slang."""
