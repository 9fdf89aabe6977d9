"""A simulated study and mock models, for `benchwright report --demo`."""
