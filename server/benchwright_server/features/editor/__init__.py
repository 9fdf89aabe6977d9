"""Documents, folders, settings and progress: the state that is shared with the editor."""
