"""Options, output, progress and interruption of all commands."""
