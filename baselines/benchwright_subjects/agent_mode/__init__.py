"""The agent mode and the chat of a real VS Code, led as an agent that speaks ACP."""

AGENT_MODE_SUBJECT = "vscode-agent"
"""Its name as a subject."""
