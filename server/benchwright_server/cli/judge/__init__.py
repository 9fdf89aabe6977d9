"""`benchwright judge`."""
