"""`benchwright problems`."""
