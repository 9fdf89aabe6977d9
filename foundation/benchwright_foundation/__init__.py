"""What every room needs and no domain owns: folders, files, locks, processes, errors, databases, HTTP refusals."""
