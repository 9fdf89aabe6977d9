"""`benchwright questions`."""
