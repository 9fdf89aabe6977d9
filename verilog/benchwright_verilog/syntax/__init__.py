"""Text and structure of files that are being typed."""
