"""`benchwright completion`."""
