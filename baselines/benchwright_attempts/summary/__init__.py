"""An ended attempt: replay, survival of text, what it came to."""
