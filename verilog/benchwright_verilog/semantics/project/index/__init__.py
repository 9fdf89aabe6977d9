"""Index of the declarations and names in the files of a folder, found without slang and kept."""
