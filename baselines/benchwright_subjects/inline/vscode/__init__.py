"""A real VS Code with somebody's extension, driven headless, that looks like an inline-completion server."""
