"""The agent mode and the chat of a real VS Code, led as an agent that speaks ACP."""

EDITOR_SUBJECT = "vscode-agent"
"""Its name as a subject."""
