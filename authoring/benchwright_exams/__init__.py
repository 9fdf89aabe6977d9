"""What does this exam ask? From a PDF to questions that its author has reviewed."""
