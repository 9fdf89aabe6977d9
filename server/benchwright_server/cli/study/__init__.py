"""`benchwright study`."""
