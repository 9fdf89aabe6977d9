"""Identity providers and LTI platforms."""
