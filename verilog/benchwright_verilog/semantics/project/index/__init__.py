"""What the files of a folder declare and name, found without slang and kept."""
