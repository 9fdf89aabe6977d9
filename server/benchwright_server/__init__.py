"""The editor's side: language server, workspaces, runs on save, and the command line."""
