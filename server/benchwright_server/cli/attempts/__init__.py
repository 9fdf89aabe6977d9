"""`benchwright attempts`."""
