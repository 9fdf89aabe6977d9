"""`benchwright report`, and pages that trace what was done."""
