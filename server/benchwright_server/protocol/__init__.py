"""The `benchwright/*` messages."""
