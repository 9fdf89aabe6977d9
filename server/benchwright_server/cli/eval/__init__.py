"""`benchwright eval` and `benchwright subject`."""
