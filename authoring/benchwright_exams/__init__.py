"""Questions of an exam: from a PDF to questions that its author has reviewed."""
